"""Approvals: of one answer version, by one person, for everything that the version's digest covers (invariant 1)."""

from __future__ import annotations

from datetime import datetime, timedelta
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
MAY_EXPORT = MAY_EDIT
"""What leaves was approved before; sending it is an analyst's work."""


class Identity(StrEnum):
    """`--by NAME` is asserted; a sign-in is authenticated. Both are shown in receipt and bundle."""

    ASSERTED = "asserted"
    AUTHENTICATED = "authenticated"


class Verdict(StrEnum):
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


class Validity(StrEnum):
    """Whether an approval counts at an instant. NOT_YET: it is of the future, so one of two clocks is wrong."""

    IN_FORCE = "IN_FORCE"
    EXPIRED = "EXPIRED"
    NOT_YET = "NOT_YET"


CLOCK_TOLERANCE = timedelta(minutes=2)
"""By so much may two clocks differ before a record counts as one of the future."""


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
    expires_at: datetime | None = None
    """When it ceases to count; None in approvals from before there was an end."""

    def validity(self, now: datetime) -> Validity:
        """Whether it counts at an instant."""
        if self.at > now + CLOCK_TOLERANCE:
            return Validity.NOT_YET
        return Validity.EXPIRED if self.expires_at is not None and now >= self.expires_at else Validity.IN_FORCE


class Confirmation(Noun):
    """What code found when it repeated searches, compare and verify for an approved version, without a model (invariant 1).

    `basis` is the digest of the facts it was repeated on; `differences` says in words what is no longer as it was approved.
    """

    question: str
    digest: str
    basis: str
    stands: bool
    differences: tuple[str, ...] = ()
    at: datetime


def approval_status(*, decision: str | None, digest: str | None, newest: Approval | None, now: datetime) -> ApprovalStatus:
    """Derived, never stored: blocked is LOCKED, another digest than the approved one is INVALIDATED, one out of time PENDING again.

    `digest` is that of the current answer version as computed now, not as remembered.
    """
    if decision is None or decision == "BLOCK" or digest is None:
        return ApprovalStatus.LOCKED
    if newest is None:
        return ApprovalStatus.PENDING
    if newest.digest != digest:
        return ApprovalStatus.INVALIDATED if newest.verdict is Verdict.APPROVED else ApprovalStatus.PENDING
    if newest.verdict is Verdict.REJECTED:
        return ApprovalStatus.REJECTED
    return ApprovalStatus.APPROVED if newest.validity(now) is Validity.IN_FORCE else ApprovalStatus.PENDING
