"""The small organisation of the histories: what its files may say, a clock that is set by hand, and books that are cheap to open.

Reviewed once and copied for every history. Files are read in this process: they are the test's own, and a child for each would cost
more than all the rest.
"""

from __future__ import annotations

import asyncio
import csv
import importlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from tests.conftest import CONTROL
from trustops import assembly, confine
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import StoredReview
from trustops.retrieval.index import Index
from trustops.storage.ledger import OrganisationLedger, open_ledger

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
IN_FORCE_UNTIL = datetime(2027, 1, 1, tzinfo=UTC)
PEOPLE = {"Ana": "approver", "Bo": "analyst", "Cy": "viewer", "Dee": "admin"}
QUESTIONS = {
    "K-1": "Is full-disk encryption switched on for every company laptop?",
    "K-2": "Are audit logs kept for at least one year?",
    "K-3": "Is the data of one customer separated from that of another customer?",
    "K-5": "Are visitors escorted in the office?",
}
CITED = {"K-1": "evidence/endpoint.md", "K-2": "evidence/logging.md", "K-3": "evidence/tenancy.md", "K-5": "evidence/visitors.md"}
TRUE = {
    "K-1": (
        "Full-disk encryption is switched on for every company laptop.",
        "Yes. Full-disk encryption is switched on for company laptops.",
    ),
    "K-2": ("Audit logs are kept for 400 days.", "Yes. Audit logs are kept for 400 days."),
    "K-3": (
        "The data of one customer is separated from that of another customer by row-level security.",
        "Yes. The data of one customer is separated from that of another customer by row-level security.",
    ),
    "K-5": ("Visitors are escorted in the office.", "Yes. Visitors are escorted in the office."),
}
LIE = {
    "K-1": "Full-disk encryption is switched on for every company laptop and every server.",
    "K-2": "Audit logs are kept for 900 days.",
    "K-3": "The data of one customer is separated from that of another customer by dedicated FIPS 140-3 hardware.",
    "K-5": "Visitors are always escorted in the office within 5 minutes.",
}
LOGGING = {
    "original": "# Logging Standard\n\nAudit logs are kept for 400 days.\n",
    "shorter": "# Logging Standard\n\nAudit logs are kept for 30 days.\n",
    "gone": None,
}
NOTES = {"absent": None, "first": "# Canteen\n\nThe canteen opens at noon.\n", "second": "# Canteen\n\nThe canteen opens at eleven.\n"}
READINGS: dict[str, tuple[int, int] | None] = {
    "same": (311, 311),
    "other": (312, 312),
    "drift": (310, 311),
    "stale": (311, 311),
    "gone": None,
}
FIXED = {
    "endpoint.md": "# Endpoint Standard\n\nFull-disk encryption is switched on for every company laptop.\n",
    "tenancy.md": "# Tenancy\n\nThe data of one customer is separated from that of another customer by row-level security.\n",
    "visitors.md": "# Offices\n\nVisitors are escorted in the office.\n",
}
PROMISED = "Question,Answer,Date\nAre visitors escorted in the office?,No. Visitors are not escorted in the office.,2026-02-01\n"


class Clock:
    """Stands still until somebody moves it."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at


def here(target: str, argument: Mapping[str, Any], **_: object) -> Any:
    """What confine.call does, in this process."""
    module, _, name = target.partition(":")
    return json.loads(json.dumps(getattr(importlib.import_module(module), name)(json.loads(json.dumps(dict(argument))))))


def quiet(kind: str, question: str, data: Mapping[str, Any]) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class World:
    """One copy of the organisation with its open books."""

    folder: Path
    office: Office
    review: StoredReview
    clock: Clock
    promise: str

    def recheck(self, *only: str) -> None:
        prepared = prepare(self.office, self.review, only=only, watch=quiet)
        asyncio.run(run_review(self.office, prepared, quiet))

    def close(self) -> None:
        self.office.ledger.close()  # type: ignore[attr-defined]
        self.office.index.close()  # type: ignore[attr-defined]

    def write(self, name: str, text: str | None) -> None:
        """A file of the workspace; None removes it."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text, encoding="utf-8")

    def read_out(self, reading: str) -> None:
        """The control's source gives this from now on. A stale reading is three days old, the others an hour."""
        values = READINGS[reading]
        at = self.clock.at - (timedelta(days=3) if reading == "stale" else timedelta(hours=1))
        body = values and {
            "control": "disk-encryption",
            "observed_at": at.isoformat().replace("+00:00", "Z"),
            "values": {"encrypted": values[0], "managed": values[1]},
        }
        self.write("snapshots/disk-encryption.json", json.dumps(body) if body else None)


