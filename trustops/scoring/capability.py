"""Gates of the capability dimensions: what skills may cost, and whether their figures are there (scoring.md, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from trustops.domain.errors import RuleBroken

BASELINE, NEGATIVE, STABLE = Fraction(70, 100), Fraction(10, 100), Fraction(80, 100)
QUANTITY = (Fraction(1, 2), Fraction(3, 2))
Score = Decimal | Fraction | int
"""A case's score, 0 to 1, exact: thresholds are compared."""


class SkillImpact(NamedTuple):
    """Group A without skills against group B with them, case by case."""

    baseline_score: Fraction
    skill_impact_delta: Fraction
    skill_negative_rate: Fraction

    @property
    def failed(self) -> tuple[str, ...]:
        """The gates that do not hold, by name."""
        held = {
            "baseline_score": self.baseline_score >= BASELINE,
            "skill_impact_delta": self.skill_impact_delta >= 0,
            "skill_negative_rate": self.skill_negative_rate <= NEGATIVE,
        }
        return tuple(name for name, ok in held.items() if not ok)


def skill_impact(a: Sequence[Score], b: Sequence[Score]) -> SkillImpact:
    """Mean of A, mean of the differences, and the share of cases that skills made worse. Raises RuleBroken (pairs)."""
    if len(a) != len(b) or not a:
        raise RuleBroken(f"{len(a)} cases without skills and {len(b)} with them do not pair", rule="pairs")
    pairs = [(Fraction(before), Fraction(after)) for before, after in zip(a, b, strict=True)]
    size = len(pairs)
    return SkillImpact(
        sum((before for before, _ in pairs), Fraction(0)) / size,
        sum((after - before for before, after in pairs), Fraction(0)) / size,
        Fraction(sum(after < before for before, after in pairs), size),
    )


def image_quantity_ratio(images: int, wanted: int) -> tuple[Fraction, bool]:
    """Figures shown for things that ask for one, and whether that is within a half and one and a half."""
    if wanted < 1 or images < 0:
        raise RuleBroken(f"{images} figures for {wanted} things are no ratio", rule="range")
    ratio = Fraction(images, wanted)
    return ratio, QUANTITY[0] <= ratio <= QUANTITY[1]


def image_stability(shown: Sequence[bool]) -> tuple[Fraction, bool]:
    """The share of runs that showed a figure where one belongs, and whether it is four of five."""
    if not shown:
        raise RuleBroken("no run was made", rule="range")
    share = Fraction(sum(shown), len(shown))
    return share, share >= STABLE


def step_efficiency_ratio(actual: int, optimal: int) -> Fraction:
    """Steps taken for each step of the best path; 1 is the best."""
    if optimal < 1 or actual < 0:
        raise RuleBroken(f"{actual} steps of {optimal} are no ratio", rule="range")
    return Fraction(actual, optimal)
