"""Standing: where an answer stands now. The gate's input is read here from the books, by approve, export, status and show alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from trustops.checks.consistency import Clash, clashes
from trustops.checks.drift import evaluate
from trustops.domain.answer import AnswerVersion, BoundReading
from trustops.domain.approval import MAY_APPROVE, Approval, ApprovalStatus, Identity, approval_status
from trustops.domain.authenticity import EntryPoint, ExecutionMode, SourceMode, execution_mode
from trustops.domain.control import ControlReading, Evaluation, Snapshot
from trustops.domain.export import Bound, ExportGate, GateInput, gate
from trustops.domain.record import ModelCall, RunInfo, SkillInvocation
from trustops.domain.trust_review import QuestionState, QuestionStatus, TrustReviewStatus, question_status, trust_review_status
from trustops.operations.office import Office
from trustops.ports import ExportRecord, QuestionRecord, StoredReview


@dataclass(frozen=True, slots=True)
class Books:
    """One review's books, read at one time with a fixed number of queries."""

    review: StoredReview
    runs: Mapping[str, RunInfo]
    records: Mapping[str, QuestionRecord]
    answers: Mapping[str, AnswerVersion]
    approvals: Mapping[str, Approval]
    exports: tuple[ExportRecord, ...]
    calls: Mapping[tuple[str, str], tuple[tuple[ModelCall, ...], tuple[SkillInvocation, ...]]]
    snapshots: Mapping[str, Snapshot]
    held: Mapping[str, str]
    """Sha-256 by id of every passage and earlier answer that the index holds now and nobody withdrew."""
    clashing: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything derived about one question; nothing of it is stored."""

    status: QuestionStatus
    approval: ApprovalStatus
    gate: ExportGate
    seen: GateInput
    mode: ExecutionMode


def open_books(office: Office, review: StoredReview) -> Books:
    """All that status, approve and export need to know about a review."""
    ledger = office.ledger
    answers = ledger.latest_answers(review.id)
    withdrawn = ledger.withdrawals()
    held = {p.id: p.sha256 for p in office.index.passages()} | {
        a.id: a.sha256 for a in office.index.prior_answers() if a.id not in withdrawn
    }
    return Books(
        review=review,
        runs={run.id: run for run in ledger.runs(review.id)},
        records=ledger.latest_records(review.id),
        answers=answers,
        approvals=ledger.latest_approvals(review.id),
        exports=ledger.exports(review.id),
        calls=ledger.calls(review.id),
        snapshots=ledger.latest_snapshots(),
        held=held,
        clashing=clashes(answers.values(), office.names),
    )


def standing(office: Office, books: Books, ref: str) -> Standing:
    """Where one question stands at this moment."""
    record, answer = books.records.get(ref), books.answers.get(ref)
    current = answer if record and record.version is not None and answer and answer.version >= record.version else None
    seen = gate_input(office, books, record, current, books.approvals.get(ref))
    newest = max((run for run in books.runs.values() if ref in run.questions), key=lambda run: run.started_at, default=None)
    running = newest is not None and newest.state == "RUNNING" and (record is None or record.run != newest.id)
    ever = record is not None or any(ref in run.questions for run in books.runs.values())
    exported = current is not None and any(
        a.get("digest") == current.digest for export in books.exports for a in export.answers if a["question"] == ref
    )
    left = any(a["question"] == ref for export in books.exports for a in export.answers)
    blocked = record is None or record.result.decision.value == "BLOCK" or current is None
    state = QuestionState(
        ever_run=ever,
        running=running,
        decided=record is not None,
        blocked=blocked,
        approval=seen.approval,
        current_exported=exported,
        ever_exported=left,
        no_longer_true=(left and blocked)
        or seen.readings not in (Bound.NONE, Bound.EQUAL)
        or seen.passages not in (Bound.NONE, Bound.EQUAL),
    )
    mode = mode_of(books, record)
    return Standing(question_status(state), seen.approval, gate(seen), seen, mode)


def gate_input(
    office: Office, books: Books, record: QuestionRecord | None, answer: AnswerVersion | None, newest: Approval | None
) -> GateInput:
    """The facts of the gate. Whatever is missing keeps its shut default."""
    if record is None or answer is None:
        return GateInput()
    run = books.runs.get(record.run)
    approval = approval_status(decision=record.result.decision.value, digest=answer.computed_digest(), newest=newest)
    live = mode_of(books, record) is ExecutionMode.LIVE_AI
    needs_two = office.rules.second_person_for_all or record.risk == "HIGH"
    return GateInput(
        decision=record.result.decision.value,
        review=record.result.status.value,
        affirmative=answer.determination.affirmative,
        blocking_finding=any(f.blocks for f in (*answer.findings, *record.result.findings)),
        approval=approval,
        # without an approval NOT_APPROVED is the one reason; who may give it is said when somebody tries
        approver_may=newest is None or (office.people.get(newest.by) in MAY_APPROVE and newest.role in MAY_APPROVE),
        second_person=newest is None or newest.by != answer.author,
        second_person_needed=needs_two,
        identity_enough=newest is None or not office.rules.authenticated_only or newest.identity is Identity.AUTHENTICATED,
        readings=bound_readings(office, books, answer, instant_of(office, run)),
        passages=bound_passages(books, answer),
        gate_version_equal=answer.gate_version == office.gate_version,
        mock_in_live=live and any(r.source_mode == SourceMode.MOCK.value for r in answer.readings),
        inconsistent=any(answer.digest in clash.digests for clash in books.clashing),
    )


def instant_of(office: Office, run: RunInfo | None) -> datetime:
    """The instant at which a run's answers are judged: the recorded one of a TEST run, else now."""
    return run.as_of if run is not None and run.as_of_given else office.clock.now()


