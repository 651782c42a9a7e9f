"""Drift: what a control's newest snapshot says, in exact arithmetic (product.md, invariants 4 and 5; no floats anywhere).

Not checked here: whether the control is the right one for the question (workflow/desk.py), and who collected the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from trustops.domain.control import Control, ControlReading, Evaluation, Exact, Expectation, Snapshot
from trustops.domain.finding import Finding, FindingCode, FindingSource, severity_of

CODES = {
    Evaluation.DRIFT: FindingCode.CONTROL_DRIFT,
    Evaluation.STALE: FindingCode.STALE_CONTROL_SNAPSHOT,
    Evaluation.UNAVAILABLE: FindingCode.CONTROL_UNAVAILABLE,
    Evaluation.NOT_MEASURED: FindingCode.NOT_MEASURED,
}
REMEDIES = {
    Evaluation.DRIFT: "Bring the control back to its expectation, collect a new snapshot, then recheck.",
    Evaluation.STALE: "Collect a new snapshot (`trustops controls collect`), then recheck.",
    Evaluation.UNAVAILABLE: "Repair the control's source and collect a snapshot, then recheck.",
    Evaluation.NOT_MEASURED: "Give the control a source in controls.yaml, or let a person decide on the documents.",
}
UNITS = ("day", "hour", "minute", "month", "year", "percent", "character")


class Malformed(ValueError):
    """A snapshot whose values do not fit the control's measure."""


def evaluate(control: Control, snapshot: Snapshot | None, at: datetime) -> ControlReading:
    """The control at one instant: NOT_MEASURED without a source, UNAVAILABLE without a usable reading, STALE when older than
    max_age, else PASS or DRIFT. A snapshot of another control or from the future is unusable. Never raises."""
    if control.source is None:
        return ControlReading(control=control, evaluation=Evaluation.NOT_MEASURED, why="the control has no source")
    if snapshot is None:
        return ControlReading(control=control, evaluation=Evaluation.UNAVAILABLE, why="no snapshot was collected")
    if snapshot.control != control.id or snapshot.observed_at > at:
        return ControlReading(
            control=control, evaluation=Evaluation.UNAVAILABLE, why="the snapshot is of another control or from the future"
        )
    try:
        value, shown = measure(control, snapshot)
        met = meets(value, control.expect, _cast(control))
    except ValueError as bad:  # Malformed, or a number with more digits than Python will print
        return ControlReading(control=control, evaluation=Evaluation.UNAVAILABLE, why=f"the snapshot does not fit the measure: {bad}")
    age = at - snapshot.observed_at
    state = Evaluation.STALE if age > control.max_age else Evaluation.PASS if met else Evaluation.DRIFT
    why = ""
    if state is Evaluation.STALE:
        why = f"observed {snapshot.observed_at:%Y-%m-%d %H:%M} UTC, older than {_hours(control.max_age.total_seconds())}"
    elif state is Evaluation.DRIFT:
        why = f"{shown}, expected {expectation_text(control.expect, ratio=control.measure.ratio is not None)}"
    says = f"{control.title}: {shown}, read on {_written(snapshot.observed_at.date())}."
    return ControlReading(control=control, evaluation=state, snapshot=snapshot, value=shown, says=says, why=why)


def measure(control: Control, snapshot: Snapshot) -> tuple[Any, str]:
    """The value to compare and how it is shown. A ratio is compared as a fraction and shown as "122 of 124"."""
    how = control.measure
    if how.ratio is not None:
        return _share(*(_field(snapshot, name) for name in how.ratio))
    name = how.value or how.flag or how.version or ""
    raw = _field(snapshot, name)
    value = _cast(control)(raw)
    if how.flag is not None:
        return value, "yes" if value else "no"
    return value, f"{raw} {_unit(name, control.title, raw)}".strip() if how.value is not None else str(raw)


@lru_cache(maxsize=4096, typed=True)
def _share(part: Exact, whole: Exact) -> tuple[Fraction, str]:
    """The fraction, and how it is shown. Typed: `True` is no number although it equals 1."""
    held, all_ = _number(part), _number(whole)
    if all_ <= 0 or held < 0 or held > all_:
        raise Malformed(f"{held} of {all_} is no ratio")
    return held / all_, f"{held} of {all_}"


