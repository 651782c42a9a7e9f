"""Editing: a person's version. Unchanged sentences keep their citations, others need one; rules and Reviewer look again."""

from __future__ import annotations

from collections.abc import Sequence

from trustops.domain.answer import AnswerVersion, Determination
from trustops.domain.approval import MAY_EDIT, Identity
from trustops.domain.claim import Basis, Citation, Conflict
from trustops.domain.control import Risk
from trustops.domain.credential import Scope
from trustops.domain.dossier import exhibit_text
from trustops.domain.errors import NotAllowed, StaleVersion, UnknownName, UsageError
from trustops.domain.opinion import AnswerDraft, DraftClaim, DraftPart, Unavailable
from trustops.domain.question import PartKind
from trustops.domain.record import AgentTask
from trustops.domain.risk_review import conclude
from trustops.facts.split import split
from trustops.operations.answering import Prepared, keep
from trustops.operations.books import instant_of
from trustops.operations.office import Office
from trustops.operations.shelving import shelf
from trustops.operations.signing_in import identity_of
from trustops.operations.timing import present
from trustops.ports import QuestionRecord, StoredReview
from trustops.team.reviewer import review as ask_reviewer
from trustops.team.reviewer import reviewer_findings
from trustops.workflow import casework
from trustops.workflow.state import Outcome, Turn


def editor(office: Office, by: str) -> str:
    """The person's name, where the person may edit. Where approvals must be authenticated, edits must be too: else one person could
    write in another's name what they approve in their own."""
    identity, role = identity_of(office, by, Scope.REVIEW), office.people.get(by)
    if role is None or role not in MAY_EDIT:
        raise NotAllowed(
            f"{by!r} may not edit answers", remedy="Enter the person under [people] in trustops.toml as analyst, approver or admin."
        )
    if office.rules.authenticated_only and identity is not Identity.AUTHENTICATED:
        raise NotAllowed("this organisation accepts authenticated edits only", remedy="Set TRUSTOPS_TOKEN or give --sign-in.")
    return by


async def edit_answer(
    office: Office,
    review: StoredReview,
    ref: str,
    *,
    by: str,
    text: str,
    choice: str | None = None,
    determination: Determination | None = None,
    cite: Sequence[str] = (),
    digest: str | None = None,
) -> AnswerVersion:
    """A person's version on the sealed dossier: rules and Reviewer look again. It belongs to the run whose seats made the dossier. `digest`
    names the version that the person saw, empty where there was none; another one now is refused with StaleVersion."""
    author = editor(office, by)
    record = office.ledger.latest_records(review.id).get(ref)
    if record is None:
        raise UnknownName(
            f"there is no decided question {ref!r}", where=review.questionnaire.file, remedy="`trustops review` runs it first."
        )
    before = office.ledger.latest_answers(review.id).get(ref)
    if digest is not None and digest != (before.digest if before else ""):
        raise StaleVersion("the answer is another one by now", where=ref, remedy="Read it again, then edit.")
    draft = edited_draft(record, before, text=text, choice=choice, determination=determination, cite=cite)
    run = office.ledger.get_run(record.run)
    if run is None:
        raise UnknownName(f"the run {record.run!r} is not on record", where=ref)
    present(office)
    desk = shelf(office, instant_of(office, run), office.ledger.latest_snapshots())
    prepared = Prepared(run, review, desk, {ref: record.attempt}, record.basis)
    outcome = await _judge(office, prepared, record, draft, author)
    with office.ledger.writing(durable=True):
        if office.ledger.last_attempt(review.id, ref) != record.attempt:
            raise StaleVersion(
                "the answer changed while it was edited", where=ref, remedy=f"Read it with `trustops show {ref}`, edit again."
            )
        if before is not None and _same(outcome, record, before):
            return before  # the same words again, after a crash or a second click
        kept = keep(office, prepared, record.dossier.question, record.attempt + 1, outcome)
    if kept is None:
        raise UsageError("the edit made no version", where=ref)
    return kept


def _same(outcome: Outcome, record: QuestionRecord, before: AnswerVersion) -> bool:
    """Whether an edit concludes what stands already, in the same person's name."""
    made = outcome.version
    return made is not None and (made.author, made.sealed().digest, outcome.result) == (before.author, before.digest, record.result)