def settle(folder: Path) -> None:
    """The organisation on disk."""
    (folder / "evidence").mkdir(parents=True)
    (folder / "answers").mkdir()
    names = [*FIXED, "logging.md", "notes.md"]
    register = [
        f"- {{path: evidence/{n}, kind: standard, effective: 2026-01-01, expires: 2027-01-01, classification: shareable}}" for n in names
    ]
    for name, text in {**FIXED, "logging.md": LOGGING["original"]}.items():
        (folder / "evidence" / name).write_text(str(text), encoding="utf-8")
    (folder / "evidence.yaml").write_text("\n".join(register), encoding="utf-8")
    (folder / "controls.yaml").write_text(CONTROL, encoding="utf-8")
    (folder / "answers" / "earlier.csv").write_text(PROMISED, encoding="utf-8")
    people = "\n".join(f'{name} = "{role}"' for name, role in PEOPLE.items())
    (folder / "trustops.toml").write_text(f'[organisation]\nid = "kestrel"\nname = "Kestrel Ltd"\n\n[people]\n{people}\n', encoding="utf-8")
    with (folder / "questionnaire.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("ID", "Question", "Answer"), *((ref, text, "") for ref, text in QUESTIONS.items())])


class Template:
    """The organisation reviewed once; `copy` gives a history its own."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "template"
        settle(self.source)
        first = assembly.office(self.source, entry=EntryPoint.EVALUATION)
        first.ledger.close()  # type: ignore[attr-defined]
        first.index.close()  # type: ignore[attr-defined]
        self.office, self.folder, self.made = first, folder, 0
        self.engines: dict[Path, OrganisationLedger] = {}
        world = self._open(self.source)
        world.read_out("same")
        world.recheck()
        world.close()

    def copy(self) -> World:
        """Its own files under a name that a history before may have had: what the ledger compiled for that name is kept, nothing else."""
        number = next(n for n in count() if not (self.folder / f"history-{n}").exists())
        self.made += 1
        folder = self.folder / f"history-{number}"
        shutil.copytree(self.source, folder)
        return self._open(folder)

    def _open(self, folder: Path) -> World:
        """The one office with another folder's books: settings and roster are the same and are read once."""
        state = folder / ".trustops"
        path = state / "kestrel.db"
        if path not in self.engines:
            self.engines[path] = open_ledger(path, "kestrel")
        books, index = self.engines[path], Index(state / "kestrel.index.db")
        return living(folder, replace(self.office, workspace=folder.resolve(), ledger=books, index=index))


def living(folder: Path, office: Office) -> World:
    """A folder and its open books as a world whose clock is set by hand."""
    clock = Clock()
    settled = replace(office, collector=assembly.Collector(folder), clock=clock)
    return World(folder, settled, take_in(settled, folder / "questionnaire.csv"), clock, office.reader.read_answers(folder)[0].id)


__all__ = [
    "CITED",
    "IN_FORCE_UNTIL",
    "LIE",
    "LOGGING",
    "NOTES",
    "PEOPLE",
    "QUESTIONS",
    "READINGS",
    "TRUE",
    "Template",
    "World",
    "confine",
    "here",
    "living",
]