@lru_cache(maxsize=4096)
def _written(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def meets(value: Any, expect: Expectation, cast: Callable[[Exact], Any]) -> bool:
    """Whether a value meets the one expectation that is set; raises Malformed where they cannot be compared."""
    if expect.equals is not None:
        return bool(value == cast(expect.equals))
    if expect.at_least is not None:
        return bool(value >= cast(expect.at_least))
    if expect.at_most is not None:
        return bool(value <= cast(expect.at_most))
    if expect.one_of:
        return value in [cast(item) for item in expect.one_of]
    raise Malformed("the control has no expectation")


def expectation_text(expect: Expectation, *, ratio: bool = False) -> str:
    """The expectation in words, for findings and screens: a ratio of 1 is all of them, a flag is yes or no."""
    named = {"exactly": expect.equals, "at least": expect.at_least, "at most": expect.at_most}
    for words, value in named.items():
        if value is not None:
            return _expected(words, value, ratio)
    return "one of " + ", ".join(str(item) for item in expect.one_of or ())


@lru_cache(maxsize=4096, typed=True)
def _expected(words: str, value: Exact, ratio: bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not ratio:
        return f"{words} {value}"
    share = _number(value) * 100
    if share == 100 and words != "at most":
        return "all of them"
    return f"{words} {(Decimal(share.numerator) / share.denominator).normalize():f} %"


def drift_findings(readings: Iterable[ControlReading]) -> tuple[Finding, ...]:
    """A finding for every mapped control that is not PASS on a fresh snapshot."""
    return tuple(
        Finding(
            code=CODES[reading.evaluation],
            severity=severity_of(CODES[reading.evaluation]),
            source=FindingSource.RULES,
            summary=f"Control {reading.control.id}: {reading.why or reading.evaluation.value}.",
            exhibits=(reading.id,),
            remedy=REMEDIES[reading.evaluation],
        )
        for reading in readings
        if reading.evaluation in CODES
    )


def _cast(control: Control) -> Callable[[Exact], Any]:
    if control.measure.version is not None:
        return _version
    return _flag if control.measure.flag is not None else _number


def _field(snapshot: Snapshot, name: str) -> Exact:
    if name not in snapshot.values:
        raise Malformed(f"the value {name!r} is missing")
    return snapshot.values[name]


@lru_cache(maxsize=4096, typed=True)
def _number(value: Exact) -> Fraction:
    if isinstance(value, bool) or (isinstance(value, str) and "e" in value.lower()):  # "1e999999999" would never end
        raise Malformed(f"{value!r} is no number")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError) as bad:
        raise Malformed(f"{value!r} is no number") from bad


def _flag(value: Exact) -> bool:
    if not isinstance(value, bool):
        raise Malformed(f"{value!r} is neither true nor false")
    return value


def _version(value: Exact) -> tuple[int, ...]:
    parts = str(value).removeprefix("v").split(".")
    if isinstance(value, bool) or not all(part.isascii() and part.isdigit() for part in parts):
        raise Malformed(f"{value!r} is no version")
    numbers = [int(part) for part in parts]
    while len(numbers) > 1 and numbers[-1] == 0:  # 1.2.0 is 1.2
        numbers.pop()
    return tuple(numbers)


def _unit(name: str, title: str, raw: Exact) -> str:
    """The unit that the value's name or the control's title ends in ("oldest_key_days", "..., in hours"), for the sentence only."""
    words = set(name.lower().split("_")) | ({title.lower().rsplit(" ", 1)[-1]} if ", in " in title.lower() else set())
    if title.lower().startswith(("days ", "hours ")):
        words.add(title.lower().split(" ", 1)[0])
    unit = next((unit for unit in UNITS if unit in words or unit + "s" in words), "")
    return unit if not unit or unit == "percent" or str(raw) == "1" else unit + "s"


def _hours(seconds: float) -> str:
    return f"{int(seconds // 3600)} hours"
