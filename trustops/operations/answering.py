"""Answering: a run over a review's questions. `answer_question` is the unit that every engine runs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from pydantic import JsonValue

from trustops.checks.disclosure import confidential
from trustops.domain.answer import AnswerVersion
from trustops.domain.dossier import Dossier
from trustops.domain.errors import Overtaken, ProviderFailed, Refused, Unavailable, UnknownName
from trustops.domain.question import Question
from trustops.domain.record import RunInfo
from trustops.operations.collecting import collect_snapshots, unread
from trustops.operations.indexing import index_evidence
from trustops.operations.office import Office
from trustops.operations.paying import Paying
from trustops.operations.reconfirming import reconfirm
from trustops.operations.shelving import basis, shelf
from trustops.operations.telling import Notebook, Watch, on_record
from trustops.ports import Attempt, ModelReply, ModelRequest, Purse, QuestionRecord, StoredReview
from trustops.workflow.desk import Desk, Shelf
from trustops.workflow.state import Outcome

T = TypeVar("T")
MOST_TRIES = 3
"""How often an attempt is begun that ends its worker or fails; then the question is given up, with a finding that says so."""
HEED_S = 0.5
"""How often a run looks into the books whether it was cancelled, in seconds."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that is on record, with everything its questions share.

    `done` are the questions that need no attempt any more, and `told` the events that a run which is taken up has on record already.
    `purse` is there where the review has a money limit.
    """

    run: RunInfo
    review: StoredReview
    shelf: Shelf
    attempts: Mapping[str, int]
    basis: str = ""
    done: frozenset[str] = frozenset()
    told: Counter[str] = field(default_factory=Counter)
    purse: Purse | None = None


def instant(office: Office, as_of: datetime | None) -> tuple[datetime, bool]:
    """The one instant a run judges freshness at, and whether it was given (then the run is TEST)."""
    given = as_of or office.as_of
    return (given, True) if given else (office.clock.now(), False)


def chosen(review: StoredReview, only: Sequence[str]) -> tuple[Question, ...]:
    """The questions to run; raises UnknownName for a ref that the review does not have."""
    questions = {question.ref: question for question in review.questionnaire.questions}
    if missing := [ref for ref in only if ref not in questions]:
        raise UnknownName(
            f"there is no question {missing[0]!r}", where=review.questionnaire.file, remedy="`trustops parse FILE` lists the refs."
        )
    return tuple(questions[ref] for ref in only) if only else review.questionnaire.questions


def prepare(office: Office, review: StoredReview, *, only: Sequence[str] = (), as_of: datetime | None = None, watch: Watch) -> Prepared:
    """Puts the run on record, indexes and collects. Events begin here, so a failure from here on ends the run in the books too."""
    at, given = instant(office, as_of)
    questions = chosen(review, only)
    run = _begun(office, review, at, given, questions)
    watch("run_started", "", {"run": run.id, "questions": len(questions)})
    prepared = None
    try:
        prepared = gather(office, review, run, watch)
    finally:
        if prepared is None:
            end_run(office, run, "FAILED", watch)
            office.engine.let_go(run.id)
    return prepared


def _begun(office: Office, review: StoredReview, at: datetime, given: bool, questions: Sequence[Question]) -> RunInfo:
    """The run on record, under the next number of its review and held by this process. Nobody else can take the number meanwhile."""
    with office.ledger.writing():
        run = RunInfo(
            id=f"{review.id}.{len(office.ledger.runs(review.id)) + 1}",
            review=review.id,
            started_at=office.clock.now(),
            as_of=at,
            as_of_given=given,
            entry=office.entry.value,
            engine=office.engine.name,
            profile=office.profile,
            questions=tuple(question.ref for question in questions),
        )
        office.engine.hold(run.id)
        office.ledger.append_run(run)
        office.ledger.append_event(run.id, "run_started", data={"questions": len(questions), "as_of": at.isoformat()})
    return run


def gather(office: Office, review: StoredReview, run: RunInfo, watch: Watch, told: Counter[str] | None = None) -> Prepared:
    """Evidence, readings and earlier attempts: what all questions of a run share."""
    told = Counter() if told is None else told
    read, answers = index_evidence(office, lambda what: watch("indexing", "", {"what": what}))
    snapshots, notices = collect_snapshots(office, run.as_of)
    reconfirm(office, review, unread(office, snapshots))
    versions: dict[str, JsonValue] = {name: snapshot.version for name, snapshot in snapshots.items()}
    found: dict[str, JsonValue] = {"passages": len(read.passages), "snapshots": len(snapshots), "read": versions}
    if not on_record(told, "evidence_read", "", found):
        office.ledger.append_event(run.id, "evidence_read", data=found)
    watch("evidence_read", "", {"passages": len(read.passages), "snapshots": len(snapshots), "notices": list(notices)})
    attempts = {ref: record.attempt for ref, record in office.ledger.latest_records(review.id).items()}
    desk = shelf(office, run.as_of, snapshots, confidential(read.passages, answers))
    limit = office.usd_per_review
    purse = None if limit is None else office.engine.purse(review.id, limit, office.ledger.spent(review.id))
    return Prepared(run, review, desk, attempts, basis(office, snapshots, run.as_of), told=told, purse=purse)


def ended(office: Office, run: RunInfo) -> bool:
    """Whether the books say that the run is over."""
    kept = office.ledger.get_run(run.id)
    return kept is None or kept.state != "RUNNING"


def end_run(office: Office, run: RunInfo, state: str, watch: Watch) -> None:
    """The end of a run and its terminal event, in one transaction. `state` is FINISHED, FAILED or CANCELLED. A run ends once."""
    kind = f"run_{state.lower()}"
    with office.ledger.writing():
        if ended(office, run):
            return
        office.ledger.end_run(run.id, state)
        office.ledger.append_event(run.id, kind)
    watch(kind, "", {"run": run.id})


@dataclass(slots=True)
class Brake:
    """Pulled, a run takes no new question and ends what is in work; `left` counts the questions that were not begun or decided for it.
    `money` is what the purse said where it pulled the brake."""

    pulled: bool = False
    left: int = 0
    money: str = ""

    def broke(self, said: str) -> None:
        """A question is left, for its next call could not be paid."""
        self.pulled, self.left, self.money = True, self.left + 1, said


async def run_review(office: Office, prepared: Prepared, watch: Watch, brake: Brake | None = None) -> None:
    """All questions of the run that are not done, bounded. However it ends, the run gets its end and its terminal event.

    The one exception: a durable run that is paused or stopped from outside stays as it is, and Refused says how to go on.
    """
    run, state, brake = prepared.run, "FAILED", brake or Brake()
    heeding = asyncio.create_task(_heed(office, run, asyncio.current_task(), brake))
    notebook = Notebook(office.ledger, run.id, watch, prepared.told)

    async def work(attempt: Attempt) -> None:
        if brake.pulled:
            brake.left += 1
            return
        if attempt.again:
            notebook.remember(attempt.question.ref)
        if said := await answer_question(office, prepared, attempt, notebook):
            brake.broke(said)

    try:
        await office.engine.run(run.id, attempts_of(prepared), work, concurrency=office.concurrency)
        state = "FINISHED"
        if brake.left:
            state = "STOPPED" if office.engine.durable else "CANCELLED"
            rest(office, run, brake, watch)
            raise _stopped(office, prepared, brake.money)
    except asyncio.CancelledError:
        state = "STOPPED" if office.engine.durable else "CANCELLED"
        if office.engine.durable:
            raise _stopped(office, prepared) from None
        raise
    except (Overtaken, Unavailable) as lost:  # another process goes on with the run, or one will when the books are back
        if isinstance(lost, Overtaken) or office.engine.troubles:
            state = "STOPPED"
        raise
    finally:
        heeding.cancel()
        try:
            if state != "STOPPED" or not office.engine.troubles:
                notebook.flush()
            if state != "STOPPED":
                end_run(office, run, state, watch)
        finally:
            office.engine.let_go(run.id)


def attempts_of(prepared: Prepared) -> list[Attempt]:
    """An attempt for every question of the run that is not done."""
    questions = [q for q in chosen(prepared.review, prepared.run.questions) if q.ref not in prepared.done]
    return [Attempt(prepared.run.id, question, prepared.attempts.get(question.ref, 0) + 1) for question in questions]


async def _heed(office: Office, run: RunInfo, working: asyncio.Task[None] | None, brake: Brake) -> None:
    """Does what the books say: cancels the work of a run that was ended there, pulls the brake of one that was paused."""
    while True:
        await asyncio.sleep(HEED_S)
        try:
            kept = office.ledger.get_run(run.id)
        except Unavailable:
            continue  # the books are away; they are looked into again
        brake.pulled |= kept is not None and kept.paused
        if (kept is None or kept.state != "RUNNING") and working is not None:
            working.cancel()
            return


def rest(office: Office, run: RunInfo, brake: Brake, watch: Watch) -> None:
    """A run whose money is spent is paused in the books, so that everybody sees why it rests."""
    if not brake.money:
        return
    with office.ledger.writing():
        kept = office.ledger.get_run(run.id)
        if kept is None or kept.state != "RUNNING" or kept.paused:
            return
        office.ledger.append_pause(run.id, paused=True)
        office.ledger.append_event(run.id, "run_paused", data={"why": brake.money})
    watch("run_paused", "", {"run": run.id, "why": brake.money})


def _stopped(office: Office, prepared: Prepared, money: str = "") -> Refused:
    run, kept = prepared.run.id, office.ledger.get_run(prepared.run.id)
    if money:
        remedy = f"Raise usd_per_review under [limits], then `trustops resume {run}` goes on."
        return Refused(f"the review's money is spent: {money}; nothing is lost", where=run, remedy=remedy)
    if kept is None or kept.state != "RUNNING":
        return Refused("the run was cancelled", where=run, remedy="`trustops review` or `trustops recheck` starts another.")
    how = "paused" if kept.paused else "stopped"
    return Refused(f"the run was {how}; nothing is lost", where=run, remedy=f"`trustops resume {run}` goes on.")


async def alone(office: Office, work: Awaitable[T]) -> T:
    """Work that has its event loop for itself: the model's connections are closed with it."""
    try:
        return await work
    finally:
        close = getattr(office.client, "close", None)
        if close is not None:
            await close()


