"""The export gate: one pure function over everything that must hold for an answer to leave (invariants 1, 2, 4, 6, 12)."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class GateInput:
    """What the gate sees: facts read inside the export transaction, nothing remembered. The defaults are shut.

    Not a pydantic noun: the gate itself takes every value but the ones it knows for a reason to stay shut.
    """

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


@dataclass(frozen=True, slots=True)
class ExportGate:
    """OPEN, or BLOCKED for every reason that holds."""

    state: Literal["OPEN", "BLOCKED"]
    reasons: tuple[str, ...] = ()


REJECTED, INVALIDATED = ApprovalStatus.REJECTED, ApprovalStatus.INVALIDATED
IN_FORCE, NOT_YET, NOT_FRESH, NOT_PASS = Validity.IN_FORCE, Validity.NOT_YET, Bound.NOT_FRESH, Bound.NOT_PASS
"""Members by short names: looking one up in its enumeration costs as much as the comparison."""
DECISIONS = frozenset({"PASS", "APPROVAL_REQUIRED", "BLOCK"})
DECIDED_BY_PEOPLE = frozenset({ApprovalStatus.APPROVED, ApprovalStatus.REJECTED, ApprovalStatus.INVALIDATED})
UNCHANGED = frozenset({Bound.NONE, Bound.EQUAL, Bound.NOT_FRESH, Bound.NOT_PASS})
"""Readings with the bound values; two of them have a reason of their own."""
OPEN = ExportGate(state="OPEN")


def gate(seen: GateInput) -> ExportGate:
    """OPEN only where no reason is left. Every reason is named, so that a person knows all there is to do. A value that is none of a
    fact's own is a reason too, so that garbage shuts the gate."""
    conditions = (
        ("NOT_DECIDED", seen.decision not in DECISIONS),
        ("DECISION_BLOCK", seen.decision == "BLOCK"),
        ("REVIEW_NOT_COMPLETED", seen.review != "COMPLETED"),
        ("NO_ANSWER", seen.affirmative is not True),
        ("BLOCKING_FINDING", seen.blocking_finding is not False),
        ("NOT_APPROVED", seen.approval not in DECIDED_BY_PEOPLE),
        ("REJECTED", seen.approval == REJECTED),
        ("APPROVAL_STALE", seen.approval == INVALIDATED),
        ("APPROVAL_EXPIRED", seen.validity not in (IN_FORCE, NOT_YET)),
        ("APPROVAL_NOT_YET", seen.validity == NOT_YET),
        ("APPROVER_NOT_ALLOWED", seen.approver_may is not True),
        ("SECOND_PERSON_NEEDED", seen.second_person_needed is not False and seen.second_person is not True),
        ("IDENTITY_NOT_AUTHENTICATED", seen.identity_enough is not True),
        ("READING_CHANGED", seen.readings not in UNCHANGED),
        ("READING_NOT_FRESH", seen.readings == NOT_FRESH),
        ("READING_NOT_PASS", seen.readings == NOT_PASS),
        ("PASSAGE_CHANGED", seen.passages_held is not True),
        ("NOT_RECONFIRMED", seen.confirmed is not True),
        ("GATE_VERSION_CHANGED", seen.gate_version_equal is not True),
        ("MOCK_READING_IN_LIVE_RUN", seen.mock_in_live is not False),
        ("INCONSISTENT_ANSWERS", seen.inconsistent is not False),
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
