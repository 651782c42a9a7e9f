"""How many requests and tokens may go to a provider within any minute, whichever machine sends them: Pace over a shared database.

A provider counts by key, not by process. The window of Pace is a table here, one row an attempt, under a digest of what the provider counts
by; instants are the database's. Who waits keeps no place in the line of other processes, only in that of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from trustops.domain.errors import Unavailable
from trustops.providers.pace import WINDOW_S, Pace, Ticket

Sessions = Callable[..., AbstractContextManager[Any]]
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('trustops pace ' || %s, 0))"
OLD = "DELETE FROM trustops_engine.paces WHERE key = %s AND at <= clock_timestamp() - %s * interval '1 second'"
WINDOW = "SELECT extract(epoch FROM at)::float8, tokens FROM trustops_engine.paces WHERE key = %s ORDER BY at, ticket"
NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"
TAKE = "INSERT INTO trustops_engine.paces (key, at, tokens) VALUES (%s, clock_timestamp(), %s) RETURNING ticket"
TOLD = "UPDATE trustops_engine.paces SET tokens = %s WHERE key = %s AND ticket = %s"


@dataclass(slots=True)
class SharedTicket(Ticket):
    """A row of the window. What its reply tells is written where all look."""

    row: int = 0
    pace: SharedPace | None = None

    def settle(self, tokens: int) -> None:
        """What the attempt did take."""
        self.tokens = tokens
        if self.pace is not None:
            self.pace.told(self.row, tokens)


class SharedPace(Pace):
    """Pace for all processes that send under one `key`, a digest. Without the database nothing is sent."""

    def __init__(
        self,
        sessions: Sessions,
        key: str,
        requests: int | None,
        tokens: int | None,
        *,
        longest_s: float = 900.0,
        window_s: float = WINDOW_S,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(requests, tokens, longest_s=longest_s, clock=clock, sleep=sleep)
        self.sessions, self.key, self.window_s = sessions, key, window_s

    async def _entered(self, tokens: int) -> Ticket | float:
        """A ticket, or the seconds to wait for one."""
        return await asyncio.to_thread(self._try, tokens)

    def _try(self, tokens: int) -> Ticket | float:
        with self.sessions() as connection:
            connection.execute(LOCK, (self.key,))
            connection.execute(OLD, (self.key, self.window_s))
            now = float(connection.execute(NOW).fetchone()[0])
            window: Sequence[Ticket] = [Ticket(at, used) for at, used in connection.execute(WINDOW, (self.key,)).fetchall()]
            if (wait := self.needed(window, tokens, now, self.window_s)) > 0:
                return wait
            row = connection.execute(TAKE, (self.key, tokens)).fetchone()[0]
        return SharedTicket(now, tokens, int(row), self)

    def told(self, row: int, tokens: int) -> None:
        """Without the database the attempt stays counted as it was: with more than it took."""
        try:
            with self.sessions() as connection:
                connection.execute(TOLD, (tokens, self.key, row))
        except Unavailable:
            return
