"""Harm: an approval is lost with the power, or a file that is no ledger is taken for one."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from trustops.domain.errors import UsageError
from trustops.storage.ledger import OrganisationLedger, open_ledger

FULL, NORMAL = 2, 1


def pragma(file_ledger: OrganisationLedger, name: str) -> int | str:
    found: int | str = file_ledger.all(text(f"PRAGMA {name}"))[0][0]
    return found


def test_a_durable_transaction_waits_for_the_disk_and_others_do_not(file_ledger: OrganisationLedger) -> None:
    assert pragma(file_ledger, "synchronous") == NORMAL
    with file_ledger.writing(durable=True):
        assert pragma(file_ledger, "synchronous") == FULL
    assert pragma(file_ledger, "synchronous") == NORMAL
    with file_ledger.writing():
        assert pragma(file_ledger, "synchronous") == NORMAL


def test_a_durable_transaction_that_fails_leaves_the_connection_as_it_was(file_ledger: OrganisationLedger) -> None:
    with pytest.raises(RuntimeError), file_ledger.writing(durable=True):
        raise RuntimeError
    assert pragma(file_ledger, "synchronous") == NORMAL


def test_the_file_is_in_wal_mode_with_foreign_keys_and_patience(file_ledger: OrganisationLedger) -> None:
    assert (pragma(file_ledger, "journal_mode"), pragma(file_ledger, "foreign_keys")) == ("wal", 1)
    assert int(pragma(file_ledger, "busy_timeout")) >= 5000


FOREIGN = [
    pytest.param(b"this is a letter, not a database\n" * 100, id="a text"),
    pytest.param(b"PK\3\4" + b"\0" * 2000, id="a zip file"),
    pytest.param(b"SQLite format 3\0" + b"\xff" * 4000, id="a damaged database"),
]


@pytest.mark.parametrize("data", FOREIGN)
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "lanternhall.db"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"lanternhall\.db: the ledger cannot be opened .* Restore it from a backup"):
        open_ledger(path, "lanternhall")
    assert path.read_bytes() == data


def test_a_migrated_file_is_opened_without_the_migrations(migrated: Path) -> None:
    program = (
        "import sys, pathlib; from trustops.storage.ledger import open_ledger; "
        f"open_ledger(pathlib.Path({str(migrated)!r}), 'lanternhall').close(); "
        "print([name for name in sys.modules if name.split('.')[0] == 'alembic'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"


def test_opening_twice_changes_nothing(file_ledger: OrganisationLedger, tmp_path: Path) -> None:
    schema = file_ledger.all(text("SELECT name, sql FROM sqlite_master ORDER BY name"))
    again = open_ledger(tmp_path / "lanternhall.db", "lanternhall")
    assert again.all(text("SELECT name, sql FROM sqlite_master ORDER BY name")) == schema
    again.close()


@pytest.mark.parametrize(("version", "younger"), [("0001", ("audit", "audit_payloads", "journal")), ("0002", ("journal",))])
def test_a_ledger_of_an_older_version_gets_the_younger_tables_guarded_and_keeps_its_rows(
    migrated: Path, tmp_path: Path, version: str, younger: tuple[str, ...]
) -> None:
    path = tmp_path / "old.db"
    shutil.copyfile(migrated, path)
    with sqlite3.connect(path) as old:
        newest = dict(old.execute("SELECT name, sql FROM sqlite_master").fetchall())
        for table in younger:
            old.execute(f"DROP TABLE {table}")
        old.execute("UPDATE alembic_version SET version_num = ?", (version,))
        old.execute("INSERT INTO runs VALUES ('lanternhall', 'R.1', 'V.1', '2031-01-01', '{}')")
    old.close()
    ledger = open_ledger(path, "lanternhall")
    assert {row[0]: row[1] for row in ledger.all(text("SELECT name, sql FROM sqlite_master"))} == newest
    assert ledger.all(text("SELECT id FROM runs")) == [("R.1",)]
    ledger.close()
