"""Controls: what the systems say of themselves, and how that went over time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from starlette.requests import Request
from starlette.responses import Response

from trustops.checks.drift import evaluate, expectation_text
from trustops.console.pages.drawing import draw, path, seen_next
from trustops.console.pages.forms import flash, form
from trustops.console.pages.visitor import visitor
from trustops.console.pages.words import DONE
from trustops.console.problems import Problem
from trustops.domain.control import Control, ControlReading, Snapshot
from trustops.operations.answering import instant
from trustops.operations.collecting import collect_snapshots

WIDTH, HEIGHT, SHOWN = 96, 24, 24
"""Of a sparkline, in pixels, and the readings that it shows at most."""


@dataclass(frozen=True, slots=True)
class Spark:
    """A line of readings: points of an SVG polyline, and each reading's place and evaluation."""

    points: str
    dots: tuple[tuple[str, str, str], ...]
    said: str


@dataclass(frozen=True, slots=True)
class Line:
    """One control of the list."""

    control: Control
    reading: ControlReading
    expected: str
    address: str
    spark: Spark | None


def controls(request: Request) -> Response:
    """Every control with its newest reading on record and the line of its readings."""
    found = visitor(request)
    office, at = found.office, instant(found.office, None)[0]
    history = office.ledger.snapshots()
    lines = [_line(control, history.get(control.id, ()), at) for control in office.controls]
    states = [line.reading.evaluation.value for line in lines]
    return draw(
        request,
        "controls.html",
        here="controls",
        done=flash(request, DONE),
        lines=lines,
        counts=[(state, states.count(state)) for state in dict.fromkeys(sorted(states))],
        at=at,
    )


def control(request: Request) -> Response:
    """One control with every snapshot, newest first."""
    found = visitor(request)
    held = next((each for each in found.office.controls if each.id == request.path_params["control"]), None)
    if held is None:
        raise Problem(404, "there is no such control", remedy="The list of controls shows those of the catalogue.")
    at = instant(found.office, None)[0]
    snapshots = found.office.ledger.snapshots().get(held.id, ())
    return draw(
        request,
        "control.html",
        here="controls",
        line=_line(held, snapshots, at),
        readings=[evaluate(held, snapshot, max(snapshot.observed_at, snapshot.collected_at)) for snapshot in reversed(snapshots)],
    )


async def collect(request: Request) -> Response:
    """Reads every source now; a new reading is a new snapshot."""
    found = visitor(request)
    await form(request)
    async with found.runs.indexing:
        await asyncio.to_thread(collect_snapshots, found.office, instant(found.office, None)[0])
    return seen_next("/controls", "collected")


def _line(control: Control, snapshots: Sequence[Snapshot], at: datetime) -> Line:
    reading = evaluate(control, snapshots[-1] if snapshots else None, at)
    expected = expectation_text(control.expect, ratio=control.measure.ratio is not None)
    return Line(control, reading, expected, path("controls", control.id), spark(control, snapshots))


def spark(control: Control, snapshots: Sequence[Snapshot]) -> Spark | None:
    """The last readings as a line; None where there are none. What is no number stands high where it passes and low where it drifts."""
    shown = snapshots[-SHOWN:]
    if not shown:
        return None
    states = [evaluate(control, each, each.observed_at).evaluation.value for each in shown]
    heights = _heights(control, shown, states)
    step = WIDTH / max(1, len(shown) - 1)
    places = [(f"{3 + at * (step * (WIDTH - 6) / WIDTH):.1f}", f"{height:.1f}") for at, height in enumerate(heights)]
    said = f"{len(shown)} readings, the newest {states[-1]}" if len(shown) > 1 else f"one reading, {states[-1]}"
    return Spark(" ".join(f"{x},{y}" for x, y in places), tuple((x, y, s) for (x, y), s in zip(places, states, strict=True)), said)


def _heights(control: Control, shown: Sequence[Snapshot], states: Sequence[str]) -> list[float]:
    values = [_value(control, each) for each in shown]
    if any(value is None for value in values):
        values = [Fraction(int(state == "PASS")) for state in states]
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    room = HEIGHT - 8
    return [4 + room * (float((high - value) / (high - low)) if high != low else 0.5) for value in known]


def _value(control: Control, snapshot: Snapshot) -> Fraction | None:
    """A ratio or a number, exact; None where the reading is no number."""
    measure = control.measure
    names = measure.ratio or ((measure.value,) if measure.value else ())
    held = [snapshot.values.get(name) for name in names]
    numbers = [Fraction(each) for each in held if isinstance(each, int) and not isinstance(each, bool)]
    if not names or len(numbers) != len(names) or (len(numbers) == 2 and not numbers[1]):
        return None
    return numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0]
