"""SQLite: one file per organisation, WAL, IMMEDIATE write transactions (architecture.md, "Ledger, storage, organisations")."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DatabaseError

from trustops.domain.errors import UsageError
from trustops.storage.faults import fault_of, translate

HEAD = "0010"
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
    translate(engine, path)
    return engine


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, so that writers take the lock at once
    # recursive_triggers: without it INSERT OR REPLACE deletes a row past the trigger that refuses DELETE
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=NORMAL", "recursive_triggers=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writing") else "BEGIN")


def _migrate(engine: Engine, path: Path) -> None:
    with engine.connect() as connection:
        known = connection.execute(text("SELECT name FROM sqlite_master WHERE name = 'alembic_version'")).first()
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
    if version == HEAD:
        return
    if version is not None and version > HEAD:
        raise UsageError(
            f"the ledger is of a newer version of the program (schema {version}; this one knows up to {HEAD})",
            where=path.name,
            remedy="Update the program, or restore the backup from before the newer one; nothing was changed.",
        )
    from alembic import command  # imported only when there is something to migrate: it costs a tenth of a second
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
