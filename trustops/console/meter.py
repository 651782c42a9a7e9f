"""Counting what an organisation asks of this process."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter


class Meter:
    """What one organisation was asked in this process."""

    bounds = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.times: Counter[int] = Counter()
        self.seconds = 0.0

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        """One request that was answered; `path` is the address with its parameters' names, so that there are never too many of them."""
        self.requests[method, path, status] += 1
        self.times[bisect_left(self.bounds, seconds)] += 1
        self.seconds += seconds
