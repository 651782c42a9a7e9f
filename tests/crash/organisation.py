"""An organisation with many questions, whose seats ask a provider over the loopback; and the books of what went over the wire."""

from __future__ import annotations

import asyncio
import csv
import random
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import make_workspace
from trustops.domain.chain import sha256
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Asked, Script, minimal

NUMBER = re.compile(r"for customer (\d+)\?")
TOPICS = (
    "laptops",
    "servers",
    "backups",
    "audit logs",
    "passwords",
    "visitors",
    "suppliers",
    "keys",
    "networks",
    "code",
    "staff",
    "alerts",
)


@dataclass
class Wire:
    """Replies that left the server: how often each request was answered in full. A request is known by its seat and its text.

    `begun` are the requests that reached it, by seat and question, in their order. While it is `holding`, no reply leaves: what another
    process does meanwhile comes in the middle of the run on any machine.
    """

    slowest_s: float
    holding: bool = False
    answered: list[tuple[str, str]] = field(default_factory=list)
    begun: list[tuple[str, str]] = field(default_factory=list)
    luck: random.Random = field(default_factory=lambda: random.Random(7))

    async def answer(self, asked: Asked) -> dict[str, object]:
        named = NUMBER.search(asked.user)
        self.begun.append((asked.seat, f"N-{named.group(1)}" if named else ""))
        await asyncio.sleep(self.luck.uniform(0.0, self.slowest_s))
        while self.holding:  # noqa: ASYNC110 - the test sets it from another thread
            await asyncio.sleep(0.01)
        self.answered.append((asked.seat, sha256((asked.system + asked.user).encode())))
        return minimal(asked)

    def provider(self) -> FakeProvider:
        return FakeProvider(Script(otherwise=self.answer))


def settle(folder: Path, url: str, questions: int, *, concurrency: int = 6) -> Path:
    """The organisation on disk with a provider at `url`; returns its questionnaire."""
    questionnaire = make_workspace(folder)
    profile = f'\n[models]\ndefault = "wire"\n\n[models.profiles.wire]\nprovider = "anthropic"\nmodel = "scripted"\nbase_url = "{url}"\n'
    with (folder / "trustops.toml").open("a", encoding="utf-8") as file:
        file.write(f"{profile}\n[limits]\nconcurrency = {concurrency}\n")
    with questionnaire.open("w", newline="", encoding="utf-8") as file:
        rows = [(f"N-{n}", f"Do you keep a register of {TOPICS[n % len(TOPICS)]} for customer {n}?", "") for n in range(1, questions + 1)]
        csv.writer(file).writerows([("ID", "Question", "Answer"), *rows])
    return questionnaire


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of the organisation's ledger, read without the program."""
    path = folder / ".trustops" / "kestrel.db"
    if not path.is_file():
        return []
    with closing(sqlite3.connect(path, timeout=10)) as books:
        try:
            return books.execute(query).fetchall()
        except sqlite3.OperationalError:  # the tables are not there yet
            return []
