"""Standing: where an answer stands now. The gate's input is read here from the books, by approve, export, status and show alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from trustops.checks.drift import evaluate
from trustops.domain.answer import AnswerVersion, BoundReading
from trustops.domain.approval import MAY_APPROVE, Approval, ApprovalStatus, Identity, Validity, approval_status
from trustops.domain.authenticity import ExecutionMode, SourceMode
from trustops.domain.control import ControlReading, Evaluation
from trustops.domain.export import Bound, ExportGate, GateInput, gate
from trustops.domain.trust_review import QuestionState, QuestionStatus, TrustReviewStatus, question_status, trust_review_status
from trustops.operations.books import Books, current_answer, instant_of, mode_of
from trustops.operations.office import Office
from trustops.ports import QuestionRecord


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything derived about one question; nothing of it is stored."""

    status: QuestionStatus
    approval: ApprovalStatus
    gate: ExportGate
    seen: GateInput
    mode: ExecutionMode


def standing(office: Office, books: Books, ref: str) -> Standing:
    """Where one question stands at this moment."""
    record, current = books.records.get(ref), current_answer(books, ref)
    seen = gate_input(office, books, record, current, books.approvals.get(ref))
    newest = max((run for run in books.runs.values() if ref in run.questions), key=lambda run: run.started_at, default=None)
    running = newest is not None and newest.state == "RUNNING" and (record is None or record.run != newest.id)
    ever = record is not None or any(ref in run.questions for run in books.runs.values())
    exported = current is not None and any(
        a.get("digest") == current.digest for export in books.exports for a in export.answers if a["question"] == ref
    )
    left = any(a["question"] == ref for export in books.exports for a in export.answers)
    approval = _counted(seen)
    blocked = record is None or record.result.decision.value == "BLOCK" or current is None
    state = QuestionState(
        ever_run=ever,
        running=running,
        decided=record is not None,
        blocked=blocked,
        approval=approval,
        current_exported=exported,
        ever_exported=left,
        no_longer_true=(left and blocked) or seen.readings not in (Bound.NONE, Bound.EQUAL) or not (seen.passages_held and seen.confirmed),
    )
    mode = mode_of(books, record)
    return Standing(question_status(state), approval, gate(seen), seen, mode)


def _counted(seen: GateInput) -> ApprovalStatus:
    """An approval covers a text whoever wrote it. Where its giver becomes the author, by the same words again, a second person is awaited;
    the gate says so by itself."""
    own = seen.second_person_needed and not seen.second_person
    return ApprovalStatus.PENDING if own and seen.approval is ApprovalStatus.APPROVED else seen.approval


def gate_input(
    office: Office, books: Books, record: QuestionRecord | None, answer: AnswerVersion | None, newest: Approval | None
) -> GateInput:
    """The facts of the gate. Whatever is missing keeps its shut default."""
    if record is None or answer is None:
        return GateInput()
    run = books.runs.get(record.run)
    now = office.clock.now()
    approval = approval_status(decision=record.result.decision.value, digest=books.digest(answer), newest=newest, now=now)
    live = mode_of(books, record) is ExecutionMode.LIVE_AI
    needs_two = office.rules.second_person_for_all or record.risk == "HIGH"
    return GateInput(
        decision=record.result.decision.value,
        review=record.result.status.value,
        affirmative=answer.determination.affirmative,
        blocking_finding=any(f.blocks for f in (*answer.findings, *record.result.findings)),
        approval=approval,
        # without an approval NOT_APPROVED is the one reason; who may give it is said when somebody tries
        validity=Validity.IN_FORCE if newest is None else newest.validity(now),
        approver_may=newest is None or (office.people.get(newest.by) in MAY_APPROVE and newest.role in MAY_APPROVE),
        second_person=newest is None or newest.by != answer.author,
        second_person_needed=needs_two,
        identity_enough=newest is None or not office.rules.authenticated_only or newest.identity is Identity.AUTHENTICATED,
        readings=bound_readings(office, books, answer, instant_of(office, run)),
        passages_held=all(p.sha256 in books.held for p in answer.passages),
        # what nobody approved is confirmed when somebody approves it
        confirmed=approval is not ApprovalStatus.APPROVED
        or books.confirming.of(record, answer, instant_of(office, run), books.digest(answer)).stands,
        gate_version_equal=answer.gate_version == office.gate_version,
        mock_in_live=live and any(r.source_mode == SourceMode.MOCK.value for r in answer.readings),
        inconsistent=any(answer.digest in clash.digests for clash in books.clashing),
    )


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


def review_status(standings: Mapping[str, Standing]) -> TrustReviewStatus:
    """The whole review's status."""
    return trust_review_status(s.status for s in standings.values())
