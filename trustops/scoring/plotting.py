"""A history of scores as a picture: a sparkline for the terminal, an SVG for a page. Pure, and the same bytes for the same scores."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from xml.sax.saxutils import escape, quoteattr

BARS = "▁▂▃▄▅▆▇█"
HIGHEST = Decimal(5)
WIDTH, HEIGHT, EDGE = 320, 96, 8
TENTH = Decimal("0.1")


def sparkline(scores: Sequence[Decimal], *, highest: Decimal = HIGHEST, longest: int = 40) -> str:
    """A bar for each score, the newest `longest` of them; heights are against the scale, never against one another."""
    steps = len(BARS) - 1
    return "".join(BARS[int((_within(score, highest) / highest * steps).to_integral_value(ROUND_HALF_UP))] for score in scores[-longest:])


def svg(points: Sequence[tuple[str, Decimal]], title: str, *, highest: Decimal = HIGHEST) -> str:
    """A line over points of (when, score), oldest first, evenly spaced, each with its words. Foreign text is escaped."""
    drawn = [(_x(index, len(points)), _y(score, highest), when, score) for index, (when, score) in enumerate(points)]
    line = " ".join(f"{x},{y}" for x, y, _, _ in drawn)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3"><title>{escape(when)}: {score}</title></circle>' for x, y, when, score in drawn)
    grid = "".join(
        f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{_y(Decimal(at), highest)}" y2="{_y(Decimal(at), highest)}"/>' for at in (0, 2, 4)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label={quoteattr(title)}>'
        f'<g stroke="currentColor" stroke-opacity="0.2">{grid}</g>'
        f'<polyline fill="none" stroke="currentColor" stroke-width="2" points="{line}"/><g fill="currentColor">{dots}</g></svg>'
    )


def _x(index: int, count: int) -> Decimal:
    step = Decimal(WIDTH - 2 * EDGE) / (count - 1) if count > 1 else Decimal(0)
    return (EDGE + step * index).quantize(TENTH)


def _y(score: Decimal, highest: Decimal) -> Decimal:
    return (HEIGHT - EDGE - _within(score, highest) / highest * (HEIGHT - 2 * EDGE)).quantize(TENTH)


def _within(score: Decimal, highest: Decimal) -> Decimal:
    return min(highest, max(Decimal(0), score))
