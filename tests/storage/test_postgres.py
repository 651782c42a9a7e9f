"""Harm: in a database that organisations share, one of them reads, numbers by or writes another one's rows (invariant 10)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from tests import postgresql
from tests.crash.shared import until
from tests.isolation.storage_doors import READS, SILENT, shown
from tests.isolation.storage_doors import fill as fill_all
from tests.storage.bench import RUN, fill, keep_reply
from trustops.domain.errors import TrustOpsError, Unavailable, UsageError
from trustops.storage.dialects import channel
from trustops.storage.journal import Replies
from trustops.storage.ledger import OrganisationLedger, open_shared
from trustops.storage.migrating import HEAD
from trustops.storage.postgres import migrate
from trustops.storage.tables import metadata

TABLES = sorted(metadata.tables)
ALDER, BIRCH = "canary-of-alder", "canary-of-birch"


def role_of(database: str, role: str = postgresql.ROLE) -> str:
    return postgresql.address(database, role)


@pytest.fixture(scope="module")
def both(database: str) -> Iterator[tuple[OrganisationLedger, OrganisationLedger]]:
    """Two organisations in one database, each with a row in every table, under the same names."""
    opened = tuple(open_shared(role_of(database), org) for org in ("alder", "birch"))
    for ledger in opened:
        fill(ledger)
        keep_reply(ledger)
    yield opened[0], opened[1]
    for ledger in opened:
        ledger.close()


@pytest.fixture(scope="module")
def raw(database: str, both: Any) -> Iterator[psycopg.Connection[Any]]:
    """SQL past the program, with the program's role."""
    with psycopg.connect(role_of(database), autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("table", TABLES)
def test_raw_sql_sees_the_rows_of_the_organisation_that_was_said_and_no_other(raw: psycopg.Connection[Any], table: str) -> None:
    assert raw.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), "rows are shown to a transaction of no organisation"
    for org in ("alder", "birch"):
        with raw.transaction():
            raw.execute("SELECT set_config('trustops.org', %s, true)", (org,))
            assert raw.execute(f"SELECT DISTINCT org FROM {table}").fetchall() == [(org,)]
            assert raw.execute(f"SELECT count(*) FROM {table} WHERE org <> %s", (org,)).fetchone() == (0,)
    assert raw.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), "what was said outlived its transaction"


@pytest.mark.parametrize("table", TABLES)
def test_raw_sql_writes_no_row_of_another_organisation(database: str, raw: psycopg.Connection[Any], table: str) -> None:
    def everything() -> list[tuple[Any, ...]]:
        return postgresql.rows(database, f"SELECT * FROM {table} ORDER BY 1, 2, 3")

    before = everything()
    columns = ", ".join(f"'cedar' AS {c.name}" if c.name == "org" else c.name for c in metadata.tables[table].columns)

    def smuggle(said: str) -> None:
        """Alder's rows as Cedar's, while the transaction is `said` to be somebody's."""
        with raw.transaction():
            raw.execute("SELECT set_config('trustops.org', 'alder', true)")
            raw.execute(f"CREATE TEMP TABLE copied ON COMMIT DROP AS SELECT {columns} FROM {table}")
            raw.execute("SELECT set_config('trustops.org', %s, true)", (said,))
            raw.execute(f"INSERT INTO {table} SELECT * FROM copied")

    for said in ("alder", ""):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            smuggle(said)
    assert everything() == before


def test_the_owner_too_cannot_change_a_row(database: str, both: Any) -> None:
    with psycopg.connect(postgresql.address(database), autocommit=True) as owner:
        for table in TABLES:
            for statement in (f"UPDATE {table} SET org = 'x'", f"DELETE FROM {table}", f"TRUNCATE {table}"):
                with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                    owner.execute(statement)


