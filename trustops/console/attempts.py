"""Attempts that failed, counted for a while: who tries passwords or tokens one after another is made to wait.

What is counted lives in this process only. A restart forgets it, and so does every window.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from trustops.console.problems import Problem

MOST_KEYS = 10_000
"""Keys that are remembered at once; the oldest go first, so that nobody fills the memory with names."""


class Attempts:
    """At most so many failures of one key in a window of so many seconds."""

    def __init__(self, most: int, window_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self.most, self.window_s, self.now = most, window_s, now
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, key: str) -> float:
        """Seconds until the key may try again; 0 where it may now."""
        times = self._recent(key)
        return 0.0 if len(times) < self.most else times[0] + self.window_s - self.now()

    def failed(self, key: str) -> None:
        """Counts one failure."""
        times = self._recent(key)
        times.append(self.now())
        self._failed[key] = times
        self._failed.move_to_end(key)
        while len(self._failed) > MOST_KEYS:
            self._failed.popitem(last=False)

    def succeeded(self, key: str) -> None:
        """Forgets the key's failures."""
        self._failed.pop(key, None)

    def _recent(self, key: str) -> deque[float]:
        times = self._failed.get(key, deque())
        while times and times[0] <= self.now() - self.window_s:
            times.popleft()
        return times


def must_wait(*limits: tuple[Attempts, str]) -> Problem | None:
    """The refusal of an attempt that comes too soon, whichever limit is reached; None where it may be made."""
    wait = max((limit.wait_s(key) for limit, key in limits), default=0.0)
    if wait <= 0:
        return None
    seconds = str(int(wait) + 1)
    return Problem(429, "too many attempts failed", remedy=f"Try again in {seconds} seconds.", headers={"Retry-After": seconds})
