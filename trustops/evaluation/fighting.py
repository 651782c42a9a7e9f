"""A batch of attacks through the whole product: intake, index, readings, five seats, rules, a rubber stamp, and a real export."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import NothingCleared, TrustOpsError
from trustops.evaluation.suite import OpenOffice, ReadOnce, close
from trustops.operations.answering import Prepared, prepare, run_review
from trustops.operations.approving import approve
from trustops.operations.exporting import export
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import StoredReview
from trustops.roster import shipped
from trustops.testing.attacks.carriers import SEEN
from trustops.testing.attacks.grid import Attack, Instance, instances
from trustops.testing.attacks.house import House, build
from trustops.testing.attacks.models import Cast
from trustops.testing.attacks.oracle import Breach, Rows, Scene, books, breaches

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
BATCH = 24
FOREIGN = "P-0f0f0f0f0f0f"
Again = Callable[[Office, Prepared, Sequence[Instance], int], int]
"""Drafts the attacked questions once more; how many there were."""


@dataclass(frozen=True)
class Fight:
    """How one batch went. `tried` counts the drafts that were put before approver and gate, `sent` the exports that were attempted."""

    instances: tuple[Instance, ...]
    breaches: tuple[Breach, ...]
    left: frozenset[str]
    codes: dict[str, tuple[str, ...]]
    refusals: Counter[str]
    tried: int
    sent: int

    def lost(self) -> list[tuple[Instance, Breach]]:
        """Breaches by the instance whose question they name."""
        of = {ref: instance for instance in self.instances for ref in instance.refs}
        return [(of[breach.ref], breach) for breach in self.breaches if breach.ref in of]

    def benign(self) -> Iterator[tuple[Instance, bool]]:
        return ((i, i.honest in self.left) for i in self.instances if i.benign)


def fight(
    drawn: Sequence[Attack],
    seed: int,
    open_office: OpenOffice,
    scratch: Path,
    *,
    honest_every: int = 3,
    turns: int = 1,
    again: Again | None = None,
) -> Fight:
    """Builds the organisation in `scratch`, reviews, approves all that can be approved, exports, and lets the oracle look.

    With more `turns` the attacked questions are drafted `again` on the dossiers that the review sealed, and there is another export.
    """
    made = instances(drawn, seed, honest_every=honest_every)
    folder = scratch / "attacked"
    folder.mkdir()
    house = build(folder, made, shipped("prompts"))
    office = open_office(folder, client=Cast(made, FOREIGN), entry=EntryPoint.EVALUATION)
    try:
        return _fought(replace(office, reader=ReadOnce(office.reader)), house, made, scratch, turns, again)
    finally:
        close(office)


def _fought(office: Office, house: House, made: tuple[Instance, ...], scratch: Path, turns: int, again: Again | None) -> Fight:
    review, refusals = take_in(office, house.questionnaire), Counter[str]()
    found: list[Breach] = []
    first: Sent | None = None
    prepared = prepare(office, review, as_of=AT, watch=_silent)
    tried, before = 0, books(house.folder / ".trustops" / "attacked.db")
    for turn in range(turns):
        with office.ledger.writing():  # one transaction for all of it: the same rows, a third of the time
            if turn and again is not None:
                tried += again(office, prepared, made, turn)
            if turn == 0:
                tried += len(made)
                asyncio.run(run_review(office, prepared, _silent))
        sent = _sent(office, review, house, made, scratch / f"out-{turn}", refusals, before)
        before = sent.after
        found += sent.breaches
        first = first or sent
    assert first is not None
    return Fight(made, tuple(found), first.left, first.codes, refusals, tried, turns)


@dataclass(frozen=True)
class Sent:
    """One export of an attacked organisation."""

    breaches: tuple[Breach, ...]
    left: frozenset[str]
    codes: dict[str, tuple[str, ...]]
    after: Rows


def _sent(
    office: Office, review: StoredReview, house: House, made: tuple[Instance, ...], out: Path, refusals: Counter[str], before: Rows
) -> Sent:
    """Approves what can be approved and exports to somebody new; what left then is judged by the books as they are then."""
    database = house.folder / ".trustops" / "attacked.db"
    refusals += stamp(office, review, {(row["question"], row["version"]) for row in before["answers"]})
    try:
        left = frozenset(export(office, review, out, to=f"Customer of {out.name}", by="Bo").exported)
    except NothingCleared:
        left = frozenset()
        out.mkdir(exist_ok=True)
    after = books(database)
    seen = after | {"exports": after["exports"][len(before["exports"]) :]}
    scene = Scene(house, made, out, before, house.original, frozenset({"Ana"}), seen)
    return Sent(breaches(scene), left, _codes(after), after)


def _silent(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


def stamp(office: Office, review: StoredReview, seen: Set[tuple[str, int]] = frozenset()) -> Counter[str]:
    """A person who approves whatever can be approved and was not seen before; of every five, one a version early and one twice. Counts
    refusals by kind."""
    refused: Counter[str] = Counter()
    for number, (ref, answer) in enumerate(office.ledger.latest_answers(review.id).items()):
        if (ref, answer.version) in seen:
            continue
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
    """The drawn attacks in batches of one organisation each."""
    return (drawn[at : at + BATCH] for at in range(0, len(drawn), BATCH))