async def answer_question(office: Office, prepared: Prepared, attempt: Attempt, notebook: Notebook) -> str:
    """One attempt: five seats and the rules, then record, version, calls and event in one transaction. Returns why the question is left
    undecided where a call could not be paid, else nothing."""
    run, question = prepared.run, attempt.question
    asked = office.client if attempt.tries <= MOST_TRIES else GivenUp(attempt)
    paid = asked if prepared.purse is None else Paying(asked, prepared.purse)
    table = office.table(office.engine.client(paid, attempt), run.id, attempt.key)

    def heard(kind: str, ref: str, data: Mapping[str, JsonValue]) -> None:
        take = notebook.show if kind == "decided" else notebook.note  # the decision's event is written with the decision
        take(kind, ref, data)

    from trustops.workflow.machine import work  # the graph library takes a second to import; the run's first event need not wait for it

    before = office.engine.troubles
    outcome = await work(question, Desk(prepared.shelf, table, heard))
    if office.engine.troubles != before:  # a search or a reply was lost with the database: what came of that is no outcome
        raise Unavailable("the database was away meanwhile", where=attempt.key, remedy="The question is answered again.")
    notebook.flush()
    if said := unpaid(outcome):
        return said
    try:
        with office.ledger.writing():
            if not ended(office, run):  # a run that was cancelled decides nothing more
                keep(office, prepared, question, attempt.number, outcome)
    except Overtaken:  # a person edited the answer meanwhile: that version stays the newest, and the run goes on
        heard("overtaken", question.ref, {"attempt": attempt.number})
    return ""


