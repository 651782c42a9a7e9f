"""Harm: a screen says that something is done, approved or true, and it is not. Tables written from the vocabulary."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from trustops.domain.approval import ApprovalStatus
from trustops.domain.trust_review import QuestionState, QuestionStatus, TrustReviewStatus, question_status, trust_review_status

A = ApprovalStatus
DONE = {"ever_run": True, "decided": True, "blocked": False}
QUESTIONS = [
    pytest.param({}, "PENDING", id="never run"),
    pytest.param({"ever_run": True}, "FAILED", id="the run ended without a decision"),
    pytest.param({"ever_run": True, "running": True}, "RUNNING", id="in work for the first time"),
    pytest.param({**DONE, "running": True}, "RUNNING", id="decided, and in work again"),
    pytest.param({**DONE, "running": True, "approval": A.APPROVED, "current_exported": True}, "RUNNING", id="exported, and in work again"),
    pytest.param({**DONE, "blocked": True}, "BLOCKED", id="decided BLOCK"),
    pytest.param({**DONE, "approval": A.PENDING}, "AWAITING_APPROVAL", id="waits for a person"),
    pytest.param({**DONE, "approval": A.REJECTED}, "BLOCKED", id="rejected"),
    pytest.param({**DONE, "approval": A.APPROVED}, "APPROVED", id="approved"),
    pytest.param({**DONE, "approval": A.APPROVED, "current_exported": True}, "EXPORTED", id="left"),
    pytest.param({**DONE, "approval": A.APPROVED, "no_longer_true": True}, "STALE", id="approved, and no longer true"),
    pytest.param({**DONE, "approval": A.APPROVED, "current_exported": True, "no_longer_true": True}, "STALE", id="left, no longer true"),
    pytest.param({**DONE, "approval": A.INVALIDATED}, "STALE", id="approved, and edited since"),
    pytest.param({**DONE, "approval": A.INVALIDATED, "current_exported": True}, "STALE", id="left, and its approval went stale"),
    pytest.param({**DONE, "approval": A.PENDING, "no_longer_true": True}, "AWAITING_APPROVAL", id="never approved, so not stale"),
    pytest.param({**DONE, "blocked": True, "no_longer_true": True}, "BLOCKED", id="blocked and no longer true was never approved"),
    pytest.param({**DONE, "blocked": True, "approval": A.LOCKED, "current_exported": True}, "EXPORTED", id="left before it was blocked"),
]


@pytest.mark.parametrize(("facts", "expected"), QUESTIONS)
def test_where_a_question_stands(facts: dict[str, Any], expected: str) -> None:
    assert question_status(QuestionState(**facts)).value == expected


def test_no_state_shows_as_cleared_what_is_blocked_stale_or_undecided() -> None:
    for ever, running, decided, blocked, exported, untrue in product((False, True), repeat=6):
        for approval in A:
            state = QuestionState(
                ever_run=ever,
                running=running,
                decided=decided,
                blocked=blocked,
                approval=approval,
                current_exported=exported,
                no_longer_true=untrue,
            )
            status = question_status(state)
            if status is QuestionStatus.APPROVED:
                assert decided
                assert not blocked
                assert not untrue
                assert not running
                assert approval is A.APPROVED
            if status is QuestionStatus.EXPORTED:
                assert decided
                assert exported
                assert not untrue
                assert not running
            if status is QuestionStatus.AWAITING_APPROVAL:
                assert decided
                assert not blocked
                assert not running
                assert approval in (A.PENDING, A.LOCKED)


REVIEWS = [
    pytest.param([], False, "CREATED", id="no question yet"),
    pytest.param(["PENDING", "PENDING"], False, "CREATED", id="nothing run"),
    pytest.param(["RUNNING", "PENDING"], False, "RUNNING", id="one in work"),
    pytest.param(["RUNNING", "EXPORTED"], False, "RUNNING", id="one in work, one left"),
    pytest.param(["FAILED", "FAILED"], False, "FAILED", id="no question decided"),
    pytest.param(["FAILED", "PENDING"], False, "FAILED", id="one failed, one not run"),
    pytest.param(["EXPORTED", "EXPORTED"], False, "EXPORTED", id="all left"),
    pytest.param(["EXPORTED", "BLOCKED"], False, "PARTLY_EXPORTED", id="one left, one blocked"),
    pytest.param(["EXPORTED", "APPROVED"], False, "PARTLY_EXPORTED", id="one left, one approved"),
    pytest.param(["EXPORTED", "STALE"], False, "PARTLY_EXPORTED", id="one left, one stale"),
    pytest.param(["APPROVED", "APPROVED"], False, "APPROVED", id="all approved"),
    pytest.param(["APPROVED", "AWAITING_APPROVAL"], False, "AWAITING_APPROVAL", id="one approved, one waits"),
    pytest.param(["AWAITING_APPROVAL"], False, "AWAITING_APPROVAL", id="all wait"),
    pytest.param(["AWAITING_APPROVAL", "BLOCKED"], False, "BLOCKED", id="one waits, one blocked"),
    pytest.param(["APPROVED", "BLOCKED"], False, "BLOCKED", id="one approved, one blocked"),
    pytest.param(["APPROVED", "STALE"], False, "BLOCKED", id="one approved, one stale"),
    pytest.param(["APPROVED", "FAILED"], False, "BLOCKED", id="one approved, one without a decision"),
    pytest.param(["APPROVED", "PENDING"], False, "BLOCKED", id="one approved, one not run"),
    pytest.param(["BLOCKED"], False, "BLOCKED", id="all blocked"),
    pytest.param(["EXPORTED"], True, "CANCELLED", id="cancelled, whatever else"),
    pytest.param(["RUNNING"], True, "CANCELLED", id="cancelled in work"),
]


@pytest.mark.parametrize(("questions", "cancelled", "expected"), REVIEWS)
def test_where_a_review_stands(questions: list[str], cancelled: bool, expected: str) -> None:
    found = [QuestionStatus(name) for name in questions]
    assert trust_review_status(found, cancelled=cancelled).value == expected
    assert trust_review_status(reversed(found), cancelled=cancelled).value == expected


def test_all_is_said_only_of_all() -> None:
    for first, second in product(QuestionStatus, repeat=2):
        status = trust_review_status([first, second])
        if status is TrustReviewStatus.APPROVED:
            assert {first, second} == {QuestionStatus.APPROVED}
        if status is TrustReviewStatus.EXPORTED:
            assert {first, second} == {QuestionStatus.EXPORTED}
