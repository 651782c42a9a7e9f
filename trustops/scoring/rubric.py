"""The ten dimensions of an answer, and how two ways of answering are compared (scoring.md, section 3).

A judge gives dimensions from 1 (poor) to 4 (exceeds); the overall and turn efficiency are computed here, whatever a judge says of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from trustops.domain.errors import RuleBroken


class Weight(StrEnum):
    """How much a dimension counts."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"


DIMENSIONS = {
    "accuracy": Weight.CRITICAL,
    "helpfulness": Weight.HIGH,
    "source_usage": Weight.HIGH,
    "personalization": Weight.HIGH,
    "clarity": Weight.MEDIUM,
    "conciseness": Weight.MEDIUM,
    "tone": Weight.MEDIUM,
    "multi_part_handling": Weight.MEDIUM,
    "multilingual_support": Weight.MEDIUM,
    "turn_efficiency": Weight.MEDIUM,
}
WEIGHTS = {Weight.CRITICAL: 3, Weight.HIGH: 2, Weight.MEDIUM: 1}
UNWEIGHTED = dict.fromkeys(Weight, 1)
LOWEST, HIGHEST = 1, 4
CLOSE = 1
"""A smaller difference of quality is judged again."""
MOST_JUDGED = 3


class Winner(StrEnum):
    """Who did better. NEITHER reached the goal; INCONCLUSIVE are three judges of three minds."""

    AUGMENTED = "augmented"
    BASELINE = "baseline"
    TIE = "tie"
    NEITHER = "NEITHER"
    INCONCLUSIVE = "INCONCLUSIVE"


def overall(
    scores: Mapping[str, int | None], *, weights: Mapping[Weight, int] = WEIGHTS, fabricated: bool = False
) -> tuple[Decimal, Fraction]:
    """The overall, rounded half up to a half, and the exact mean before it. A dimension that does not apply is None or absent.

    Anything fabricated (a source, URL, number or key fact) makes it 1.0, whatever else. Raises RuleBroken: dimension, score_range, nothing.
    """
    given = {name: value for name, value in scores.items() if value is not None}
    if unknown := sorted(given.keys() - DIMENSIONS.keys()):
        raise RuleBroken(f"there is no dimension {unknown[0]!r}", rule="dimension", remedy=f"They are {', '.join(DIMENSIONS)}.")
    if bad := [name for name, value in given.items() if isinstance(value, bool) or not LOWEST <= value <= HIGHEST]:
        raise RuleBroken(f"{bad[0]} is not from {LOWEST} to {HIGHEST}", rule="score_range")
    if not given:
        raise RuleBroken("no dimension was judged", rule="nothing", remedy="A missing score is no score.")
    total = sum(weights[DIMENSIONS[name]] for name in given)
    mean = Fraction(sum(value * weights[DIMENSIONS[name]] for name, value in given.items()), total)
    return (Decimal("1.0") if fabricated else to_half(mean)), mean


def to_half(value: Fraction | Decimal | float) -> Decimal:
    """Half up to the nearest 0.5."""
    doubled = Fraction(value) * 2
    steps = (Decimal(doubled.numerator) / doubled.denominator).quantize(Decimal(1), ROUND_HALF_UP)
    return (steps / 2).quantize(Decimal("0.1"))


def turn_efficiency(baseline_turns: int, augmented_turns: int) -> int:
    """Turns saved as a score: one more is 1, as many 2, one fewer 3, two or more fewer 4."""
    return min(HIGHEST, max(LOWEST, baseline_turns - augmented_turns + 2))


def burden_winner(*, augmented_reached: bool, baseline_reached: bool, augmented_turns: int, baseline_turns: int) -> Winner:
    """Who put less on the person. Fewer turns of failure are no win."""
    if augmented_reached != baseline_reached:
        return Winner.AUGMENTED if augmented_reached else Winner.BASELINE
    if not augmented_reached:
        return Winner.NEITHER
    if augmented_turns == baseline_turns:
        return Winner.TIE
    return Winner.AUGMENTED if augmented_turns < baseline_turns else Winner.BASELINE


def turn_reduction_pct(baseline_turns: int, augmented_turns: int) -> Decimal | None:
    """Turns saved in percent of the baseline's, one decimal, half to even as Python rounds; None for a baseline without turns."""
    if baseline_turns < 1:
        return None
    share = Fraction((baseline_turns - augmented_turns) * 100, baseline_turns)
    return Decimal(str(round(float(share), 1)))


class Quality(NamedTuple):
    """Mean of the augmented scores less that of the baseline, and whether it is so small that another judge is asked."""

    delta: Fraction
    judge_again: bool

    @property
    def winner(self) -> Winner:
        if not self.delta:
            return Winner.TIE
        return Winner.AUGMENTED if self.delta > 0 else Winner.BASELINE


def quality_delta(augmented: Iterable[int | None], baseline: Iterable[int | None]) -> Quality:
    """Each side's mean over the dimensions that apply to it. Raises RuleBroken (nothing) where one has none."""
    delta = _mean(augmented) - _mean(baseline)
    return Quality(delta, abs(delta) < CLOSE)


def _mean(values: Iterable[int | None]) -> Fraction:
    given = [value for value in values if value is not None]
    if not given:
        raise RuleBroken("no dimension was judged", rule="nothing", remedy="A missing score is no score.")
    return Fraction(sum(given), len(given))


class Verdict(NamedTuple):
    """Who won by how many of how many votes; `settled` says that no further judge is needed."""

    winner: Winner
    votes: int
    of: int
    settled: bool


def majority(votes: Sequence[Winner | None]) -> Verdict:
    """The majority of up to three votes; None is a judge that failed, which is a missing score and no vote. Two that agree settle it."""
    cast = [vote for vote in votes if vote is not None]
    counted = Counter(cast).most_common(1)
    winner, most = counted[0] if counted else (Winner.INCONCLUSIVE, 0)
    if most >= 2:
        return Verdict(winner, most, len(cast), True)
    done = len(votes) >= MOST_JUDGED
    return Verdict(Winner.INCONCLUSIVE, most, len(cast), done)


def jaccard(first: Iterable[str], second: Iterable[str]) -> Fraction:
    """Words that two names share, of all they have; 0 for two without words. From one half on one is taken to be the other."""
    left, right = set(first), set(second)
    return Fraction(len(left & right), len(left | right)) if left | right else Fraction(0)
