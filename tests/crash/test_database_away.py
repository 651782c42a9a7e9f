"""Harm: the database goes away in the middle of a run, or becomes newer than a worker, and something is lost or half done."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import postgresql
from tests.counts import beyond_a_desk
from tests.crash.organisation import Wire
from tests.crash.shared import LONGEST_S, until
from tests.crash.test_workers import Scene, whole
from trustops.testing.provider import serve


@pytest.fixture
def scene(tmp_path: Path) -> Any:
    with serve(Wire(slowest_s=0.1).provider()) as url:
        made = Scene(tmp_path, Wire(0.0), url)
        yield made
        made.close()


def no_more_connections(database: str, shut: bool) -> None:
    """Whoever is connected is thrown out, and nobody is let in: as far as the program sees, the database is gone."""
    with psycopg.connect(postgresql.address(), autocommit=True) as admin:
        admin.execute(f"ALTER DATABASE {database} ALLOW_CONNECTIONS {'false' if shut else 'true'}")
        if shut:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (database,))


@beyond_a_desk
def test_a_database_that_is_gone_and_comes_back_loses_nothing(scene: Scene) -> None:
    kestrel = scene.settle("kestrel", 10, concurrency=2)
    scene.worker(kestrel, concurrency=2)
    began = scene.run("review", kestrel / "questionnaire.csv", "-w", kestrel)
    until(lambda: scene.decided("kestrel") >= 2, scene.said())
    for _ in range(2):
        no_more_connections(scene.database, True)
        with psycopg.connect(postgresql.address(), autocommit=True) as admin:
            until(
                lambda admin=admin: admin.execute(  # type: ignore[misc]
                    "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = %s", (scene.database,)
                ).fetchone()[0],
                "somebody is still connected",
            )
        no_more_connections(scene.database, False)
    began.join(LONGEST_S)
    assert began.exitcode == 0, scene.said()
    whole(scene, "kestrel", 10)


@beyond_a_desk
def test_a_worker_that_is_older_than_the_database_makes_room(scene: Scene) -> None:
    """Migrations only add: what is in work comes to its end, and the next start says what to do."""
    kestrel = scene.settle("kestrel", 8, concurrency=1)
    worker = scene.worker(kestrel, concurrency=1, name="old")
    began = scene.run("review", kestrel / "questionnaire.csv", "-w", kestrel)
    until(lambda: scene.decided("kestrel") >= 2, scene.said())
    with psycopg.connect(postgresql.address(scene.database), autocommit=True) as admin:
        admin.execute("UPDATE alembic_version SET version_num = '9999'")
    worker.join(LONGEST_S)
    assert worker.exitcode == 0, scene.said()
    assert "Worker old ends, the database is of a newer version" in scene.said()
    began.join(LONGEST_S)
    assert began.exitcode == 0, scene.said()
    whole(scene, "kestrel", 8)
    late = scene.worker(kestrel)
    late.join(LONGEST_S)
    assert late.exitcode == 2
    assert "schema 9999" in scene.said()


def test_a_dump_is_restored_into_a_fresh_place_and_its_chain_verifies(scene: Scene) -> None:
    """The way of docs/operations.md: pg_dump as an administrator, an empty database, pg_restore, `trustops storage migrate`."""
    from trustops.storage.ledger import open_shared
    from trustops.storage.postgres import close_engines, migrate

    kestrel = scene.settle("kestrel", 2, concurrency=1)
    began = scene.run("review", kestrel / "questionnaire.csv", "-w", kestrel)
    began.join(LONGEST_S)
    assert began.exitcode == 0, scene.said()
    rejected = scene.run("reject", "N-1", "--by", "Ana", "--reason", "no", "-w", kestrel)
    rejected.join(LONGEST_S)
    assert rejected.exitcode == 0, scene.said()
    programs, dump, fresh = postgresql.server().bin_path, scene.folder / "trustops.dump", postgresql.empty_database()
    for words in (
        ["pg_dump", "--format=custom", f"--file={dump}", postgresql.address(scene.database)],
        ["pg_restore", "--exit-on-error", f"--dbname={postgresql.address(fresh)}", str(dump)],
    ):
        done = subprocess.run([str(programs / words[0]), *words[1:]], capture_output=True, text=True, timeout=LONGEST_S)
        assert done.returncode == 0, done.stderr
    migrate(postgresql.address(fresh), postgresql.ROLE)
    restored = open_shared(postgresql.address(fresh, postgresql.ROLE), "kestrel")
    state = restored.verify_chain()
    assert (state.ok, state.records) == (True, scene.rows("SELECT count(*) FROM audit")[0][0])
    tables = [row[0] for row in scene.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    for table in tables:
        query = f"SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} t"
        assert postgresql.rows(fresh, query) == scene.rows(query), table
    close_engines()


def test_a_dump_by_the_programs_role_is_refused_rather_than_empty(scene: Scene) -> None:
    done = subprocess.run(
        [str(postgresql.server().bin_path / "pg_dump"), "-t", "answers", postgresql.address(scene.database, postgresql.ROLE)],
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
    )
    assert done.returncode != 0
    assert "row-level security" in done.stderr
