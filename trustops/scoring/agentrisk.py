"""AgentRisk "5+1": how far an agent, a publisher of skills or a sub-processor can be trusted (scoring.md, section 1).

Five dimensions make the trust score; presence is told beside it and never mixed in. All arithmetic is decimal: with doubles 0.7 would be
vetoed. Two oddities are the published method's and stay: one signal of little worth scores below no signal at all (`partial_floor` lifts
that), and a freshness discount never triggers the veto.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from trustops.domain.base import Noun
from trustops.domain.errors import RuleBroken

MAX_STALE_DAYS = 90
DISCOUNT_RATE = Decimal("0.3")
VETO_BELOW, VETO_CAP = Decimal("2.0"), Decimal("3.0")
BASE_SHARE, BONUS_SHARE = Decimal("0.6"), Decimal("0.4")
MOVED_DIMENSION, MOVED_TRUST = Decimal("0.5"), Decimal("0.3")
LOWEST, HIGHEST = Decimal(0), Decimal(5)
CENT = Decimal("0.01")


class Dimension(StrEnum):
    """Three base dimensions, two of the bonus, and presence, which is availability."""

    AUTHENTICITY = "authenticity"
    CONSISTENCY = "consistency"
    TRANSPARENCY = "transparency"
    COMMITMENT = "commitment"
    CHOICE = "choice"
    PRESENCE = "presence"


BASE = (Dimension.AUTHENTICITY, Dimension.CONSISTENCY, Dimension.TRANSPARENCY)
BONUS = (Dimension.COMMITMENT, Dimension.CHOICE)
SHELF_DAYS = {
    Dimension.AUTHENTICITY: 30,
    Dimension.CONSISTENCY: 30,
    Dimension.TRANSPARENCY: 90,
    Dimension.COMMITMENT: 60,
    Dimension.CHOICE: 90,
    Dimension.PRESENCE: 7,
}
DEFAULTS = {
    Dimension.AUTHENTICITY: Decimal("2.5"),
    Dimension.CONSISTENCY: Decimal("2.5"),
    Dimension.TRANSPARENCY: Decimal("2.0"),
    Dimension.COMMITMENT: Decimal("1.5"),
    Dimension.CHOICE: Decimal("2.0"),
    Dimension.PRESENCE: Decimal("1.5"),
}
"""Neutral, not a penalty: nobody is presumed to be untrustworthy."""


class Grade(StrEnum):
    """A from 4, B above 3, C from 2, D below."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"


class Grades(Noun):
    """The lowest trust of A and of C, and what B lies above."""

    a: Decimal = Decimal("4.0")
    above_c: Decimal = Decimal("3.0")
    c: Decimal = Decimal("2.0")

    def of(self, trust: Decimal) -> Grade:
        """The grade of a trust score."""
        if trust >= self.a:
            return Grade.A
        if trust > self.above_c:
            return Grade.B
        return Grade.C if trust >= self.c else Grade.D


class Signals(Noun):
    """What is known of a subject. Absent is absent: it is neither 0 nor 0.90.

    `discount_factor`: how much of what it says is performance, 1 wholly real, 0.5 fabricated. `dim_avg`: mean of earlier scores, 0 to 5.
    `avg_change`: mean change between consecutive scores of a dimension. `bio`: what it says of itself. `source_sites`: where it can be
    found, `github` among them or not. `platform`: empty or "unknown" discloses nothing. `active_days`: 0 is known to have never been
    active. `age_days`: of the data, by dimension or for all of them under "*"; a dimension without an age is fresh.
    """

    discount_factor: Decimal | None = None
    dim_avg: Decimal | None = None
    avg_change: Decimal | None = None
    bio: str = ""
    category: str = ""
    source_sites: tuple[str, ...] = ()
    performance_assessment: bool = False
    platform: str = ""
    active_days: int | None = None
    age_days: dict[str, int] = {}