def test_every_door_of_the_ledger_shows_the_own_organisation_alone(database: str) -> None:
    """The doors of tests/isolation, through the policies: what one sees beside another is what it sees alone."""
    books: type[Any] = type("Books", (OrganisationLedger, Replies), {"others": (), "before_any_run": ""})
    engine = open_shared(role_of(database), "nobody").engine
    opened = {canary: books(engine, canary) for canary in (ALDER, BIRCH)}
    for canary, ledger in opened.items():
        ledger.others = [other for other in opened if other != canary]
        with ledger.writing():
            fill_all(ledger, canary)
    for canary, ledger in opened.items():
        told = {door: shown(look(ledger, canary)) for door, look in (READS | SILENT).items()}
        assert [door for door, said in told.items() if ledger.others[0] in said] == []
        assert [door for door in READS if canary not in told[door]] == []


def test_writers_of_two_organisations_do_not_wait_for_each_other(both: tuple[OrganisationLedger, OrganisationLedger]) -> None:
    alder, birch = both
    done = threading.Event()

    def write() -> None:
        birch.append_event(RUN.id, "decided")
        done.set()

    with alder.writing():
        alder.append_event(RUN.id, "decided")
        threading.Thread(target=write, daemon=True).start()
        assert done.wait(60)


def test_a_writer_waits_for_another_one_of_its_organisation_and_then_says_so(
    database: str, both: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trustops.storage import postgres

    monkeypatch.setattr(postgres, "WAIT_MS", 150)
    other = open_shared(f"{role_of(database)}&application_name=other", "alder")
    with both[0].writing(), pytest.raises(Unavailable, match="another process holds the ledger"):
        other.append_event(RUN.id, "decided")
    other.append_event(RUN.id, "decided")


TRIED = count(1)


def refused(address: str) -> str:
    """What a process is told that starts now; another address is another start."""
    with pytest.raises(UsageError) as told:
        open_shared(f"{address}&application_name=start-{next(TRIED)}", "alder")
    return str(told.value)


def test_the_program_does_not_start_with_a_role_that_the_policies_do_not_bind(database: str) -> None:
    """Harm: as a superuser, as the tables' owner or with BYPASSRLS every organisation sees every other one."""
    made = (
        "CREATE ROLE passes LOGIN BYPASSRLS",
        "CREATE ROLE climber LOGIN IN ROLE passes",
        "CREATE ROLE owner LOGIN",
        f"CREATE ROLE heir LOGIN IN ROLE owner, {postgresql.ROLE}",
        f"CREATE ROLE editor LOGIN IN ROLE {postgresql.ROLE}",
        "GRANT UPDATE ON answers TO editor",
    )
    with psycopg.connect(postgresql.address(database), autocommit=True) as admin:
        for statement in made:
            admin.execute(statement)
        assert "'postgres' is a superuser" in refused(postgresql.address(database))
        assert "'passes' may bypass row-level security" in refused(role_of(database, "passes"))
        assert "'climber' may become 'passes', which may bypass" in refused(role_of(database, "climber"))
        assert "'editor' may change or delete rows of answers" in refused(role_of(database, "editor"))
        admin.execute("ALTER TABLE ratings OWNER TO owner")
        for role in ("owner", "heir"):
            told = refused(role_of(database, role))
            assert f"'{role}' owns the tables, or may become their owner (ratings)" in told
            assert "trustops storage migrate --role NAME" in told
        admin.execute("ALTER TABLE ratings OWNER TO postgres")
    open_shared(role_of(database), "alder")


@pytest.mark.parametrize(
    "opened",
    [
        "ALTER TABLE events DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE events NO FORCE ROW LEVEL SECURITY",
        "CREATE POLICY everybody ON events USING (true)",
        "DROP POLICY own_rows ON events; CREATE POLICY own_rows ON events USING (org IS NOT NULL)",
    ],
)
def test_the_program_does_not_start_over_a_table_that_is_open(opened: str) -> None:
    """A policy that exists may still be wrong, so it is tried."""
    name = postgresql.fresh_database()
    ledger = open_shared(role_of(name), "alder")
    fill(ledger)
    ledger.close()
    with psycopg.connect(postgresql.address(name), autocommit=True) as admin:
        admin.execute(opened)
    assert "row-level security does not guard events" in refused(role_of(name))


def test_a_database_of_another_version_is_told_and_left_alone() -> None:
    name = postgresql.empty_database()
    assert "no tables of ours" in refused(role_of(name))
    migrate(postgresql.address(name), postgresql.ROLE)
    assert open_shared(role_of(name), "alder").reviews() == ()
    migrate(postgresql.address(name), postgresql.ROLE)  # again changes nothing
    with psycopg.connect(postgresql.address(name), autocommit=True) as admin:
        admin.execute("UPDATE alembic_version SET version_num = '0009'")
        assert "older version (schema 0009)" in refused(role_of(name))
        admin.execute("UPDATE alembic_version SET version_num = '9999'")
        for told in (refused(role_of(name)), str(_raised(lambda: migrate(postgresql.address(name), postgresql.ROLE)))):
            assert f"schema 9999; this one knows up to {HEAD}" in told
            assert "nothing was changed" in told


def _raised(call: Any) -> TrustOpsError:
    with pytest.raises(TrustOpsError) as told:
        call()
    return told.value


def test_a_superuser_is_not_made_the_programs_role(database: str) -> None:
    assert "is a superuser" in str(_raised(lambda: migrate(postgresql.address(database), "postgres")))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://host/base", "'mysql' is no database for this"),
        ("nonsense", "no address of a database"),
        ("postgresql://nobody:s3cretpassword@127.0.0.1:1/base", "the database cannot be reached"),
    ],
)
def test_an_address_that_leads_nowhere_is_told_without_its_password(address: str, said: str) -> None:
    told = str(_raised(lambda: open_shared(address, "alder")))
    assert said in told
    assert "s3cret" not in told


