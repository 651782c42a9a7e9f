"""Books: all that status, approve and export need to know about a review, read at one time with a fixed number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from trustops.checks.consistency import Clash, clashes
from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import Approval
from trustops.domain.authenticity import Authenticity, EntryPoint, ExecutionMode, Origin, authenticity, execution_mode
from trustops.domain.control import Snapshot
from trustops.domain.record import ModelCall, RunInfo, SkillInvocation
from trustops.operations.confirming import Confirming
from trustops.operations.office import Office
from trustops.ports import ExportRecord, QuestionRecord, StoredReview

Calls = Mapping[tuple[str, str], tuple[tuple[ModelCall, ...], tuple[SkillInvocation, ...]]]


@dataclass(frozen=True, slots=True)
class Books:
    """One review's books."""

    review: StoredReview
    runs: Mapping[str, RunInfo]
    records: Mapping[str, QuestionRecord]
    answers: Mapping[str, AnswerVersion]
    approvals: Mapping[str, Approval]
    exports: tuple[ExportRecord, ...]
    calls: Calls
    origins: Mapping[tuple[str, str], tuple[Origin, ...]]
    """What served the model calls of each (run, question)."""
    snapshots: Mapping[str, Snapshot]
    held: frozenset[str]
    """Sha-256 of every passage and earlier answer that the index holds now and nobody withdrew."""
    clashing: tuple[Clash, ...]
    confirming: Confirming
    _digests: dict[str, str] = field(default_factory=dict)

    def digest(self, answer: AnswerVersion) -> str:
        """The digest of one of these answers, computed from what was read here and once for all who ask."""
        if answer is not self.answers.get(answer.question):
            return answer.computed_digest()
        if answer.question not in self._digests:
            self._digests[answer.question] = answer.computed_digest()
        return self._digests[answer.question]


def open_books(office: Office, review: StoredReview, unread: frozenset[str] = frozenset(), only: frozenset[str] | None = None) -> Books:
    """The books as they are at one moment. `unread` are controls whose sources were just asked and gave nothing: they have no reading.

    `only` opens them for some questions: only what clashes with their answers is looked for.
    """
    with office.ledger.reading():
        return _opened(office, review, unread, only)


def _opened(office: Office, review: StoredReview, unread: frozenset[str], only: frozenset[str] | None) -> Books:
    ledger = office.ledger
    answers, withdrawn = ledger.latest_answers(review.id), ledger.withdrawals()
    snapshots = {name: held for name, held in ledger.latest_snapshots().items() if name not in unread}
    priors = [a.sha256 for a in office.index.prior_answers() if a.id not in withdrawn]
    records = ledger.latest_records(review.id)
    calls = ledger.calls(review.id)
    return Books(
        review=review,
        runs={run.id: run for run in ledger.runs(review.id)},
        records=records,
        answers=answers,
        approvals=ledger.latest_approvals(review.id),
        exports=ledger.exports(review.id),
        calls=calls,
        origins=ledger.origins(review.id) if only is None else _origins(calls, {ref: records[ref] for ref in only if ref in records}),
        snapshots=snapshots,
        held=frozenset([*(p.sha256 for p in office.index.passages()), *priors]),
        clashing=clashes((*answers.values(), *_family(office, review)), office.names, _own(review) if only is None else only),
        confirming=Confirming(office, snapshots, ledger.confirmations(review.id)),
    )


def _own(review: StoredReview) -> frozenset[str] | None:
    """A follow-up is held against the questionnaire's answers; whether those agree among themselves is not its matter."""
    return frozenset(question.ref for question in review.questionnaire.questions) if review.follows else None


def _family(office: Office, review: StoredReview) -> tuple[AnswerVersion, ...]:
    """Answers that the same customer gets in the same matter: a follow-up must not say otherwise than the questionnaire, nor the other
    way round."""
    ledger, root = office.ledger, review.follows.review if review.follows else review.id
    others = [case.id for case in ledger.follow_ups(root) if case.id != review.id] + ([root] if review.follows else [])
    return tuple(answer for name in others for answer in ledger.latest_answers(name).values())


def _origins(calls: Calls, records: Mapping[str, QuestionRecord]) -> dict[tuple[str, str], tuple[Origin, ...]]:
    """Of the calls of these records alone."""
    keys = [(record.run, ref) for ref, record in records.items()]
    return {key: tuple(call.origin for call in calls[key][0]) for key in keys if key in calls}


def current_answer(books: Books, ref: str) -> AnswerVersion | None:
    """The version that the newest attempt stands for; None where it drafted none, whatever was there before."""
    record, answer = books.records.get(ref), books.answers.get(ref)
    return answer if record and record.version is not None and answer and answer.version >= record.version else None


def instant_of(office: Office, run: RunInfo | None) -> datetime:
    """The instant at which a run's answers are judged: the recorded one of a TEST run, else now."""
    return run.as_of if run is not None and run.as_of_given else office.clock.now()


def mode_of(books: Books, record: QuestionRecord | None) -> ExecutionMode:
    """Derived from who served the five calls and how the run came about (invariant 9)."""
    run = books.runs.get(record.run) if record else None
    if record is None or run is None:
        return ExecutionMode.TEST
    return execution_mode(books.origins.get((record.run, record.question), ()), entry=EntryPoint(run.entry), as_of_given=run.as_of_given)


def proof_of(books: Books, record: QuestionRecord) -> Authenticity:
    """What an attempt's record proves. A person's edit stands on the seats of the attempt before it, and on its own Reviewer. One whose run
    is not on record counts as an evaluation's: it can prove nothing."""
    run = books.runs.get(record.run)
    calls, skills = books.calls.get((record.run, record.question), ((), ()))
    tasks, own = frozenset(str(task["id"]) for task in record.agent_tasks), f"{record.run}:{record.question}:{record.attempt}:"

    def mine(made: ModelCall | SkillInvocation) -> bool:
        return made.task in tasks or made.task.startswith(own)

    return authenticity(
        [call for call in calls if mine(call)],
        [skill for skill in skills if mine(skill)],
        tasks,
        entry=EntryPoint(run.entry) if run else EntryPoint.EVALUATION,
        as_of_given=run.as_of_given if run else True,
    )
