"""Approvals: of one answer version, by one person, for everything that the version's digest covers (invariant 1)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from trustops.domain.base import Noun


class ApprovalStatus(StrEnum):
    LOCKED = "LOCKED"
    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    INVALIDATED = "INVALIDATED"


class Role(StrEnum):
    VIEWER = "viewer"
    ANALYST = "analyst"
    APPROVER = "approver"
    ADMIN = "admin"


MAY_APPROVE = frozenset({Role.APPROVER, Role.ADMIN})
MAY_EDIT = frozenset({Role.ANALYST, Role.APPROVER, Role.ADMIN})


class Identity(StrEnum):
    """`--by NAME` is asserted; a sign-in is authenticated. Both are shown in receipt and bundle."""

    ASSERTED = "asserted"
    AUTHENTICATED = "authenticated"


class Verdict(StrEnum):
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


class Approval(Noun):
    """One decision of a person. Append-only; the newest one of a version counts."""

    question: str
    version: int
    digest: str
    verdict: Verdict
    by: str
    role: Role
    identity: Identity
    at: datetime
    reason: str = ""
    execution_mode: str


def approval_status(*, decision: str | None, digest: str | None, newest: Approval | None) -> ApprovalStatus:
    """Derived, never stored: blocked is LOCKED, another digest than the approved one is INVALIDATED.

    `digest` is that of the current answer version as computed now, not as remembered.
    """
    if decision is None or decision == "BLOCK" or digest is None:
        return ApprovalStatus.LOCKED
    if newest is None:
        return ApprovalStatus.PENDING
    if newest.digest != digest:
        return ApprovalStatus.INVALIDATED if newest.verdict is Verdict.APPROVED else ApprovalStatus.PENDING
    return ApprovalStatus.APPROVED if newest.verdict is Verdict.APPROVED else ApprovalStatus.REJECTED
