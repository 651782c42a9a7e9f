"""Statuses of a question and of the whole review. Both derived, never stored (product.md, "Vocabulary")."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from trustops.domain.approval import ApprovalStatus
from trustops.domain.base import Noun


class QuestionStatus(StrEnum):
    FAILED = "FAILED"
    RUNNING = "RUNNING"
    PENDING = "PENDING"
    STALE = "STALE"
    EXPORTED = "EXPORTED"
    BLOCKED = "BLOCKED"
    APPROVED = "APPROVED"
    AWAITING_APPROVAL = "AWAITING_APPROVAL"


class TrustReviewStatus(StrEnum):
    CANCELLED = "CANCELLED"
    FAILED = "FAILED"
    RUNNING = "RUNNING"
    CREATED = "CREATED"
    EXPORTED = "EXPORTED"
    PARTLY_EXPORTED = "PARTLY_EXPORTED"
    APPROVED = "APPROVED"
    AWAITING_APPROVAL = "AWAITING_APPROVAL"
    BLOCKED = "BLOCKED"


class QuestionState(Noun):
    """The facts that a question's status is derived from."""

    ever_run: bool = False
    running: bool = False
    decided: bool = False
    blocked: bool = True
    approval: ApprovalStatus = ApprovalStatus.LOCKED
    current_exported: bool = False
    ever_exported: bool = False
    no_longer_true: bool = False
    """An approved or exported answer whose bound facts changed, or whose approval went stale."""


def question_status(state: QuestionState) -> QuestionStatus:
    """The first that holds, in the order of the vocabulary."""
    ended_without = state.ever_run and not state.running and not state.decided
    once_cleared = state.current_exported or state.ever_exported or state.approval in (ApprovalStatus.APPROVED, ApprovalStatus.INVALIDATED)
    stale = once_cleared and (state.no_longer_true or state.approval is ApprovalStatus.INVALIDATED)
    ladder = (
        (QuestionStatus.FAILED, ended_without),
        (QuestionStatus.RUNNING, state.running),
        (QuestionStatus.PENDING, not state.ever_run),
        (QuestionStatus.STALE, stale),
        (QuestionStatus.EXPORTED, state.current_exported),
        (QuestionStatus.BLOCKED, state.blocked or state.approval is ApprovalStatus.REJECTED),
        (QuestionStatus.APPROVED, state.approval is ApprovalStatus.APPROVED),
    )
    return next((status for status, holds in ladder if holds), QuestionStatus.AWAITING_APPROVAL)


def trust_review_status(questions: Iterable[QuestionStatus], *, cancelled: bool = False) -> TrustReviewStatus:
    """The whole questionnaire's status, from its questions' alone."""
    found = list(questions)
    kinds = set(found)
    undecided = {QuestionStatus.FAILED, QuestionStatus.PENDING}
    ladder = (
        (TrustReviewStatus.CANCELLED, cancelled),
        (TrustReviewStatus.RUNNING, QuestionStatus.RUNNING in kinds),
        (TrustReviewStatus.CREATED, kinds <= {QuestionStatus.PENDING}),
        (TrustReviewStatus.FAILED, kinds <= undecided),
        (TrustReviewStatus.EXPORTED, kinds == {QuestionStatus.EXPORTED}),
        (TrustReviewStatus.PARTLY_EXPORTED, QuestionStatus.EXPORTED in kinds),
        (TrustReviewStatus.APPROVED, kinds == {QuestionStatus.APPROVED}),
        (TrustReviewStatus.BLOCKED, bool(kinds & {QuestionStatus.BLOCKED, QuestionStatus.STALE, *undecided})),
    )
    return next((status for status, holds in ladder if holds), TrustReviewStatus.AWAITING_APPROVAL)
