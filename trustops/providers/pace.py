"""How many requests, and how many tokens, may go to a provider within any minute.

A sliding window and no bucket: a bucket that refills lets twice its size through in the minute after a rest, and a provider that counts
per minute then refuses. Every attempt counts, retries too. What other processes send with the same key is counted where they share a
database (sharing.py), and not otherwise.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from trustops.domain.errors import ProviderFailed

WINDOW_S = 60.0


@dataclass(slots=True)
class Ticket:
    """One attempt that was let through, and the tokens it is counted with."""

    at: float
    tokens: int

    def settle(self, tokens: int) -> None:
        """What the attempt did take, once its reply tells."""
        self.tokens = tokens


class Pace:
    """At most `requests` attempts and `tokens` tokens within any minute; None does not limit. Who waits is served in order.

    `longest_s` bounds one wait, in seconds. `clock` and `sleep` are replaced in tests.
    """

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        *,
        longest_s: float = 900.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.requests, self.tokens, self.longest_s = requests, tokens, longest_s
        self._clock, self._sleep = clock, sleep
        self._window: deque[Ticket] = deque()
        self._door: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    async def admit(self, tokens: int, where: str) -> Ticket:
        """Returns when an attempt of about so many tokens may be sent. Raises ProviderFailed(kind="limit"), with nothing sent, where it
        can never fit or would wait too long."""
        if self.tokens is not None and tokens > self.tokens:
            said = f"the request counts about {tokens} tokens, and {self.tokens} a minute are allowed"
            raise ProviderFailed(said, kind="limit", where=where, remedy="Raise tokens_per_minute or lower max_tokens.", attempts=0)
        until = self._clock() + self.longest_s
        async with self._lock():
            while isinstance(entered := await self._entered(tokens), float):
                if self._clock() + entered > until:
                    said = f"no place within {self.longest_s:g} s under the limits of a minute"
                    remedy = "Raise requests_per_minute or tokens_per_minute, or lower concurrency."
                    raise ProviderFailed(said, kind="limit", where=where, remedy=remedy, attempts=0)
                await self._sleep(entered)
            return entered

    async def _entered(self, tokens: int) -> Ticket | float:
        """A ticket, or the seconds to wait for one."""
        now = self._clock()
        while self._window and self._window[0].at + WINDOW_S <= now:
            self._window.popleft()
        if (wait := self.needed(self._window, tokens, now, WINDOW_S)) > 0:
            return wait
        ticket = Ticket(now, tokens)
        self._window.append(ticket)
        return ticket

    def needed(self, window: Sequence[Ticket], tokens: int, now: float, window_s: float) -> float:
        """Seconds until the oldest attempts of a window have left it by as much as so many tokens need; 0 where they fit."""
        number, used, wait = len(window), sum(ticket.tokens for ticket in window), 0.0
        for ticket in window:
            if self._fits(number, used + tokens):
                break
            number, used, wait = number - 1, used - ticket.tokens, ticket.at + window_s - now
        return wait

    def _fits(self, number: int, tokens: int) -> bool:
        return (self.requests is None or number < self.requests) and (self.tokens is None or tokens <= self.tokens)

    def _lock(self) -> asyncio.Lock:
        """The door of this event loop: a lock cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if self._door is None or self._door[0] is not loop:
            self._door = (loop, asyncio.Lock())
        return self._door[1]