class GivenUp:
    """Implements ports.ModelClient for an attempt that was begun too often: nothing is asked any more, and the seats are unavailable."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Never a reply."""
        said = f"given up after {self.attempt.tries - 1} tries, each of which failed or ended its worker"
        remedy = f"See the workers' logs; `trustops recheck {self.attempt.question.ref}` begins anew."
        raise ProviderFailed(said, kind="poison", where=f"the {request.seat} seat", remedy=remedy, attempts=0)


def unpaid(outcome: Outcome) -> str:
    """What the purse said where a seat's call could not be paid: such an attempt is no outcome, and what it paid for stands in the
    journal."""
    calls = [call for turn in outcome.turns for call in turn.calls]
    return next((call.detail for call in calls if call.outcome == "unavailable: money"), "")


def keep(office: Office, prepared: Prepared, question: Question, attempt: int, outcome: Outcome) -> AnswerVersion | None:
    """Appends what an attempt concluded. An outcome equal to the newest version appends no new version."""
    review, run = prepared.review.id, prepared.run
    now = office.clock.now()
    with office.ledger.writing():
        version = append_version(office, review, outcome.version, now)
        record = QuestionRecord(
            run=run.id,
            attempt=attempt,
            question=question.ref,
            decided_at=now,
            risk=outcome.risk.value,
            result=outcome.result,
            version=version.version if version else None,
            dossier=outcome.case.dossier if outcome.case else Dossier(question=question, asks=(question.text,)),
            searches=outcome.case.searches if outcome.case else (),
            basis=prepared.basis,
            conflicts=tuple(c.model_dump(mode="json") for c in outcome.case.conflicts) if outcome.case else (),
            agent_tasks=tuple(turn.task.model_dump(mode="json") for turn in outcome.turns),
            asks=outcome.case.dossier.asks if outcome.case else (),
        )
        office.ledger.append_record(review, record)
        calls = [call for turn in outcome.turns for call in turn.calls]
        office.ledger.append_calls(review, run.id, question.ref, calls, [skill for turn in outcome.turns for skill in turn.skills])
        data: dict[str, JsonValue] = {
            "decision": outcome.result.decision.value,
            "source": outcome.result.source.value,
            "version": version.version if version else None,
            "codes": [finding.code.value for finding in outcome.result.findings],
        }
        office.ledger.append_event(run.id, "decided", question=question.ref, data=data)
    return version


def append_version(office: Office, review: str, version: AnswerVersion | None, now: datetime) -> AnswerVersion | None:
    """The version as kept: numbered and sealed, or the newest one where its content is the same."""
    if version is None:
        return None
    before = office.ledger.answers(review, version.question)
    sealed = version.model_copy(update={"version": len(before) + 1, "created_at": now}).sealed()
    if before and before[-1].digest == sealed.digest and before[-1].author == sealed.author:
        return before[-1]
    office.ledger.append_answer(review, sealed)
    return sealed
