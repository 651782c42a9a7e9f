"""Agreement, intervals and tests for small counts (scoring.md, section 5). Standard library only; every rate keeps its counts.

A figure that does not exist is None, never 0 or 1: agreement of raters who all said the same, an interval over nothing.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import product
from statistics import NormalDist, fmean
from typing import Literal, NamedTuple

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Both ends are within it."""

    low: float
    high: float


class Rate(NamedTuple):
    """So many of so many. `share` and `interval` (Wilson, 95 %) are None where there is nothing to count."""

    hits: int
    of: int

    @property
    def share(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> Interval | None:
        return wilson(self.hits, self.of) if self.of else None

    @property
    def upper_bound(self) -> float | None:
        """What no occurrence still allows, one-sided at 95 %; None unless there was none."""
        return zero_of(self.of) if self.of and not self.hits else None


# -- agreement -----------------------------------------------------------------------------------------------------------


def cohen_kappa(first: Sequence[float | str], second: Sequence[float | str], weights: Weights = "none") -> float | None:
    """Agreement of two raters beyond chance. None where both always gave one and the same label, or there is nothing to compare.

    With weights labels are numbers, or are taken in their sorted order. Raises ValueError where the raters judged differently many.
    """
    pairs = Counter(zip(first, second, strict=True))
    total = len(first)
    labels = sorted({*first, *second}, key=lambda label: (isinstance(label, str), label))
    if not total or len(labels) < 2:
        return None
    left, right = Counter(first), Counter(second)
    place = {label: at for at, label in enumerate(labels)}

    def distance(a: float | str, b: float | str) -> float:
        apart = abs(place[a] - place[b])
        return {"none": float(apart > 0), "linear": apart, "quadratic": apart * apart}[weights]

    seen = sum(count * distance(a, b) for (a, b), count in pairs.items()) / total
    expected = sum(left[a] * right[b] * distance(a, b) for a, b in product(labels, labels)) / total**2
    return 1 - seen / expected if expected else None


def krippendorff_alpha(units: Sequence[Sequence[float | None]], level: Level = "nominal") -> float | None:
    """Agreement of any number of raters with gaps. `units` holds, for each thing judged, the raters' values, None where one gave none.

    None where fewer than two values can be paired, or all values are the same.
    """
    paired = [[value for value in unit if value is not None] for unit in units]
    paired = [unit for unit in paired if len(unit) > 1]
    counts = Counter(value for unit in paired for value in unit)
    total = sum(counts.values())
    if total < 2 or len(counts) < 2:
        return None
    apart = _distances(counts, level)
    seen = sum(_disagreement(Counter(unit), apart) / (len(unit) - 1) for unit in paired)
    expected = _disagreement(counts, apart) / (total - 1)
    return 1 - seen / expected if expected else None


def _disagreement(counts: Counter[float], apart: Callable[[float, float], float]) -> float:
    values = list(counts)
    return sum(counts[a] * counts[b] * apart(a, b) for a, b in product(values, values) if a != b)


def _distances(counts: Counter[float], level: Level) -> Callable[[float, float], float]:
    ordered = sorted(counts)

    def ordinal(a: float, b: float) -> float:
        low, high = sorted((a, b))
        between = sum(counts[value] for value in ordered if low <= value <= high)
        return float((between - (counts[low] + counts[high]) / 2) ** 2)

    return {
        "nominal": lambda a, b: float(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b: (a - b) ** 2,
        "ratio": lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0,
    }[level]


# -- intervals -----------------------------------------------------------------------------------------------------------


def wilson(count: int, of: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a share. Raises ValueError where nothing was counted."""
    _counted(count, of)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = count / of, z * z / of
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    return Interval(max(0.0, middle - half) if count else 0.0, min(1.0, middle + half) if count < of else 1.0)


def clopper_pearson(count: int, of: int, confidence: float = CONFIDENCE) -> Interval:
    """The exact interval of a share: never narrower than it claims."""
    _counted(count, of)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _root(lambda p: _at_least(count, of, p) - tail)
    high = 1.0 if count == of else _root(lambda p: tail - _at_most(count, of, p))
    return Interval(low, high)


def zero_of(of: int, confidence: float = CONFIDENCE) -> float:
    """The share that no occurrence in so many still allows, one-sided: 0 of 12 allows 22.1 %."""
    _counted(0, of)
    return 1 - math.exp(math.log(1 - confidence) / of)


def _counted(count: int, of: int) -> None:
    if of < 1 or not 0 <= count <= of:
        raise ValueError(f"{count} of {of} is no share")


def _at_most(count: int, of: int, p: float) -> float:
    return math.fsum(math.comb(of, k) * p**k * (1 - p) ** (of - k) for k in range(count + 1))


def _at_least(count: int, of: int, p: float) -> float:
    return math.fsum(math.comb(of, k) * p**k * (1 - p) ** (of - k) for k in range(count, of + 1))


def _root(rising: Callable[[float], float]) -> float:
    """Where a function that rises from below to above 0 over 0 to 1 crosses it; halved until doubles can't be told apart."""
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


# -- comparisons ---------------------------------------------------------------------------------------------------------


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p of a paired comparison, from the cases that only one side got right. 1 where there are none."""
    discordant = only_first + only_second
    if not discordant:
        return 1.0
    tail = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1)) / float(2**discordant)
    return min(1.0, 2 * tail)


class Paired(NamedTuple):
    """Mean of the differences B - A, the share of cases that became worse, and the bootstrap interval of the mean."""

    delta: float
    negative_rate: float
    interval: Interval


def paired_bootstrap(
    a: Sequence[float], b: Sequence[float], *, draws: int = 10_000, seed: int = 1, confidence: float = CONFIDENCE
) -> Paired:
    """The difference of two paired series by resampling its cases (percentile interval); the same seed gives the same interval.

    Raises ValueError for series of different lengths or without cases.
    """
    differences = [after - before for before, after in zip(a, b, strict=True)]
    if not differences:
        raise ValueError("there is nothing to compare")
    chance, size = random.Random(seed), len(differences)
    means = sorted(fmean(chance.choices(differences, k=size)) for _ in range(draws))
    tail = (1 - confidence) / 2
    low, high = (means[min(draws - 1, round(share * (draws - 1)))] for share in (tail, 1 - tail))
    worse = sum(difference < 0 for difference in differences)
    return Paired(fmean(differences), worse / size, Interval(low, high))


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that at least one of k drawn runs passes, where c of n did."""
    _drawn(n, c, k)
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """The chance that all of k drawn runs pass, where c of n did."""
    _drawn(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def _drawn(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"{k} of {n} runs with {c} passed cannot be drawn")


def rogan_gladen(share: float, tpr: float, tnr: float) -> float | None:
    """A judge's share corrected for its own errors (true positive and true negative rate), within 0 to 1. None where it tells nothing."""
    told = tpr + tnr - 1
    return min(1.0, max(0.0, (share + tnr - 1) / told)) if told > 0 else None


def agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> Rate:
    """How often two raters said the same."""
    return Rate(sum(a == b for a, b in zip(first, second, strict=True)), len(first))
