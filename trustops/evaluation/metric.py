"""The registry of metrics: every figure of a report has a name, a unit and a definition here, and is NOT_MEASURED without a denominator.

Rooms that measure something register their metrics when they are imported (`METRICS.add`); a score for a name that nobody registered is
an error, so that no figure is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Literal

from trustops.domain.base import Noun
from trustops.domain.errors import RuleBroken, UnknownName
from trustops.evaluation.score import Authority, Score, settled
from trustops.scoring.statistics import wilson, zero_of

Sort = Literal["rate", "mean", "total", "spread", "curve", "delta"]
"""rate: so many of so many, with Wilson's interval, and the one-sided bound of none. mean: the sum of values by their count. total: a
sum. spread: median and 95th percentile. curve: a rate by place. delta: the mean of B - A over the cases that have both groups."""


class Metric(Noun):
    """A figure by its snake_case name. `counted` and `among` say numerator and denominator in words; `unit` is empty for shares."""

    name: str
    area: str
    sort: Sort = "rate"
    counted: str
    among: str = ""
    unit: str = ""
    better: Literal["high", "low", ""] = "high"


class Point(Noun):
    """One place of a curve, or one percentile of a spread."""

    at: str
    value: Decimal
    of: int


class Measured(Noun):
    """What a run says about a metric. `value` None is NOT_MEASURED. `authority` is the lowest among its scores; `missing` counts scores
    that could not be had. `low` and `high` are Wilson's interval, `bound` the one-sided 95 % bound where nothing occurred."""

    metric: str
    amount: Decimal = Decimal(0)
    of: int = 0
    value: Decimal | None = None
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    authority: Authority | None = None
    missing: int = 0
    points: tuple[Point, ...] = ()

    @property
    def state(self) -> str:
        """MEASURED, INCOMPLETE (scores are missing) or NOT_MEASURED."""
        return "NOT_MEASURED" if self.value is None else "INCOMPLETE" if self.missing else "MEASURED"


class Registry:
    """Metrics by name, in the order in which they were added."""

    def __init__(self) -> None:
        self._held: dict[str, Metric] = {}

    def add(self, *metrics: Metric) -> None:
        """Adds metrics; the same one twice is one, two of one name are an error. Raises RuleBroken."""
        for metric in metrics:
            if self._held.setdefault(metric.name, metric) != metric:
                raise RuleBroken(f"there are two metrics {metric.name!r}", rule="unique", remedy="Give one of them another name.")

    def get(self, name: str) -> Metric:
        """The metric of a name; raises UnknownName."""
        if name not in self._held:
            raise UnknownName(f"there is no metric {name!r}", remedy="`trustops eval list` names them all.")
        return self._held[name]

    def __iter__(self) -> Iterator[Metric]:
        return iter(self._held.values())

    def __len__(self) -> int:
        return len(self._held)


METRICS = Registry()


def measure(metric: Metric, scores: Iterable[Score], *, at_least: Authority = Authority.LLM_JUDGE) -> Measured:
    """The figure over all scores of that name whose authority reaches `at_least`; others are missing where nothing better is there."""
    mine = settled(score for score in scores if score.metric == metric.name)
    there = [score for score in mine if score.amount is not None and score.authority >= at_least]
    missing = len(mine) - len(there)
    of = sum(score.of for score in there)
    if not of:
        return Measured(metric=metric.name, missing=missing)
    lowest = min(score.authority for score in there)
    told = {"metric": metric.name, "of": of, "authority": lowest, "missing": missing}
    return Measured.model_validate(told | _figures(metric, there, of))


def measured(scores: Sequence[Score], registry: Registry = METRICS) -> tuple[Measured, ...]:
    """Every registered metric. Raises UnknownName for a score of a name that nobody registered."""
    by_name: dict[str, list[Score]] = {}
    for score in scores:
        by_name.setdefault(registry.get(score.metric).name, []).append(score)
    return tuple(measure(metric, by_name.get(metric.name, ())) for metric in registry)


def _figures(metric: Metric, scores: Sequence[Score], of: int) -> dict[str, object]:
    amount = _sum(scores)
    if metric.sort == "delta":
        return _delta(scores)
    if metric.sort == "spread":
        return _spread(scores, amount)
    if metric.sort == "total":
        return {"amount": amount, "value": amount}
    if metric.sort == "mean":
        return {"amount": amount, "value": amount / of}
    if not 0 <= amount <= of:
        raise RuleBroken(f"{metric.name}: {amount} of {of} is no share", rule="range")
    ends = _ends(int(amount), of) if amount == int(amount) else {}
    return {"amount": amount, "value": amount / of, "points": _curve(scores) if metric.sort == "curve" else ()} | ends


def _ends(hits: int, of: int) -> dict[str, object]:
    low, high = wilson(hits, of)
    return {"low": low, "high": high, "bound": zero_of(of) if not hits else None}


def _sum(scores: Iterable[Score]) -> Decimal:
    return sum((score.amount for score in scores if score.amount is not None), Decimal(0))


def _curve(scores: Sequence[Score]) -> tuple[Point, ...]:
    places = dict.fromkeys(score.at for score in scores)
    held = {place: [score for score in scores if score.at == place] for place in places}
    return tuple(Point(at=place, value=_sum(mine) / sum(s.of for s in mine), of=sum(s.of for s in mine)) for place, mine in held.items())


def _spread(scores: Sequence[Score], amount: Decimal) -> dict[str, object]:
    """Nearest-rank percentiles, over all and by place: each is a value that occurred."""
    values = sorted(score.amount for score in scores if score.amount is not None)
    places = [place for place in dict.fromkeys(score.at for score in scores) if place]
    by_place = [(f"{place} ", sorted(s.amount for s in scores if s.at == place and s.amount is not None)) for place in places]
    points = [
        Point(at=f"{place}p{rank}", value=_ranked(mine, rank), of=len(mine))
        for place, mine in [("", values), *by_place]
        for rank in (50, 95)
    ]
    return {"amount": amount, "value": points[0].value, "of": len(values), "points": tuple(points)}


def _ranked(values: Sequence[Decimal], rank: int) -> Decimal:
    return values[max(0, -(-rank * len(values) // 100) - 1)]


def _delta(scores: Sequence[Score]) -> dict[str, object]:
    """Per case the mean of B less the mean of A; a case with one side only is missing, never zero."""
    cases = dict.fromkeys(score.case_id for score in scores)
    sides = {case: [[s for s in scores if s.case_id == case and s.group == group] for group in ("A", "B")] for case in cases}
    changes = [_mean(b) - _mean(a) for a, b in sides.values() if a and b]
    lone = sum(not (a and b) for a, b in sides.values())
    if not changes:
        return {"value": None, "of": 0, "authority": None, "missing": lone}
    total = sum(changes, Decimal(0))
    return {"amount": total, "of": len(changes), "value": total / len(changes), "missing": lone}


def _mean(scores: Sequence[Score]) -> Decimal:
    return _sum(scores) / sum(score.of for score in scores)
