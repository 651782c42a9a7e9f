"""Three organisations in one process with the same names everywhere, and in every field a word of their own that nobody else may see."""

from __future__ import annotations

import asyncio
import csv
import json
import secrets
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve, reject
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import Exported, export
from trustops.operations.intake import take_in
from trustops.operations.library import withdraw
from trustops.operations.office import Office
from trustops.operations.signing_in import issue
from trustops.ports import StoredReview

NAMES = ("alder", "birch", "cedar")
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
CONTROL = """
- id: disk-encryption
  title: Laptops with full-disk encryption, {canary}
  topics: [disk encryption]
  scope: managed_laptops
  measure: {{ratio: [encrypted, managed]}}
  expect: {{equals: 1}}
  max_age: 24h
  risk: medium
  source: {{collector: file, path: snapshots/disk-encryption.json}}
"""
PEOPLE = {"Ana": "approver", "Bo": "analyst", "Dee": "admin"}


def canary(name: str) -> str:
    """One word, so that no search and no splitting takes it apart."""
    return f"Kanarienvogel{name.capitalize()}"


@dataclass
class Organisation:
    """A workspace, its office, and what was done in it."""

    name: str
    folder: Path
    office: Office
    common: StoredReview
    own: StoredReview
    exports: list[Exported] = field(default_factory=list)

    @property
    def canary(self) -> str:
        return canary(self.name)

    @property
    def people(self) -> tuple[str, ...]:
        return ("Ana", "Bo", "Dee", f"Ana {self.canary}")

    @property
    def run(self) -> str:
        """Of the review that all have; its id is the same in each."""
        return f"{self.common.id}.1"

    @property
    def own_run(self) -> str:
        return f"{self.own.id}.1"


def bearer(org: Organisation, person: str = "Ana") -> dict[str, str]:
    """The header that signs a person of it in."""
    office = replace(org.office, signed_in="Dee")
    return {"Authorization": f"Bearer {issue(office, person, by='Dee', label=secrets.token_hex(4))}"}


def settle(folder: Path, name: str) -> None:
    """The files of one organisation: the same names and shapes as everybody's, and its canary in each."""
    mine = canary(name)
    for part in ("evidence", "answers", "snapshots"):
        (folder / part).mkdir(parents=True)
    documents = {
        "endpoint.md": f"# Endpoint Standard of {mine}\n\nFull-disk encryption is switched on for every company laptop by {mine}.\n",
        "logging.md": f"# Logging Standard\n\nAudit logs are kept for 400 days by {mine}.\n",
        f"{mine}.md": f"# Notes\n\nThe vault of {mine} is locked.\n",
    }
    for file, text in documents.items():
        (folder / "evidence" / file).write_text(text, encoding="utf-8")
    about = "kind: standard, effective: 2026-01-01, expires: 2027-01-01, classification: shareable"
    (folder / "evidence.yaml").write_text("\n".join(f"- {{path: evidence/{file}, {about}}}" for file in documents), encoding="utf-8")
    (folder / "controls.yaml").write_text(CONTROL.format(canary=mine), encoding="utf-8")
    reading = {"encrypted": 311, "managed": 311, "region": mine}
    body = {"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00Z", "values": reading}
    (folder / "snapshots" / "disk-encryption.json").write_text(json.dumps(body), encoding="utf-8")
    earlier = (
        ("Is the vault locked?", f"Yes, {mine} locks it.", "2026-02-01"),
        ("Is the cellar dry?", f"Yes, {mine} dries it.", "2026-02-01"),
    )
    rows(folder / "answers" / "earlier.csv", ("Question", "Answer", "Date"), *earlier)
    people = "\n".join(f'"{person}" = "{role}"' for person, role in {**PEOPLE, f"Ana {mine}": "approver"}.items())
    settings = f'[organisation]\nid = "{name}"\nname = "Kestrel Ltd"\naliases = ["{mine}"]\n\n[people]\n{people}\n'
    (folder / "trustops.toml").write_text(settings, encoding="utf-8")
    asked = (
        ("K-1", "Is full-disk encryption switched on for every company laptop?", ""),
        ("K-2", "Are audit logs kept for at least one year?", ""),
    )
    rows(folder / "questionnaire.csv", ("ID", "Question", "Answer"), *asked)
    rows(folder / f"{mine}.csv", ("ID", "Question", "Answer"), (f"{mine}-1", f"Does {mine} keep audit logs for at least one year?", ""))


def rows(path: Path, *lines: tuple[str, ...]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(lines)


def found(folder: Path, name: str, patch: pytest.MonkeyPatch) -> Organisation:
    """The organisation with its books open and its keys made, nothing reviewed."""
    settle(folder / name, name)
    patch.setenv("TRUSTOPS_KEYS", str(folder / "keys"))
    office = assembly.office(folder / name, entry=EntryPoint.EVALUATION)
    office.signer.create()
    common, own = (take_in(office, folder / name / file) for file in ("questionnaire.csv", f"{canary(name)}.csv"))
    return Organisation(name, folder / name, office, common, own)


def quiet(kind: str, question: str, data: object) -> None:
    """Nobody watches."""


def reviewed(org: Organisation) -> None:
    for review in (org.common, org.own):
        asyncio.run(run_review(org.office, prepare(org.office, review, as_of=AT, watch=quiet), quiet))


def decided(org: Organisation) -> None:
    """Everything a person can say, said with the organisation's word."""
    cite = next(
        p.id for p in org.office.ledger.latest_records(org.common.id)["K-2"].dossier.passages if p.document.path.endswith("logging.md")
    )
    words = f"Audit logs are kept for 400 days by {org.canary}."
    edited = asyncio.run(edit_answer(org.office, org.common, "K-2", by="Bo", text=words, cite=[cite]))
    approve(org.office, org.common, "K-1", 1, by=f"Ana {org.canary}")
    reject(org.office, org.common, "K-2", by="Dee", reason=f"ask {org.canary}")
    approve(org.office, org.common, "K-2", edited.version, by="Ana")
    earlier = org.office.reader.read_answers(org.folder)[0].id
    withdraw(org.office, earlier, by="Ana", reason=f"{org.canary} moved")


def sent(org: Organisation) -> None:
    for to in ("Customer", f"Customer of {org.canary}"):
        org.exports.append(export(org.office, org.common, org.folder.parent / "out" / org.name, to=to))


def build(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Organisation]:
    """All three, each step done by each in turn, so that whatever one leaves in the process is there when the next comes."""
    made = {name: found(folder, name, patch) for name in NAMES}
    for step in (reviewed, decided, sent):
        for org in made.values():
            step(org)
    return made
