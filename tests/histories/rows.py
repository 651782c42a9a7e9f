"""The ledger's file read without the product: every row ever seen must still be there as it was."""

from __future__ import annotations

import sqlite3
from pathlib import Path

Rows = dict[str, list[tuple[object, ...]]]


class Ledger:
    """A second reader of the file. It looks again only where SQLite says that somebody committed something."""

    def __init__(self, path: Path) -> None:
        self._file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        tables = self._file.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'alembic_version'")
        self._names = [str(name) for (name,) in tables]
        self._version, self._rows = -1, Rows()

    def rows(self) -> Rows:
        """All rows of all tables, in the order in which they were written."""
        version = int(self._file.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._rows = {name: self._file.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall() for name in self._names}
            self._version = version
        return self._rows

    def close(self) -> None:
        self._file.close()


def changed(before: Rows, after: Rows) -> list[str]:
    """Tables of which a row that was seen is gone or different."""
    return [name for name, seen in before.items() if after.get(name, [])[: len(seen)] != seen]


def gaps(found: Rows) -> list[str]:
    """Runs whose events are not numbered 1, 2, 3 and so on, in the order in which they were written."""
    told: dict[str, list[object]] = {}
    for _, run, seq, *_ in found["events"]:
        told.setdefault(str(run), []).append(seq)
    return [run for run, numbers in told.items() if numbers != list(range(1, len(numbers) + 1))]
