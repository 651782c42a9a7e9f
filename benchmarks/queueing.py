"""The parts of a queueing network: stations that serve in the order of arrival, a budget of a minute, a board that is fair to customers.

Whoever asks must ask in the order of time: each part then answers at once when a visit ends, and no queue is kept. `erlang_c` and `waits`
are the formulas of M/M/c (Erlang 1917) that tests hold the stations against.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque


class Station:
    """Servers of one kind behind one line, first come, first served. `busy` is the sum of the service times so far, in seconds."""

    def __init__(self, servers: int) -> None:
        self._free = [0.0] * servers
        self.busy = 0.0

    def visit(self, now: float, service_s: float) -> float:
        """When a visit that begins now is over, waiting included."""
        end = max(now, self._free[0]) + service_s
        heapq.heapreplace(self._free, end)
        self.busy += service_s
        return end


class Budget:
    """So much a minute, and at most a minute's worth at once (generic cell rate algorithm, ITU-T I.371). `spent` is the sum so far."""

    def __init__(self, per_minute: float) -> None:
        self.per_s = per_minute / 60
        self._due = -math.inf
        self.spent = 0.0

    def take(self, now: float, cost: float) -> float:
        """When what costs so much may begin, in the order of asking."""
        self.spent += cost
        begin = max(now, self._due + cost / self.per_s - 60.0)
        self._due = max(self._due, now) + cost / self.per_s
        return begin


class Board:
    """What waits, by customer. `fair` takes from the customer that has the fewest in work, as the product's board does, by lot where
    several have as few, and of its items that with the lowest place, then the one that came first. Else whoever came first is taken."""

    def __init__(self, luck: random.Random, *, fair: bool = True) -> None:
        self.fair, self._luck = fair, luck
        self._waiting: dict[int, list[tuple[int, int]]] = {}
        self._line: deque[tuple[int, int]] = deque()
        self._work: dict[int, int] = {}
        self._heap: list[tuple[int, float, int]] = []
        self.number = 0

    def put(self, customer: int, item: int, place: int = 0) -> None:
        """Items are numbers that grow as they come."""
        self.number += 1
        if not self.fair:
            self._line.append((customer, item))
            return
        queue = self._waiting.setdefault(customer, [])
        heapq.heappush(queue, (place, item))
        if len(queue) == 1:
            self._rank(customer)

    def claim(self) -> tuple[int, int] | None:
        """A customer and its next item, which counts as in work from now on; None where nothing waits."""
        if not self.number:
            return None
        self.number -= 1
        customer, item = self._next() if self.fair else self._line.popleft()
        self._work[customer] = self._work.get(customer, 0) + 1
        if self._waiting.get(customer):
            self._rank(customer)
        return customer, item

    def done(self, customer: int) -> None:
        self._work[customer] -= 1
        if self._waiting.get(customer):
            self._rank(customer)

    def _rank(self, customer: int) -> None:
        heapq.heappush(self._heap, (self._work.get(customer, 0), self._luck.random(), customer))

    def _next(self) -> tuple[int, int]:
        while True:
            work, _, customer = heapq.heappop(self._heap)
            queue = self._waiting.get(customer)
            if queue and work == self._work.get(customer, 0):  # else a rank of an earlier state
                return customer, heapq.heappop(queue)[1]


def erlang_c(servers: int, offered: float) -> float:
    """The chance that who comes to M/M/c must wait; `offered` is the arrival rate times the mean service time, below `servers`."""
    blocked = 1.0
    for number in range(1, servers + 1):  # Erlang B, by its recursion
        blocked = offered * blocked / (number + offered * blocked)
    return blocked / (1 - (offered / servers) * (1 - blocked))


def waits(servers: int, arrivals_per_s: float, service_s: float) -> float:
    """The mean wait in M/M/c, in seconds."""
    offered = arrivals_per_s * service_s
    return erlang_c(servers, offered) * service_s / (servers - offered)
