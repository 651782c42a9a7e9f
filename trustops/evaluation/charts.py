"""Small charts as inline SVG: a share with its interval, outcomes as a bar, times by seat. Numbers only come from the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, HIGH = 132, 14


def share(value: float, interval: Sequence[float] | None, look: str) -> str:
    """A share from 0 to 1 as a bar, with its 95 % interval as a line."""
    filled = max(0.0, min(1.0, value)) * WIDTH
    line = ""
    if interval:
        low, high = (max(0.0, min(1.0, end)) * WIDTH for end in interval)
        line = f'<line class="range" x1="{low:.1f}" x2="{high:.1f}" y1="7" y2="7"/>'
    told = f"{100 * value:.1f} %" + (f", 95 % interval {100 * interval[0]:.1f} to {100 * interval[1]:.1f} %" if interval else "")
    return (
        f'<svg width="{WIDTH}" height="{HIGH}" viewBox="0 0 {WIDTH} {HIGH}" role="img" aria-label="{told}"><rect class="track" y="5" '
        f'width="{WIDTH}" height="4" rx="2"/><rect class="fill {look}" y="3" width="{filled:.1f}" height="8" rx="2"/>{line}</svg>'
    )


LOOKS = (("passed", "good"), ("failed", "bad"), ("error", "bad"), ("skipped", "open"))


def outcomes(groups: Mapping[str, Mapping[str, int]]) -> str:
    """A row for each group: passed, failed and skipped cases, all rows on one scale."""
    most = max((sum(counts.values()) for counts in groups.values()), default=1) or 1
    rows = []
    for number, (name, counts) in enumerate(groups.items()):
        at, y, bars = 150.0, number * 26, []
        for kind, look in LOOKS:
            wide = counts.get(kind, 0) / most * 210
            if wide:
                bars.append(f'<rect class="fill {look}" x="{at:.1f}" y="{y + 5}" width="{max(wide, 1.5):.1f}" height="12" rx="2"/>')
            at += wide
        of = sum(counts.values())
        rows.append(f'<text x="0" y="{y + 15}">{escape(name)}</text>{"".join(bars)}')
        rows.append(f'<text x="{at + 8:.1f}" y="{y + 15}">{counts.get("passed", 0)} of {of}</text>')
    tall = max(1, len(groups)) * 26
    return _drawing(tall, "cases by group", rows)


def seats(points: Sequence[Mapping[str, Any]], unit: str) -> str:
    """Median (solid) and 95th percentile (track) by place."""
    places: dict[str, dict[str, float]] = {}
    for point in points:
        place, _, rank = point["at"].rpartition(" ")
        if place:
            places.setdefault(place, {})[rank] = float(point["value"])
    most = max((held.get("p95", 0.0) for held in places.values()), default=0.0) or 1.0
    rows = []
    for number, (place, held) in enumerate(places.items()):
        y = number * 26
        half, late = held.get("p50", 0.0) / most * 210, held.get("p95", 0.0) / most * 210
        track = f'class="track" x="100" y="{y + 5}" width="{late:.1f}" height="12" rx="2"'
        rows.append(
            f'<text x="0" y="{y + 15}">{escape(place)}</text><rect {track}/>'
            f'<rect class="fill" x="100" y="{y + 5}" width="{half:.1f}" height="12" rx="2"/>'
            f'<text x="{108 + late:.1f}" y="{y + 15}">{held.get("p50", 0):g} / {held.get("p95", 0):g} {escape(unit)}</text>'
        )
    tall = max(1, len(places)) * 26
    return _drawing(tall, "median and 95th percentile", rows)


def _drawing(tall: int, label: str, rows: Sequence[str]) -> str:
    return f'<svg width="440" height="{tall}" viewBox="0 0 440 {tall}" role="img" aria-label="{label}">{"".join(rows)}</svg>'
