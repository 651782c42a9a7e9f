"""Organisations in a shared database, for workers that are killed: what `organisation.py` is for a file."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import postgresql
from tests.crash.organisation import settle

LEASE_S = 1.0
LONGEST_S = 240.0


def settle_shared(folder: Path, url: str, questions: int, *, org: str = "kestrel", concurrency: int = 6, more: str = "") -> Path:
    """An organisation whose books are in a shared database and whose leases are short; returns its questionnaire."""
    questionnaire = settle(folder, url, questions, concurrency=concurrency)
    path = folder / "trustops.toml"
    text = path.read_text(encoding="utf-8").replace('id = "kestrel"', f'id = "{org}"')
    path.write_text(f"{text}\n[storage]\nlease_s = {LEASE_S}\npool = 8\n{more}", encoding="utf-8")
    return questionnaire


def environment(database: str) -> dict[str, str]:
    """What every process of the scene is given."""
    return {"TRUSTOPS_DATABASE": postgresql.address(database, postgresql.ROLE)}


def until(true: Callable[[], Any], what: str, longest_s: float = LONGEST_S) -> None:
    """Waits for what another process does; fails where it does not come."""
    end = time.monotonic() + longest_s
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.05)
