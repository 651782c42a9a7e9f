"""A process among the workers: it says that it is there, a few times a lease, from a thread of its own."""

from __future__ import annotations

import threading
import time
from uuid import uuid4

from trustops.domain.errors import TrustOpsError
from trustops.engine.board import Board, Sessions

BEATS = 4
"""How often in a lease."""


class Presence:
    """One a process and database, whatever it works on. It is there from `join` on, to `leave` or the end of the process."""

    def __init__(self, sessions: Sessions, *, lease_s: float, version: str, name: str) -> None:
        self.board = Board(sessions, uuid4().hex, name, version, lease_s)
        self.lease_s = lease_s
        self._seen = 0.0
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._door, self._joined = threading.Lock(), 0
        self.lost = 0
        """How often others took this process for dead."""

    def join(self) -> None:
        """Says that this process is there, until all who joined have left. Raises Unavailable without the database."""
        with self._door:
            if not self._joined:
                self.board.begin()
                self._seen, self._stopped = time.monotonic(), threading.Event()
                self._thread = threading.Thread(target=self._say, args=(self._stopped,), name="trustops-presence", daemon=True)
                self._thread.start()
            self._joined += 1

    def leave(self) -> None:
        """The last to leave says good-bye: what is held waits for others at once."""
        with self._door:
            self._joined -= 1
            if self._joined or self._thread is None:
                return
            self._stopped.set()
            self._thread.join(self.lease_s)
            self._thread = None
            try:
                self.board.end()
            except TrustOpsError:
                return  # without the database nobody can be told; the lease runs out

    def _say(self, stopped: threading.Event) -> None:
        """After a time in which nobody could say anything, others get as long to say it before they are taken for dead."""
        steady = time.monotonic()
        while not stopped.wait(self.lease_s / BEATS):
            begun = time.monotonic()
            if begun - self._seen > self.lease_s:
                steady = begun
            try:
                if not self.board.beat():
                    self.lost += 1
                    self.board.begin()
                self._seen = begun
                if begun - steady >= self.lease_s:
                    self.board.bury()
            except TrustOpsError:
                steady = time.monotonic()  # the database is away; nobody can take anything over meanwhile either
