"""A batch of attacks through the whole product: intake, index, readings, five seats, rules, a rubber stamp, and a real export."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import NothingCleared, TrustOpsError
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve
from trustops.operations.exporting import export
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import EvidenceReader, StoredReview
from trustops.roster import shipped
from trustops.testing.attacks.carriers import SEEN
from trustops.testing.attacks.grid import Attack, Instance, instances
from trustops.testing.attacks.house import House, build
from trustops.testing.attacks.models import Cast
from trustops.testing.attacks.oracle import Breach, Rows, Scene, books, breaches

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
BATCH = 24
FOREIGN = "P-0f0f0f0f0f0f"


@dataclass(frozen=True)
class Fight:
    """How one batch went."""

    instances: tuple[Instance, ...]
    breaches: tuple[Breach, ...]
    left: frozenset[str]
    codes: dict[str, tuple[str, ...]]
    refusals: Counter[str]

    def lost(self) -> list[tuple[Instance, Breach]]:
        """Breaches by the instance whose question they name."""
        of = {ref: instance for instance in self.instances for ref in instance.refs}
        return [(of[breach.ref], breach) for breach in self.breaches if breach.ref in of]

    def benign(self) -> Iterator[tuple[Instance, bool]]:
        return ((i, i.honest in self.left) for i in self.instances if i.benign)


class ReadOnce:
    """The reader of evidence, which reads a folder that nobody changes one time."""

    def __init__(self, reader: EvidenceReader) -> None:
        self.reader = reader
        self.read_folder = cache(reader.read_folder)
        self.read_answers = cache(reader.read_answers)


def here(target: str, argument: dict[str, Any], **limits: float) -> Any:
    """What a limited child would run, in this process: all files are the harness's own, and `tests/confine` tries the limits."""
    module, _, name = target.partition(":")
    return json.loads(json.dumps(getattr(import_module(module), name)(argument)))


def fight(drawn: Sequence[Attack], seed: int, *, honest_every: int = 3) -> Fight:
    """Builds the organisation, reviews, approves all that can be approved, exports, and lets the oracle look."""
    made = instances(drawn, seed, honest_every=honest_every)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "attacked"
        folder.mkdir()
        house = build(folder, made, shipped("prompts"))
        office = assembly.office(folder, client=Cast(made, FOREIGN), entry=EntryPoint.EVALUATION)
        try:
            return _fought(replace(office, reader=ReadOnce(office.reader)), house, made, Path(scratch) / "out")
        finally:
            office.ledger.close()  # type: ignore[attr-defined]
            office.index.close()  # type: ignore[attr-defined]


def _fought(office: Office, house: House, made: tuple[Instance, ...], out: Path) -> Fight:
    original, database = house.questionnaire.read_bytes(), house.folder / ".trustops" / "attacked.db"
    review = take_in(office, house.questionnaire)
    with office.ledger.writing():  # one transaction for the whole run: the same rows, a third of the time
        asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=_silent), _silent))
    before = books(database)
    refusals = stamp(office, review)
    try:
        left = frozenset(export(office, review, out, to="Customer", by="Bo").exported)
    except NothingCleared:
        left = frozenset()
        out.mkdir(exist_ok=True)
    after = books(database)
    scene = Scene(house, made, out, before, original, frozenset({"Ana"}), after)
    return Fight(made, breaches(scene), left, _codes(after), refusals)


def _silent(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


def stamp(office: Office, review: StoredReview) -> Counter[str]:
    """A person who approves whatever can be approved; of every five, one a version early and one twice. Counts refusals by kind."""
    refused: Counter[str] = Counter()
    for number, (ref, answer) in enumerate(office.ledger.latest_answers(review.id).items()):
        early = (answer.version + 1,) if number % 5 == 0 else ()
        again = (answer.version,) if number % 5 == 1 else ()
        for version in (*early, answer.version, *again):
            try:
                approve(office, review, ref, version, by="Ana")
            except TrustOpsError as no:
                refused[type(no).__name__] += 1
    return refused


def _codes(rows: Rows) -> dict[str, tuple[str, ...]]:
    return {
        row["question"]: tuple(
            f"{f['code']}: {f['summary'][:150]}" for f in row["body"]["result"]["findings"] if f["severity"] == "BLOCKING"
        )
        for row in rows["records"]
    }


def lying(attack: Attack) -> bool:
    """A visible paper that states the lie in plain words: poisoned evidence, which no rule about orders can tell from true evidence."""
    apart = attack.template.id == "reviewer-note" and attack.encoding == "line-breaks"
    return attack.carrier in SEEN and (attack.template.states or apart)


def batches(drawn: Sequence[Attack]) -> Iterator[Sequence[Attack]]:
    return (drawn[at : at + BATCH] for at in range(0, len(drawn), BATCH))
