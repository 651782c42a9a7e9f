"""The `sql` collector: one read-only query, one row, its columns are the values. LIVE.

SQLite is asked in a limited child process, opened for reading only, with an authorizer that lets nothing but reading pass. PostgreSQL is
asked in a read-only transaction through a cursor, which takes one query and nothing else. Give it an account that may only read as well.
"""

from __future__ import annotations

import sqlite3
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, ClassVar
from urllib.parse import quote

from trustops import confine
from trustops.collectors.ground import Ground, place, whole
from trustops.collectors.reading import Reading, inside
from trustops.collectors.selecting import exact_values, live
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import canonical
from trustops.domain.control import Control, ControlSource
from trustops.domain.errors import MalformedFile, Refused, TrustOpsError, Unavailable, UsageError

SECONDS, LONGEST_S = 20, 120
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
UNSAFE = frozenset({"load_extension", "writefile", "readfile", "edit", "fts3_tokenizer"})
WRITING = (
    "ALTER_TABLE", "ANALYZE", "ATTACH", "CREATE_INDEX", "CREATE_TABLE", "CREATE_TEMP_TABLE", "CREATE_TRIGGER", "CREATE_VIEW", "DELETE",
    "DETACH", "DROP_INDEX", "DROP_TABLE", "DROP_TRIGGER", "DROP_VIEW", "INSERT", "PRAGMA", "REINDEX", "SAVEPOINT", "TRANSACTION", "UPDATE",
)  # fmt: skip
ACTIONS = {getattr(sqlite3, f"SQLITE_{name}"): name.replace("_", " ") for name in WRITING}
WROTE = "the query tried more than to read ({0}); it was refused, and nothing was changed"
ONE = "Write a query that gives one row, such as SELECT count(*) AS eligible, sum(mfa) AS enrolled FROM users."


class SqlCollector:
    """Asks a database at the moment of the reading: LIVE."""

    name: ClassVar[str] = "sql"
    source_mode: ClassVar[SourceMode] = SourceMode.LIVE

    def read(self, control: Control, source: ControlSource, ground: Ground) -> Reading:
        """The row as values. Raises Refused for a query that tries to write, MalformedFile for anything but one row of exact values,
        Unavailable where the database does not answer."""
        where, seconds = place(control, source), whole(control, source, "timeout", SECONDS, LONGEST_S)
        if bool(source.path) is ("dsn_env" in source.settings):
            raise MalformedFile(
                "a query needs one database", where=where, remedy="Give path (a SQLite file of the workspace) or dsn_env (PostgreSQL)."
            )
        if source.path:
            row = _of_sqlite(control, source, ground, seconds)
        else:
            dsn = ground.secret(source.settings["dsn_env"], place(control, source, "dsn_env"))
            row = _of_postgresql(dsn, source.settings["query"], where, seconds)
        values = exact_values(row, where)
        return live(control, values, ground.now, canonical(dict(values)))


def _of_sqlite(control: Control, source: ControlSource, ground: Ground, seconds: int) -> dict[str, Any]:
    where = place(control, source)
    path = inside(ground.workspace, source.path, place(control, source, "path"))
    if not path.is_file():
        raise Unavailable(f"there is no database at {source.path}", where=where, remedy="See to the job that writes it.")
    asked = {"path": str(path), "query": source.settings["query"], "where": where}
    try:
        return dict(confine.call("trustops.collectors.sql:ask_sqlite", asked, memory_mb=512, cpu_s=seconds, wall_s=seconds))
    except TrustOpsError as bad:
        if bad.where == where:
            raise
        raise Unavailable(
            f"the query needs more than {seconds} seconds or 512 MB, and was ended",
            where=where,
            remedy="Make it smaller, or raise timeout.",
        ) from None


def ask_sqlite(argument: dict[str, Any]) -> dict[str, Any]:
    """What the child runs: {"path", "query", "where"} to the columns of the one row."""
    where, tried = argument["where"], list[str]()

    def judge(action: int, first: str | None, second: str | None, *_: Any) -> int:
        allowed = action in READING and (action != sqlite3.SQLITE_FUNCTION or (second or "").lower() not in UNSAFE)
        if not allowed:
            tried.append(f"{ACTIONS.get(action, 'a function')} {first or second or ''}".strip())
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    connection = sqlite3.connect(f"file:{quote(argument['path'])}?mode=ro", uri=True, timeout=5)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_authorizer(judge)
        cursor = connection.execute(argument["query"])
        rows = cursor.fetchmany(2)
        return row_of([column[0] for column in cursor.description or ()], rows, where)
    except (sqlite3.Error, sqlite3.Warning) as bad:
        if tried:
            raise Refused(WROTE.format(tried[0][:80]), where=where, remedy=ONE) from None
        raise MalformedFile(f"the database refused the query ({str(bad)[:160]})", where=where, remedy=ONE) from None
    finally:
        connection.close()


def row_of(names: list[str], rows: list[Any], where: str) -> dict[str, Any]:
    """The one row by column. Raises MalformedFile for none, for more, and for columns of one name."""
    if len(rows) != 1 or not names or len(set(names)) < len(names):
        what = "no row" if not rows else "more than one row" if len(rows) > 1 else "columns of one name, or none"
        raise MalformedFile(f"the query gives {what}", where=where, remedy=ONE)
    found = {name: _plain(value) for name, value in zip(names, rows[0], strict=True)}
    for name, value in found.items():
        if not isinstance(value, bool | int | float | str):
            raise MalformedFile(f"the column {name!r} holds no whole number, text or flag", where=where, remedy=ONE)
    return found


def _plain(value: Any) -> Any:
    """Numbers of a decimal type are exact: as a whole number where they are one, else as written. Floats stay what they are, and are
    refused with every other value that is none."""
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() and value.adjusted() < 16 else format(value, "f")
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def _of_postgresql(dsn: str, query: str, where: str, seconds: int) -> dict[str, Any]:
    try:
        import psycopg
    except ImportError:
        raise UsageError("PostgreSQL needs the extra `postgres`", where=where, remedy="pip install 'trustops-review[postgres]'.") from None
    try:
        return _asked(psycopg, dsn, query, where, seconds)
    except (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.InsufficientPrivilege):
        raise Refused(WROTE.format("the database said so"), where=where, remedy=ONE) from None
    except psycopg.errors.QueryCanceled:
        raise Unavailable(
            f"the query needs more than {seconds} seconds", where=where, remedy="Make it smaller, or raise timeout."
        ) from None
    except psycopg.OperationalError as lost:  # its text may name host and account
        raise Unavailable(
            f"the database does not answer ({type(lost).__name__})", where=where, remedy="See to the database, and to what dsn_env holds."
        ) from None
    except (psycopg.Error, UnicodeError) as bad:
        kind = getattr(bad, "sqlstate", None) or type(bad).__name__
        raise MalformedFile(f"the database refused the query ({kind})", where=where, remedy=ONE) from None


def _asked(psycopg: Any, dsn: str, query: str, where: str, seconds: int) -> dict[str, Any]:
    """A server's cursor is declared for one query that selects: neither a second statement nor COPY, DO or CALL is one."""
    limit = f"-c default_transaction_read_only=on -c statement_timeout={seconds * 1000}"
    with psycopg.connect(dsn, connect_timeout=min(10, seconds), options=limit) as connection:
        connection.read_only = True
        with connection.cursor(name="reading") as cursor:
            cursor.execute(query)
            rows, names = cursor.fetchmany(2), [column.name for column in cursor.description or ()]
        connection.rollback()
    return row_of(names, rows, where)
