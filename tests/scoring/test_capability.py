"""Harm: a skill that makes answers worse passes (scoring.md, sections 4 and 6)."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from trustops.domain.errors import RuleBroken
from trustops.scoring import capability

PAIRED = json.loads((Path(__file__).parents[1] / "data" / "vectors" / "stats_vectors.json").read_text("utf-8"))["paired"]


def exact(values: list[float]) -> list[Decimal]:
    return [Decimal(str(value)) for value in values]


def test_row_29_skills_that_help_on_the_whole_and_harm_too_often() -> None:
    made = capability.skill_impact(exact(PAIRED["A"]), exact(PAIRED["B"]))
    assert made.skill_impact_delta == Fraction("0.028")
    assert made.skill_negative_rate == Fraction("0.2")
    assert made.baseline_score == Fraction("0.725")
    assert made.failed == ("skill_negative_rate",)


def test_skills_that_do_nothing_pass_and_a_weak_baseline_does_not() -> None:
    good = exact([0.7, 0.7])
    assert capability.skill_impact(good, good).failed == ()
    weak = exact([0.7, 0.69])
    assert capability.skill_impact(weak, weak).failed == ("baseline_score",)
    assert capability.skill_impact(good, exact([0.7, 0.69])).failed == ("skill_impact_delta", "skill_negative_rate")


def test_row_30_figures() -> None:
    assert capability.image_quantity_ratio(3, 4) == (Fraction(3, 4), True)
    assert capability.image_quantity_ratio(1, 3)[1] is False
    assert capability.image_quantity_ratio(5, 3)[1] is False
    assert capability.image_stability([True, True, False, True, True]) == (Fraction(4, 5), True)
    assert capability.image_stability([True, True, False, False, True])[1] is False


def test_row_31_steps() -> None:
    assert capability.step_efficiency_ratio(6, 4) == Fraction(3, 2)


def test_what_is_no_measurement_is_refused() -> None:
    for wrong in (
        lambda: capability.skill_impact([], []),
        lambda: capability.skill_impact([Decimal(1)], []),
        lambda: capability.image_quantity_ratio(1, 0),
        lambda: capability.image_stability([]),
        lambda: capability.step_efficiency_ratio(1, 0),
    ):
        with pytest.raises(RuleBroken):
            wrong()
