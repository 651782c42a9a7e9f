"""What the database refuses, in the words of the house: a person gets a sentence with what to do, never a traceback.

SQLite's result codes are those of sqlite.org/rescode.html; an extended code has its primary one in the low byte. PostgreSQL's are the five
characters of its appendix A, whose first two are the class.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from trustops.domain.errors import Overtaken, TrustOpsError, Unavailable, UsageError

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
NO_WRITING = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN})
TAKEN = frozenset({sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE})
RETRY = "Nothing was written; try again when it is done."


def translate(engine: Engine, fault_for: Callable[[BaseException], TrustOpsError | None]) -> None:
    """From now on the engine raises errors of the house, where one of them fits."""

    def told(context: ExceptionContext) -> None:
        fault = fault_for(context.original_exception)
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


GONE = "Nothing was written; try again when the database is back."
CLASSES: dict[str, tuple[type[TrustOpsError], str, str]] = {
    "23505": (Overtaken, "somebody else wrote at the same place meanwhile", "Look at it again, then repeat."),
    "55P03": (Unavailable, "another process holds the ledger", RETRY),
    "40001": (Unavailable, "another process wrote meanwhile", RETRY),
    "40P01": (Unavailable, "another process wrote meanwhile", RETRY),
    "53100": (Unavailable, "the database's disk is full", "Nothing was written; make room, then try again."),
    "53300": (Unavailable, "the database takes no more connections", "Lower pool under [storage], or raise max_connections."),
    "57P01": (Unavailable, "the database is stopping", GONE),
    "57P02": (Unavailable, "the database has stopped", GONE),
    "57P03": (Unavailable, "the database is starting", GONE),
    "25P03": (Unavailable, "the transaction took too long", RETRY),
    "42501": (UsageError, "the database's role may not do this", "An administrator runs `trustops storage migrate` for this role."),
    "28": (UsageError, "the database refuses the role or its password", "Look at TRUSTOPS_DATABASE."),
    "3D": (UsageError, "there is no such database", "Look at TRUSTOPS_DATABASE."),
    "08": (Unavailable, "the database cannot be reached", GONE),
}


def fault_in_postgres(raised: BaseException, where: str) -> TrustOpsError | None:
    """The house's error for one of the driver's; None for what is the program's own fault, or somebody's who wrote past it. Its own words
    are not repeated: they may hold the address, and with it the password."""
    state = getattr(raised, "sqlstate", None)
    if state is None:
        lost = type(raised).__module__.startswith("psycopg") and type(raised).__name__ in ("OperationalError", "ConnectionTimeout")
        told = CLASSES[_signing_in(str(raised))] if lost else None
        if type(raised).__name__ == "DataError":
            remedy = "Take it out of the file."
            return UsageError("a text holds a character that the database does not store (NUL)", where=where, remedy=remedy)
    else:
        told = CLASSES.get(state) or CLASSES.get(state[:2])
    return told[0](told[1], where=where, remedy=told[2]) if told else None


def _signing_in(said: str) -> str:
    """Of a connection that was not made the driver has no code, but the server's words."""
    if "authentication failed" in said or "no password supplied" in said or ('role "' in said and "does not exist" in said):
        return "28"
    return "3D" if "database" in said and "does not exist" in said else "08"
