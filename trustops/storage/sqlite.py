"""SQLite: one file per organisation, WAL, IMMEDIATE write transactions (architecture.md, "Ledger, storage, organisations")."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DatabaseError

from trustops.domain.errors import UsageError
from trustops.storage.faults import fault_of, translate
from trustops.storage.migrating import HEAD, newer, upgrade

BUSY_MS = 10_000


def open_engine(path: Path, *, busy_ms: int = BUSY_MS) -> Engine:
    """An engine on the organisation's file, migrated to the newest schema. `busy_ms` is how long a writer waits for another one.

    Raises UsageError where the file is none of ours, is of a newer version, or may not be written; Unavailable where it is held.
    """
    engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False, "timeout": busy_ms / 1000})
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _migrate(engine, path)
    except OSError as bad:
        raise UsageError(
            f"there can be no ledger ({bad.strerror})", where=str(path.parent), remedy="Give this account the right to write."
        ) from bad
    except DatabaseError as bad:
        raise (fault_of(bad.orig, path) if bad.orig else None) or UsageError(
            f"the ledger cannot be opened ({bad.orig})", where=str(path.name), remedy="Restore it from a backup; do not edit it by hand."
        ) from bad
    translate(engine, lambda raised: fault_of(raised, path))
    return engine


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, so that writers take the lock at once
    # recursive_triggers: without it INSERT OR REPLACE deletes a row past the trigger that refuses DELETE
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=NORMAL", "recursive_triggers=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    """A writer takes the lock at once; `durable` waits for the disk, and the next transaction on the connection does so no more."""
    manner = connection.get_execution_options()
    wanted = "FULL" if manner.get("durable") else "NORMAL"
    if connection.info.get("synchronous", "NORMAL") != wanted:
        connection.exec_driver_sql(f"PRAGMA synchronous={wanted}")
        connection.info["synchronous"] = wanted
    connection.exec_driver_sql("BEGIN IMMEDIATE" if manner.get("writing") else "BEGIN")


def _migrate(engine: Engine, path: Path) -> None:
    with engine.connect() as connection:
        known = connection.execute(text("SELECT name FROM sqlite_master WHERE name = 'alembic_version'")).first()
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
    if version == HEAD:
        return
    if version is not None and version > HEAD:
        raise newer(version, path.name)
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        upgrade(connection)


@contextmanager
def unlocked(connection: Connection, *tables: str) -> Iterator[None]:
    """Without the triggers of these tables; they are back before the transaction ends, whatever happens in between."""
    query = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN (SELECT value FROM json_each(:names))")
    triggers = connection.execute(query, {"names": json.dumps(tables)}).all()
    connection.exec_driver_sql("PRAGMA secure_delete=ON")
    for name, _ in triggers:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    for _, sql in triggers:
        connection.exec_driver_sql(sql)


def erase(engine: Engine) -> str:
    """Rewrites the file, so that nothing of what was taken out is left in free pages or in the log. Why it could not, or nothing."""
    with engine.connect() as connection:
        raw: Any = connection.connection.driver_connection
        if raw.in_transaction:
            raw.execute("ROLLBACK")
        try:
            raw.execute("PRAGMA secure_delete=ON")
            raw.execute("VACUUM")
            busy, log, moved = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError as held:
            return str(held)
    return "another process reads it" if busy or log != moved else ""