class DimensionScore(Noun):
    """One dimension: as measured, its freshness factor, and as it counts (discounted, two decimals)."""

    raw: Decimal
    factor: Decimal
    score: Decimal
    is_estimated: bool


class Trust(Noun):
    """What comes out. `vetoed_by` names base dimensions below 2.0 before any discount."""

    trust_score: Decimal
    availability_score: Decimal
    base_avg: Decimal
    bonus_avg: Decimal
    grade: Grade
    vetoed_by: tuple[Dimension, ...]
    dimensions: dict[Dimension, DimensionScore]

    @property
    def is_estimated(self) -> bool:
        """Whether nothing but defaults stands behind the score."""
        return all(score.is_estimated for name, score in self.dimensions.items() if name is not Dimension.PRESENCE)


class Raw(NamedTuple):
    """A dimension before freshness, and whether it is the default."""

    score: Decimal
    is_estimated: bool


def assess(signals: Signals, *, partial_floor: bool = False, grades: Grades | None = None) -> Trust:
    """Raw scores, veto on them, freshness, rounding of each dimension, averages, cap, rounding, in order. Raises RuleBroken (range)."""
    _checked(signals)
    raw = raw_scores(signals, partial_floor=partial_floor)
    vetoed = tuple(name for name in BASE if raw[name].score < VETO_BELOW)
    dimensions = {name: _aged(name, raw[name], _age(signals, name)) for name in Dimension}
    base = _mean([dimensions[name].score for name in BASE])
    bonus = _mean([dimensions[name].score for name in BONUS])
    trust = base * BASE_SHARE + bonus * BONUS_SHARE
    trust = rounded(min(VETO_CAP, trust) if vetoed else trust)
    return Trust(
        trust_score=trust,
        availability_score=dimensions[Dimension.PRESENCE].score,
        base_avg=base,
        bonus_avg=bonus,
        grade=(grades or Grades()).of(trust),
        vetoed_by=vetoed,
        dimensions=dimensions,
    )


def raw_scores(signals: Signals, *, partial_floor: bool = False) -> dict[Dimension, Raw]:
    """Each dimension by its published formula, or its default where nothing is known."""
    sites = {site.casefold() for site in signals.source_sites}
    assessed = "1.5" if signals.performance_assessment else None
    bio = signals.bio.strip()
    known = signals.platform.strip().casefold() not in ("", "unknown")
    additive = {
        Dimension.TRANSPARENCY: ("1.0" if bio else None, "0.5" if signals.category else None, "1.0" if sites else None, assessed,
                                 "1.0" if known else None),
        Dimension.COMMITMENT: ("2.0" if len(sites) >= 2 else None, assessed, "1.5" if len(bio) > 100 else None),
        Dimension.CHOICE: ("2.5" if "github" in sites else None, "1.0" if bio else None, "1.5" if len(sites) >= 3 else None),
    }  # fmt: skip
    return {
        Dimension.AUTHENTICITY: authenticity(signals.discount_factor, signals.dim_avg),
        Dimension.CONSISTENCY: consistency(signals.avg_change),
        **{name: _sum(name, parts, partial_floor) for name, parts in additive.items()},
        Dimension.PRESENCE: presence(signals.active_days),
    }


def mapped(discount_factor: Decimal) -> Decimal:
    """A discount factor as a score of 0 to 5."""
    return _clamp((discount_factor - Decimal("0.5")) * 10)


def authenticity(discount_factor: Decimal | None, dim_avg: Decimal | None) -> Raw:
    """Of the discount factor, of earlier scores, or three fifths and two fifths of both."""
    if discount_factor is None and dim_avg is None:
        return Raw(DEFAULTS[Dimension.AUTHENTICITY], True)
    if discount_factor is None:
        assert dim_avg is not None
        return Raw(dim_avg, False)
    if dim_avg is None:
        return Raw(mapped(discount_factor), False)
    return Raw(mapped(discount_factor) * Decimal("0.6") + dim_avg * Decimal("0.4"), False)


