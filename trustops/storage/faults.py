"""What the database refuses, in the words of the house: a person gets a sentence with what to do, never a traceback.

Result codes are those of sqlite.org/rescode.html; an extended code has its primary one in the low byte.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from trustops.domain.errors import Overtaken, TrustOpsError, Unavailable, UsageError

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
NO_WRITING = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN})
TAKEN = frozenset({sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE})
RETRY = "Nothing was written; try again when it is done."


def translate(engine: Engine, path: Path) -> None:
    """From now on the engine raises errors of the house, where one of them fits."""

    def told(context: ExceptionContext) -> None:
        fault = fault_of(context.original_exception, path)
        if fault is not None:
            raise fault from context.original_exception

    event.listen(engine, "handle_error", told)


def fault_of(raised: BaseException, path: Path) -> TrustOpsError | None:
    """The house's error for one of SQLite's; None for what is the program's own fault, or somebody's who wrote past it."""
    code = getattr(raised, "sqlite_errorcode", None)
    if not isinstance(raised, sqlite3.Error) or code is None:
        return None
    primary, where = code & 0xFF, path.name
    if code in TAKEN:
        return Overtaken("somebody else wrote at the same place meanwhile", where=where, remedy="Look at it again, then repeat.")
    if primary in BUSY:
        return Unavailable("another process holds the ledger", where=where, remedy=RETRY)
    if primary == sqlite3.SQLITE_FULL:
        return Unavailable("the disk is full", where=where, remedy="Nothing was written; make room, then try again.")
    if primary == sqlite3.SQLITE_IOERR:
        return Unavailable(f"the disk refuses ({raised})", where=where, remedy="Nothing was written; see to the disk, then try again.")
    if primary in NO_WRITING:
        return UsageError(
            f"the ledger cannot be written ({raised})", where=where, remedy="Give this account the right to write the folder."
        )
    return None