def test_a_role_or_database_that_is_not_there_is_told(database: str) -> None:
    assert "refuses the role" in str(_raised(lambda: open_shared(role_of(database, "nobody_known"), "alder")))
    assert "no such database" in str(_raised(lambda: open_shared(role_of("nowhere"), "alder")))


def test_what_was_committed_is_told_to_who_listens_on_the_organisations_channel(database: str, both: Any) -> None:
    with psycopg.connect(role_of(database), autocommit=True) as listener:
        listener.execute(f"LISTEN {channel('alder')}")
        both[1].append_event("R-9.1", "decided")

        def taken_back() -> None:
            with both[0].writing():
                both[0].append_event("R-8.1", "decided")
                raise RuntimeError

        with pytest.raises(RuntimeError):
            taken_back()
        both[0].append_event("R-7.1", "decided")
        heard = next(listener.notifies(timeout=60, stop_after=1))
    assert heard.payload == "R-7.1"


def test_a_listener_hears_of_its_own_organisation_alone_and_connects_anew(database: str, both: Any) -> None:
    heard: list[str] = []
    with both[0].hears(heard.append):
        until(lambda: both[0].append_event("R-3.1", "decided") and "R-3.1" in heard, "nothing is heard")
        both[1].append_event("R-4.1", "decided")
        with psycopg.connect(postgresql.address(database), autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trustops listening'")
        until(lambda: both[0].append_event("R-5.2", "decided") and "R-5.2" in heard, "it does not connect anew")
    assert "R-4.1" not in heard


def test_a_lost_connection_is_replaced_and_nothing_is_half_written(database: str, both: Any) -> None:
    ledger = both[0]

    def cut() -> None:
        with psycopg.connect(postgresql.address(database), autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (postgresql.ROLE,))

    before = len(ledger.events("R-6.1"))

    def interrupted() -> None:
        with ledger.writing():
            ledger.append_event("R-6.1", "decided")
            cut()
            ledger.append_event("R-6.1", "decided")

    with pytest.raises(Unavailable, match="database"):
        interrupted()
    cut()
    assert len(ledger.events("R-6.1")) == before
    assert ledger.append_event("R-6.1", "decided").seq == before + 1


def test_a_text_that_the_database_cannot_hold_is_refused_in_words(both: Any) -> None:
    with pytest.raises(UsageError, match="a character that the database does not store"):
        both[0].append_event("R-5.1", "decided", question="K\0")
    assert both[0].all(text("SELECT 1 FROM events WHERE run = 'R-5.1'")) == []