def bound_readings(office: Office, books: Books, answer: AnswerVersion, at: datetime) -> Bound:
    """The readings an answer is bound to against the newest snapshots: worst state first."""
    controls = {control.id: control for control in office.controls}
    states = set()
    for bound in answer.readings:
        control = controls.get(bound.control)
        states.add(_reading_state(bound, evaluate(control, books.snapshots.get(bound.control), at) if control else None))
    ladder = (Bound.NOT_PASS, Bound.NOT_FRESH, Bound.CHANGED, Bound.EQUAL)
    return next((state for state in ladder if state in states), Bound.NONE)


def _reading_state(bound: BoundReading, now: ControlReading | None) -> Bound:
    if now is None or now.evaluation in (Evaluation.DRIFT, Evaluation.UNAVAILABLE, Evaluation.NOT_MEASURED):
        return Bound.NOT_PASS
    if now.evaluation is Evaluation.STALE:
        return Bound.NOT_FRESH
    same = now.snapshot is not None and dict(now.snapshot.values) == dict(bound.values) and now.control.scope == bound.scope
    return Bound.EQUAL if same else Bound.CHANGED


def bound_passages(books: Books, answer: AnswerVersion) -> Bound:
    """Every cited passage and earlier answer must still be held with the same text."""
    if not answer.passages:
        return Bound.NONE
    return Bound.EQUAL if all(books.held.get(p.exhibit) == p.sha256 for p in answer.passages) else Bound.CHANGED


def mode_of(books: Books, record: QuestionRecord | None) -> ExecutionMode:
    """Derived from who served the five calls and how the run came about (invariant 9)."""
    run = books.runs.get(record.run) if record else None
    if record is None or run is None:
        return ExecutionMode.TEST
    calls, _ = books.calls.get((record.run, record.question), ((), ()))
    return execution_mode([c.origin for c in calls], entry=EntryPoint(run.entry), as_of_given=run.as_of_given)


def review_status(standings: Mapping[str, Standing]) -> TrustReviewStatus:
    """The whole review's status."""
    return trust_review_status(s.status for s in standings.values())
