"""Dates as stretches of days: a month holds its days, a period A/B all between."""

from __future__ import annotations

import re
from datetime import date, timedelta

_QUARTER = re.compile(r"(\d{4})-([QH])(\d)")


def _month_end(year: int, month: int) -> date:
    return (date(year + month // 12, month % 12 + 1, 1)) - timedelta(days=1)


def _part(value: str) -> tuple[date, date] | None:
    special = _QUARTER.fullmatch(value)
    try:
        if special:
            length = 3 if special[2] == "Q" else 6
            first = (int(special[3]) - 1) * length + 1
            return date(int(special[1]), first, 1), _month_end(int(special[1]), first + length - 1)
        parts = [int(part) for part in value.split("-")]
        if len(parts) == 1:
            return date(parts[0], 1, 1), date(parts[0], 12, 31)
        if len(parts) == 2:
            return date(parts[0], parts[1], 1), _month_end(parts[0], parts[1])
        return date(*parts), date(*parts)
    except (ValueError, OverflowError):
        return None


def bounds(value: str) -> tuple[date, date] | None:
    """First and last day of a date value; None where it is no real date."""
    low, _, high = value.partition("/")
    first, last = _part(low), _part(high or low)
    return (first[0], last[1]) if first and last else None


def covers(outer: str, inner: str) -> bool:
    """Whether all days of `inner` lie in `outer`."""
    wide, narrow = bounds(outer), bounds(inner)
    return bool(wide and narrow and wide[0] <= narrow[0] and narrow[1] <= wide[1])


def disjoint(one: str, other: str) -> bool:
    """Whether the two share no day."""
    left, right = bounds(one), bounds(other)
    return bool(left and right and (left[1] < right[0] or right[1] < left[0]))


def ends_before(one: str, other: str) -> bool:
    """Whether `one` is over by the last day of `other`."""
    left, right = bounds(one), bounds(other)
    return bool(left and right and left[1] <= right[1])