def consistency(avg_change: Decimal | None) -> Raw:
    """Five less five times the mean change."""
    if avg_change is None:
        return Raw(DEFAULTS[Dimension.CONSISTENCY], True)
    return Raw(_clamp(5 - avg_change * 5), False)


def presence(active_days: int | None) -> Raw:
    """One, and another for every thirty active days."""
    if active_days is None:
        return Raw(DEFAULTS[Dimension.PRESENCE], True)
    return Raw(min(HIGHEST, max(Decimal(1), 1 + Decimal(active_days) / 30)), False)


def mean_change(histories: Mapping[str, Sequence[Decimal]]) -> Decimal | None:
    """Mean over dimensions of the mean absolute change between consecutive scores; None where no dimension has two scores."""
    means = [_mean([abs(after - before) for before, after in pairwise(scores)]) for scores in histories.values() if len(scores) > 1]
    return _mean(means) if means else None


def freshness(dimension: Dimension, age_days: int) -> Decimal:
    """1 within the shelf life, 0.7 from 90 days on, in a line between."""
    shelf = SHELF_DAYS[dimension]
    if age_days <= shelf:
        return Decimal(1)
    if age_days >= MAX_STALE_DAYS:
        return 1 - DISCOUNT_RATE
    return 1 - DISCOUNT_RATE * (age_days - shelf) / (MAX_STALE_DAYS - shelf)


def worth_a_record(before: Trust | None, now: Trust) -> bool:
    """Whether a score has moved so far from the last record that it becomes one: half a point of a dimension, or 0.3 of trust."""
    if before is None:
        return True
    moved = (abs(now.dimensions[name].score - before.dimensions[name].score) for name in Dimension)
    return abs(now.trust_score - before.trust_score) >= MOVED_TRUST or any(change >= MOVED_DIMENSION for change in moved)


def rounded(value: Decimal) -> Decimal:
    """Half up to two decimals."""
    return value.quantize(CENT, ROUND_HALF_UP)


def _sum(name: Dimension, parts: Sequence[str | None], partial_floor: bool) -> Raw:
    found = [Decimal(part) for part in parts if part is not None]
    if not found:
        return Raw(DEFAULTS[name], True)
    total = sum(found, Decimal(0))
    return Raw(max(total, DEFAULTS[name]) if partial_floor else total, False)


def _aged(name: Dimension, raw: Raw, age_days: int) -> DimensionScore:
    factor = freshness(name, age_days)
    return DimensionScore(raw=raw.score, factor=factor, score=rounded(raw.score * factor), is_estimated=raw.is_estimated)


def _age(signals: Signals, name: Dimension) -> int:
    return signals.age_days.get(name.value, signals.age_days.get("*", 0))


def _clamp(value: Decimal) -> Decimal:
    return min(HIGHEST, max(LOWEST, value))


def _mean(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal(0)) / len(values)


def _checked(signals: Signals) -> None:
    """Numbers that no formula has a meaning for. A discount factor beyond 0 to 1 is clamped by the method itself."""
    lowest = {"dim_avg": signals.dim_avg, "avg_change": signals.avg_change, "active_days": signals.active_days}
    wrong = [name for name, value in lowest.items() if value is not None and not value >= 0]
    wrong += ["dim_avg"] if signals.dim_avg is not None and signals.dim_avg > HIGHEST else []
    wrong += [f"age_days of {name}" for name, age in signals.age_days.items() if age < 0]
    unknown = sorted(set(signals.age_days) - {"*", *(d.value for d in Dimension)})
    if wrong or unknown:
        said = f"{wrong[0]} is out of range" if wrong else f"age_days names no dimension {unknown[0]!r}"
        raise RuleBroken(said, rule="range", remedy="Scores are 0 to 5, days and ages are not negative.")
