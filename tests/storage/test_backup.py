"""Harm: a backup that was made while somebody wrote is not whole, and nobody knows before it is needed."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from tests.storage.bench import AT, fill
from trustops.storage.ledger import OrganisationLedger, open_ledger


def test_a_copy_made_while_others_write_is_restored_into_a_fresh_place_and_its_chain_verifies(
    file_ledger: OrganisationLedger, tmp_path: Path
) -> None:
    """The way of docs/operations.md for a file: SQLite's own copy. (PostgreSQL's is tried in tests/crash/test_database_away.py.)"""
    fill(file_ledger)
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            file_ledger.append_withdrawal(f"A-w{number}", by="Ana", at=AT, reason="written meanwhile")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with closing(sqlite3.connect(tmp_path / "lanternhall.db")) as books, closing(sqlite3.connect(tmp_path / "backup.db")) as copy:
            books.backup(copy, pages=16)
    finally:
        stop.set()
        writer.join()
    fresh = tmp_path / "elsewhere" / "lanternhall.db"
    fresh.parent.mkdir()
    (tmp_path / "backup.db").rename(fresh)
    restored = open_ledger(fresh, "lanternhall")
    state, audit = restored.verify_chain(), file_ledger.audit()
    assert (state.ok, state.records > 0) == (True, True), state.problem
    assert restored.audit() == audit[: state.records]
    assert len(restored.withdrawals()) == sum(record.kind == "withdrawn" for record in audit[: state.records])
    restored.close()