async def _judge(office: Office, prepared: Prepared, record: QuestionRecord, draft: AnswerDraft, author: str) -> Outcome:
    reported = [Conflict.model_validate(row) for row in record.conflicts]
    case = casework.open_case(prepared.shelf, record.dossier, reported, Risk(record.risk), record.searches)
    verified = casework.verify(prepared.shelf, case, draft, author=author)
    key = f"{prepared.run.id}:{record.question}:{record.attempt + 1}"
    table = office.table(office.client, prepared.run.id, key)
    sitting = await ask_reviewer(table, case.dossier, verified.version, verified.findings)
    seen = () if isinstance(sitting.opinion, Unavailable) else reviewer_findings(sitting.opinion)
    outcomes = {str(task["seat"]): str(task["outcome"]) for task in record.agent_tasks}
    seats = [_stood(outcomes, seat) for seat in ("commander", "policy", "control")] + [draft]
    result = conclude(
        (*verified.findings, *seen), seats=seats, reviewer=sitting.opinion, risk=case.risk, determination=verified.version.determination
    )
    failed = isinstance(sitting.opinion, Unavailable)
    told = Turn(AgentTask(id=table.task("reviewer"), seat="reviewer", outcome="unavailable" if failed else "ok"), sitting.calls)
    tasks = [Turn(AgentTask.model_validate(task)) for task in record.agent_tasks if task["seat"] != "reviewer"]
    return Outcome(result, case.risk, case, verified.version.model_copy(update={"findings": result.findings}), (*tasks, told))


def _stood(outcomes: dict[str, str], seat: str) -> object:
    """What a seat gave in the attempt that made the dossier; a person may replace the Answer seat's words, not another seat."""
    if outcomes.get(seat) == "ok":
        return outcomes
    return Unavailable(seat=seat, reason="input_unavailable", detail="it failed in the attempt that this edit builds on")


def edited_draft(
    record: QuestionRecord,
    before: AnswerVersion | None,
    *,
    text: str,
    choice: str | None,
    determination: Determination | None,
    cite: Sequence[str],
) -> AnswerDraft:
    """The person's words as a draft, to be checked like any other. `cite` names exhibits of the question's dossier."""
    kept = {claim.text: claim for claim in before.claims} if before else {}
    added = tuple(Citation(exhibit=name, quote=_whole(record, name)) for name in cite)
    claims = []
    for span in split(text):
        sentence = span.text
        known = kept.get(sentence) or next((c for t, c in kept.items() if t in sentence), None)
        citations = known.citations if known else added
        claims.append(DraftClaim(text=sentence, basis=known.basis if known else Basis.POLICY, citations=citations[:6]))
    if added and before:  # what is cited now is offered to every sentence; code picks what supports it
        claims = [c.model_copy(update={"citations": tuple(dict.fromkeys((*c.citations, *added)))[:6]}) for c in claims]
    verdicts = (
        tuple([determination] * len(record.asks or ("",)))
        if determination
        else tuple(a.determination for a in before.asks)
        if before
        else ()
    )
    if not verdicts:
        raise UsageError(
            "there is no earlier version to take the determination from", where=record.question, remedy="Give --determination."
        )
    return AnswerDraft(
        determinations=verdicts, text=text, pivot="", parts=_parts(record, before, choice), attachments=(), claims=tuple(claims)
    )


def _whole(record: QuestionRecord, name: str) -> str:
    exhibit = record.dossier.exhibits.get(name)
    if exhibit is None:
        raise UnknownName(
            f"{name!r} is not in the dossier of this question", where=record.question, remedy="`trustops show` lists its exhibits."
        )
    return exhibit_text(exhibit)[:4000]


def _parts(record: QuestionRecord, before: AnswerVersion | None, choice: str | None) -> tuple[DraftPart, ...]:
    kept = {v.part: v.value for v in before.cells if v.kind not in (PartKind.TEXT, PartKind.CHOICE)} if before else {}
    if choice is not None:
        part = next((a.part for a in record.dossier.question.answers if a.kind is PartKind.CHOICE), "choice")
        kept[part] = choice
    return tuple(DraftPart(part=part, value=value) for part, value in kept.items())
