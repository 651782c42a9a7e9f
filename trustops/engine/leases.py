"""Leases: which runs a living process works on.

A lease is a lock on a small file, held by a connection of SQLite. The operating system gives it back the moment its process ends,
however it ends, so there is no heartbeat to miss, no clock to trust and no time to wait after a kill. It knows the processes of one
machine (docs/decisions/0010).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from trustops.domain.errors import Refused

WAIT_S = 1.0
"""Whoever only looks holds the lock for an instant; whoever takes a lease waits that long for it."""


class Leases:
    """The leases of one workspace, one file a run in progress."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._taken: dict[str, sqlite3.Connection] = {}

    def take(self, run: str) -> None:
        """Takes the run's lease, until `give_back` or the end of the process; raises Refused where somebody has it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        connection = self._open(run, WAIT_S)
        if not _locked(connection):
            connection.close()
            raise Refused("a process works on this run", where=run, remedy=f"`trustops watch {run}` shows it.")
        self._taken[run] = connection

    def give_back(self, run: str) -> None:
        """Gives the run's lease back; nothing where it was not taken here."""
        connection = self._taken.pop(run, None)
        if connection is not None:
            connection.close()
            self._path(run).unlink(missing_ok=True)

    def held(self, run: str) -> bool:
        """Whether a process works on the run at this moment."""
        if run in self._taken:
            return True
        if not self._path(run).is_file():
            return False
        with closing(self._open(run, 0)) as connection:
            return not _locked(connection)

    def _path(self, run: str) -> Path:
        return self.folder / f"{run}.lease"

    def _open(self, run: str, wait_s: float) -> sqlite3.Connection:
        return sqlite3.connect(self._path(run), timeout=wait_s, isolation_level=None, check_same_thread=False)


def _locked(connection: sqlite3.Connection) -> bool:
    """Takes the lock; False where somebody else has it."""
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as busy:
        if busy.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
