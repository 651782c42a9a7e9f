"""Eight people and programs at one organisation's books at the same moment. Each tells what it did; only a refusal of the house is an
acceptable failure."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.histories.world import CITED, LOGGING, QUESTIONS, TRUE, World
from trustops.domain.errors import TrustOpsError
from trustops.operations.approving import approve, reject
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export

CAST = ("approver", "approver", "editor", "editor", "rejecter", "rechecker", "exporter", "exporter")


@dataclass(frozen=True)
class Part:
    """One actor's part in one race: who it is, and the luck that decides what it does and how long it waits before."""

    race: int
    number: int

    @property
    def kind(self) -> str:
        return CAST[self.number]

    @property
    def luck(self) -> random.Random:
        return random.Random(1000 * self.race + self.number)


@dataclass(frozen=True)
class Told:
    """What an actor did: `said` is a version number, a digest or an export's id; `fault` a failure that is none of the house's."""

    kind: str
    question: str = ""
    said: str = ""
    refused: str = ""
    fault: str = ""


def act(part: Part, world: World) -> list[Told]:
    """Plays the part, twice over."""
    luck, told = part.luck, []
    for _ in range(2):
        time.sleep(luck.random() * 0.02)  # in no order; nothing is measured by it
        question = luck.choice(("K-1", "K-2", "K-2", "K-3"))
        try:
            said = PARTS[part.kind](world, luck, question)
            told.append(Told(part.kind, question, said))
        except TrustOpsError as refusal:
            told.append(Told(part.kind, question, refused=f"{refusal.code}: {refusal}"))
        except Exception:  # noqa: BLE001  whatever else comes is what the race looks for
            told.append(Told(part.kind, question, fault=traceback.format_exc()[-1500:]))
    return told


def _approve(world: World, luck: random.Random, question: str) -> str:
    newest = world.office.ledger.answers(world.review.id, question)[-1].version
    return approve(world.office, world.review, question, newest, by=luck.choice(("Ana", "Dee"))).digest


def _edit(world: World, luck: random.Random, question: str) -> str:
    import asyncio

    exhibits = world.office.ledger.latest_records(world.review.id)[question].dossier.passages
    cite = [p.id for p in exhibits if p.document.path == CITED[question]][:1]
    text, by = luck.choice(TRUE[question]), luck.choice(("Ana", "Bo"))
    made = asyncio.run(edit_answer(world.office, world.review, question, by=by, text=text, cite=cite))
    return f"{made.version} {made.digest} {made.author}"


def _reject(world: World, luck: random.Random, question: str) -> str:
    return reject(world.office, world.review, question, by=luck.choice(("Ana", "Dee")), reason="say where").digest


def _recheck(world: World, luck: random.Random, question: str) -> str:
    if luck.random() < 0.5:
        world.write("evidence/logging.md", LOGGING["shorter"])
    world.recheck("K-2", *luck.choice(((), ("K-1",))))
    return "K-2"


def _export(world: World, luck: random.Random, question: str) -> str:
    made = export(world.office, world.review, world.folder / "out", to=luck.choice(("Harbour", "Meadow")))
    return f"{made.file.name} {made.receipt.name} {made.bundle.name}"


PARTS: dict[str, Callable[[World, random.Random, str], str]] = {
    "approver": _approve,
    "editor": _edit,
    "rejecter": _reject,
    "rechecker": _recheck,
    "exporter": _export,
}


def prepared(world: World) -> None:
    """Before the race some answers are approved, so that there is something to export and to make stale."""
    for question in QUESTIONS:
        if question != "K-5":
            approve(world.office, world.review, question, 1, by="Ana")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


def faults(told: list[Told]) -> list[Any]:
    return [each for each in told if each.fault]
