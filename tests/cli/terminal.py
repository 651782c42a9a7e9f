"""A terminal for tests: one command in this process, with what it wrote and how it ended."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trustops.cli.app import run

SLOWEST_S = 5


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


Terminal = Callable[..., Ended]


def typed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Ended:
    """Types a command; whatever is no SystemExit is a traceback that a person would have seen."""
    capsys.readouterr()
    started = time.monotonic()
    with pytest.raises(SystemExit) as end:
        run([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return Ended(end.value.code if isinstance(end.value.code, int) else -1, told.out, told.err, time.monotonic() - started)


def rows(workspace: Path) -> dict[str, int]:
    """How many rows each table of the workspace's ledger holds; nothing where there is no ledger."""
    found: dict[str, int] = {}
    for path in sorted((workspace / ".trustops").glob("*.db")):
        if path.name.endswith(".index.db"):
            continue
        with closing(sqlite3.connect(path)) as books:
            names = [name for (name,) in books.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'alembic_version'")]
            found |= {name: books.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}
    return found
