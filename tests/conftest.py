"""What every test stands on: no live model, and small organisations made on the spot."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import keyring
import pytest
from hypothesis import HealthCheck, settings
from keyring.backends import fail

from trustops import assembly, confine
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import StoredReview

ALLOW_LIVE_CALLS = False

os.environ["TRUSTOPS_EMBEDDINGS"] = "off"
"""Words alone, as on a machine without the extra; tests/retrieval/test_fusion.py turns it on for itself. Children inherit it."""

# Speed is measured in benchmarks/: a slow machine must not turn a property red.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)

DOCUMENTS = {
    "endpoint.md": ("standard", "# Endpoint Standard\n\nFull-disk encryption is switched on for every company laptop.\n"),
    "logging.md": ("standard", "# Logging Standard\n\nAudit logs are kept for 400 days.\n"),
    "tenancy.md": ("standard", "# Tenancy\n\nThe data of one customer is separated from that of another customer by row-level security.\n"),
    "support.md": ("policy", "# Support Policy\n\nThe support team does not store card numbers.\n"),
}
QUESTIONS = (
    ("K-1", "Is full-disk encryption switched on for every company laptop?"),
    ("K-2", "Are audit logs kept for at least one year?"),
    ("K-3", "Is the data of one customer separated from that of another customer?"),
    ("K-4", "Do you offer source code escrow?"),
)
CONTROL = """
- id: disk-encryption
  title: Laptops with full-disk encryption
  topics: [disk encryption]
  scope: managed_laptops
  measure: {ratio: [encrypted, managed]}
  expect: {equals: 1}
  max_age: 24h
  risk: medium
  source: {collector: file, path: snapshots/disk-encryption.json}
"""


SLOW = ("crash/", "engine/", "histories/", "adversarial/", "browser/", "golden/", "isolation/", "races/", "formats/", "cli/")
"""Folders whose files take longest. They begin first, so that no worker is left alone with one of them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The full counts take as long as they take."""
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.timeout(0))
    items.sort(key=lambda item: next((at for at, name in enumerate(SLOW) if item.nodeid.startswith(f"tests/{name}")), len(SLOW)))


@pytest.fixture(autouse=True)
def no_live_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test cannot reach a real model by accident: no key of this machine is seen."""
    if not ALLOW_LIVE_CALLS:
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True, scope="module")
def nothing_left_behind() -> None:
    """The tests of another folder, run before in this process, must not have left files to be read without limits."""
    assert confine.call.__module__ == confine.__name__


@pytest.fixture(autouse=True, scope="session")
def no_keyring() -> None:
    """No test writes into the keyring of the person who runs it."""
    keyring.set_keyring(fail.Keyring())


@dataclass(frozen=True)
class House:
    """A workspace with its office and one review that was run."""

    folder: Path
    office: Office
    review: StoredReview

    def run(self, *only: str) -> None:
        """Another attempt at some or all questions."""
        prepared = prepare(self.office, self.review, only=only, as_of=AT, watch=lambda kind, question, data: None)
        asyncio.run(run_review(self.office, prepared, lambda kind, question, data: None))

    def with_office(self, **changes: Any) -> House:
        """The same books with other ports or rules."""
        return replace(self, office=replace(self.office, **changes))


def snapshot(folder: Path, encrypted: int, managed: int, at: str = "2026-11-30T06:00:00Z") -> None:
    """Writes the reading of the one control."""
    body = {"control": "disk-encryption", "observed_at": at, "values": {"encrypted": encrypted, "managed": managed}}
    (folder / "snapshots").mkdir(exist_ok=True)
    (folder / "snapshots" / "disk-encryption.json").write_text(json.dumps(body), encoding="utf-8")


def make_workspace(folder: Path) -> Path:
    """The small organisation on disk; returns its questionnaire."""
    (folder / "evidence").mkdir(parents=True)
    entries = []
    for name, (kind, text) in DOCUMENTS.items():
        (folder / "evidence" / name).write_text(text, encoding="utf-8")
        entries.append(f"- {{path: evidence/{name}, kind: {kind}, effective: 2026-01-01, expires: 2027-01-01, classification: shareable}}")
    (folder / "evidence.yaml").write_text("\n".join(entries), encoding="utf-8")
    (folder / "controls.yaml").write_text(CONTROL, encoding="utf-8")
    people = '[people]\nAna = "approver"\nBo = "analyst"\nCy = "viewer"\nDee = "admin"\n'
    (folder / "trustops.toml").write_text(f'[organisation]\nid = "kestrel"\nname = "Kestrel Ltd"\n\n{people}', encoding="utf-8")
    snapshot(folder, 311, 311)
    questionnaire = folder / "questionnaire.csv"
    with questionnaire.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("ID", "Question", "Answer"), *((ref, text, "") for ref, text in QUESTIONS)])
    return questionnaire


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The small organisation's folder, nothing run."""
    make_workspace(tmp_path / "kestrel")
    return tmp_path / "kestrel"


@pytest.fixture(scope="session")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small organisation, reviewed once for the whole suite; tests work on copies."""
    folder = tmp_path_factory.mktemp("template") / "kestrel"
    make_workspace(folder)
    house = _open(folder)
    house.run()
    _close(house)
    return folder


@pytest.fixture
def house(reviewed: Path, tmp_path: Path) -> Iterator[House]:
    """A copy of the small organisation with its questionnaire reviewed at a fixed instant."""
    folder = tmp_path / "kestrel-reviewed"
    shutil.copytree(reviewed, folder)
    made = _open(folder)
    yield made
    _close(made)


def _open(folder: Path) -> House:
    office = assembly.office(folder, entry=EntryPoint.EVALUATION)
    return House(folder, office, take_in(office, folder / "questionnaire.csv"))


def _close(house: House) -> None:
    house.office.ledger.close()
    house.office.index.close()


@pytest.fixture
def books(house: House) -> Callable[[], dict[str, int]]:
    """How many rows each table holds: a refusal must leave them as they were."""
    from sqlalchemy import text

    def count() -> dict[str, int]:
        tables = house.office.ledger.all(text("SELECT name FROM sqlite_master WHERE type='table' AND name != 'alembic_version'"))
        names = [row[0] for row in tables]
        return {name: house.office.ledger.all(text(f"SELECT count(*) FROM {name}"))[0][0] for name in names}

    return count
