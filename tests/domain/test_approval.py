"""Harm: an approval counts for something it was not given for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.domain.approval import MAY_APPROVE, MAY_EDIT, Approval, ApprovalStatus, Identity, Role, Validity, Verdict, approval_status

NOW, OLD = "digest-now", "digest-before"
AT = datetime(2031, 6, 15, tzinfo=UTC)
DAY = timedelta(days=1)


def given_by(verdict: Verdict, digest: str) -> Approval:
    return Approval(
        question="L-1",
        version=1,
        digest=digest,
        verdict=verdict,
        by="Ana",
        role=Role.APPROVER,
        identity=Identity.ASSERTED,
        at=AT,
        execution_mode="TEST",
        expires_at=AT + 90 * DAY if verdict is Verdict.APPROVED else None,
    )


YES, NO = given_by(Verdict.APPROVED, NOW), given_by(Verdict.REJECTED, NOW)
YES_BEFORE, NO_BEFORE = given_by(Verdict.APPROVED, OLD), given_by(Verdict.REJECTED, OLD)
TABLE = [
    pytest.param(None, NOW, None, "LOCKED", id="no decision"),
    pytest.param(None, NOW, YES, "LOCKED", id="no decision, though somebody approved"),
    pytest.param("BLOCK", NOW, None, "LOCKED", id="blocked"),
    pytest.param("BLOCK", NOW, YES, "LOCKED", id="blocked, though it was approved"),
    pytest.param("BLOCK", NOW, NO, "LOCKED", id="blocked and rejected"),
    pytest.param("PASS", None, None, "LOCKED", id="no answer version"),
    pytest.param("PASS", None, YES, "LOCKED", id="no answer version, though somebody approved one"),
    pytest.param("PASS", NOW, None, "PENDING", id="green and waiting"),
    pytest.param("APPROVAL_REQUIRED", NOW, None, "PENDING", id="waiting"),
    pytest.param("PASS", NOW, YES, "APPROVED", id="approved as it is"),
    pytest.param("APPROVAL_REQUIRED", NOW, YES, "APPROVED", id="approved one by one"),
    pytest.param("PASS", NOW, NO, "REJECTED", id="rejected as it is"),
    pytest.param("PASS", NOW, YES_BEFORE, "INVALIDATED", id="approved as it was"),
    pytest.param("PASS", NOW, NO_BEFORE, "PENDING", id="rejected as it was, and changed since"),
]


@pytest.mark.parametrize(("decision", "digest", "newest", "expected"), TABLE)
def test_the_status_of_an_approval(decision: str | None, digest: str | None, newest: Approval | None, expected: str) -> None:
    assert approval_status(decision=decision, digest=digest, newest=newest, now=AT).value == expected


@given(
    st.sampled_from([None, "PASS", "APPROVAL_REQUIRED", "BLOCK"]),
    st.one_of(st.none(), st.text()),
    st.one_of(st.none(), st.builds(given_by, st.sampled_from(list(Verdict)), st.text())),
)
def test_approved_needs_an_approval_of_exactly_this_digest(decision: str | None, digest: str | None, newest: Approval | None) -> None:
    status = approval_status(decision=decision, digest=digest, newest=newest, now=AT)
    exact = newest is not None and newest.verdict is Verdict.APPROVED and newest.digest == digest
    assert (status is ApprovalStatus.APPROVED) is (exact and decision in ("PASS", "APPROVAL_REQUIRED"))


@pytest.mark.parametrize(
    ("after", "validity", "status"),
    [
        (timedelta(), "IN_FORCE", "APPROVED"),
        (90 * DAY - timedelta(seconds=1), "IN_FORCE", "APPROVED"),
        (90 * DAY, "EXPIRED", "PENDING"),
        (900 * DAY, "EXPIRED", "PENDING"),
        (timedelta(minutes=-1), "IN_FORCE", "APPROVED"),
        (timedelta(minutes=-3), "NOT_YET", "PENDING"),
    ],
    ids=["given", "last second", "over", "long over", "clocks differ a little", "the clock went back"],
)
def test_an_approval_counts_for_its_time_only(after: timedelta, validity: str, status: str) -> None:
    assert YES.validity(AT + after) is Validity(validity)
    assert approval_status(decision="PASS", digest=NOW, newest=YES, now=AT + after) is ApprovalStatus(status)


def test_who_may_do_what() -> None:
    assert {role for role in Role if role in MAY_APPROVE} == {Role.APPROVER, Role.ADMIN}
    assert {role for role in Role if role in MAY_EDIT} == {Role.ANALYST, Role.APPROVER, Role.ADMIN}
