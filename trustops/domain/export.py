"""The export gate: one pure function over everything that must hold for an answer to leave (invariants 1, 2, 4, 6, 12)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from trustops.domain.approval import ApprovalStatus, Validity
from trustops.domain.base import Noun
from trustops.domain.question import CellValue


class Bound(StrEnum):
    """The state of the readings an answer rests on, compared with the newest ones."""

    NONE = "NONE"
    EQUAL = "EQUAL"
    CHANGED = "CHANGED"
    NOT_FRESH = "NOT_FRESH"
    NOT_PASS = "NOT_PASS"


class GateInput(Noun):
    """What the gate sees: facts read inside the export transaction, nothing remembered. The defaults are shut."""

    decision: Literal["PASS", "APPROVAL_REQUIRED", "BLOCK"] | None = None
    review: Literal["COMPLETED", "FAILED"] | None = None
    affirmative: bool = False
    blocking_finding: bool = True
    approval: ApprovalStatus = ApprovalStatus.LOCKED
    validity: Validity = Validity.EXPIRED
    approver_may: bool = False
    second_person: bool = False
    second_person_needed: bool = True
    identity_enough: bool = False
    readings: Bound = Bound.CHANGED
    passages_held: bool = False
    confirmed: bool = False
    gate_version_equal: bool = False
    mock_in_live: bool = True
    inconsistent: bool = True


class ExportGate(Noun):
    state: Literal["OPEN", "BLOCKED"]
    reasons: tuple[str, ...] = ()


OPEN = ExportGate(state="OPEN")


def gate(seen: GateInput) -> ExportGate:
    """OPEN only where no reason is left. Every reason is named, so that a person knows all there is to do."""
    conditions = (
        ("NOT_DECIDED", seen.decision is None),
        ("DECISION_BLOCK", seen.decision == "BLOCK"),
        ("REVIEW_NOT_COMPLETED", seen.review != "COMPLETED"),
        ("NO_ANSWER", not seen.affirmative),
        ("BLOCKING_FINDING", seen.blocking_finding),
        ("NOT_APPROVED", seen.approval in (ApprovalStatus.PENDING, ApprovalStatus.LOCKED)),
        ("REJECTED", seen.approval is ApprovalStatus.REJECTED),
        ("APPROVAL_STALE", seen.approval is ApprovalStatus.INVALIDATED),
        ("APPROVAL_EXPIRED", seen.validity is Validity.EXPIRED),
        ("APPROVAL_NOT_YET", seen.validity is Validity.NOT_YET),
        ("APPROVER_NOT_ALLOWED", not seen.approver_may),
        ("SECOND_PERSON_NEEDED", seen.second_person_needed and not seen.second_person),
        ("IDENTITY_NOT_AUTHENTICATED", not seen.identity_enough),
        ("READING_CHANGED", seen.readings is Bound.CHANGED),
        ("READING_NOT_FRESH", seen.readings is Bound.NOT_FRESH),
        ("READING_NOT_PASS", seen.readings is Bound.NOT_PASS),
        ("PASSAGE_CHANGED", not seen.passages_held),
        ("NOT_RECONFIRMED", not seen.confirmed),
        ("GATE_VERSION_CHANGED", not seen.gate_version_equal),
        ("MOCK_READING_IN_LIVE_RUN", seen.mock_in_live),
        ("INCONSISTENT_ANSWERS", seen.inconsistent),
    )
    reasons = tuple([name for name, holds in conditions if holds])
    return ExportGate(state="BLOCKED", reasons=reasons) if reasons else OPEN


class ClearedAnswer(Noun):
    """An answer that passed the gate. Built here alone, so that nothing else can hand answers to a writer."""

    question: str
    version: int
    digest: str
    cells: tuple[CellValue, ...]
    attachments: tuple[str, ...] = ()
    approved_by: str
    identity: str


def clear(
    seen: GateInput,
    *,
    question: str,
    version: int,
    digest: str,
    cells: tuple[CellValue, ...],
    attachments: tuple[str, ...],
    approved_by: str,
    identity: str,
) -> ClearedAnswer | ExportGate:
    """The only way to a cleared answer: through the gate."""
    result = gate(seen)
    if result.state != "OPEN":
        return result
    return ClearedAnswer(
        question=question, version=version, digest=digest, cells=cells, attachments=attachments, approved_by=approved_by, identity=identity
    )
