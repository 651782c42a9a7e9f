"""Harm: a fabricated answer is rated well, or a comparison names a winner that did not win (scoring.md, sections 3 and 6)."""

from __future__ import annotations

from decimal import Decimal as D
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.domain.errors import RuleBroken
from trustops.scoring import rubric
from trustops.scoring.rubric import DIMENSIONS, UNWEIGHTED, Winner, burden_winner, majority, overall, quality_delta, to_half

ROW_21 = {
    "accuracy": 4, "helpfulness": 3, "source_usage": None, "clarity": 3, "conciseness": 2, "tone": 3,
    "multi_part_handling": None, "multilingual_support": None, "personalization": 4, "turn_efficiency": 3,
}  # fmt: skip
A, B, TIE = Winner.AUGMENTED, Winner.BASELINE, Winner.TIE


def test_row_21_weights() -> None:
    score, mean = overall(ROW_21)
    assert (score, round(float(mean), 3)) == (D("3.5"), 3.364)
    score, mean = overall(ROW_21, weights=UNWEIGHTED)
    assert (score, round(float(mean), 3)) == (D("3.0"), 3.143)


def test_row_22_anything_fabricated_is_poor() -> None:
    assert overall(dict.fromkeys(DIMENSIONS, 4), fabricated=True)[0] == D("1.0")


@pytest.mark.parametrize(("value", "half"), [("3.25", "3.5"), ("3.75", "4.0"), ("2.25", "2.5"), ("3.24", "3.0")])
def test_row_23_halves(value: str, half: str) -> None:
    assert to_half(D(value)) == D(half)


@pytest.mark.parametrize(("saved", "score"), [(-3, 1), (-1, 1), (0, 2), (1, 3), (2, 4), (5, 4)])
def test_row_24_turns_saved(saved: int, score: int) -> None:
    assert rubric.turn_efficiency(6, 6 - saved) == score


@pytest.mark.parametrize(
    ("augmented", "baseline", "turns", "winner"),
    [
        (True, False, (6, 2), A),
        (False, True, (1, 6), B),
        (True, True, (2, 3), A),
        (False, False, (4, 6), Winner.NEITHER),
        (True, True, (3, 3), TIE),
    ],
)
def test_row_25_fewer_turns_of_failure_are_no_win(augmented: bool, baseline: bool, turns: tuple[int, int], winner: Winner) -> None:
    found = burden_winner(augmented_reached=augmented, baseline_reached=baseline, augmented_turns=turns[0], baseline_turns=turns[1])
    assert found is winner


def test_row_26_a_close_call_is_judged_again() -> None:
    clear = quality_delta([4, 4, 4], [4, 3, 2])
    assert (clear.delta, clear.judge_again, clear.winner) == (1, False, A)
    close = quality_delta([4, 4, 3], [3, 3, 3])
    assert (round(float(close.delta), 2), close.judge_again) == (0.67, True)
    assert quality_delta([3, None], [3]).winner is TIE


@pytest.mark.parametrize(
    ("votes", "winner", "count", "settled"),
    [
        ([A, A], A, (2, 2), True),
        ([A, B, B], B, (2, 3), True),
        ([A, B, TIE], Winner.INCONCLUSIVE, (1, 3), True),
        ([A], Winner.INCONCLUSIVE, (1, 1), False),
        ([A, B], Winner.INCONCLUSIVE, (1, 2), False),
        ([A, None, A], A, (2, 2), True),
        ([None, None, None], Winner.INCONCLUSIVE, (0, 0), True),
        ([], Winner.INCONCLUSIVE, (0, 0), False),
    ],
)
def test_row_27_a_judge_that_failed_casts_no_vote(votes: Any, winner: Winner, count: tuple[int, int], settled: bool) -> None:
    assert majority(votes) == (winner, *count, settled)


def test_row_28_turns_saved_in_percent() -> None:
    assert rubric.turn_reduction_pct(6, 4) == D("33.3")
    assert rubric.turn_reduction_pct(3, 4) == D("-33.3")
    assert rubric.turn_reduction_pct(0, 4) is None


@pytest.mark.parametrize(
    ("scores", "rule"),
    [
        ({"accuracy": 5}, "score_range"),
        ({"accuracy": 0}, "score_range"),
        ({"charm": 3}, "dimension"),
        ({}, "nothing"),
        ({"tone": None}, "nothing"),
        ({"accuracy": True}, "score_range"),
    ],
)
def test_what_is_no_judgement_is_refused(scores: Any, rule: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        overall(scores)
    assert refused.value.rule == rule


@given(st.dictionaries(st.sampled_from(sorted(DIMENSIONS)), st.integers(1, 4), min_size=1))
def test_the_overall_lies_between_the_worst_and_the_best(scores: dict[str, int]) -> None:
    score, mean = overall(scores)
    assert min(scores.values()) <= mean <= max(scores.values())
    assert abs(Fraction(score) - mean) <= Fraction(1, 4)


def test_names_that_share_half_their_words() -> None:
    assert rubric.jaccard(["search", "the", "evidence"], ["search", "evidence"]) >= Fraction(1, 2)
    assert rubric.jaccard([], []) == 0
