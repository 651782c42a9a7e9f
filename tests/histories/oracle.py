"""What must hold of a history, kept beside the product and written from its specification (product.md, invariants 1, 2, 4, 11, 12).

It is told what was done and what the books know of the world; it never asks the product where an answer stands. Three answers are
possible: True (must), False (must not), None (the specification leaves it open, or words decide).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.histories.world import IN_FORCE_UNTIL, PEOPLE, QUESTIONS, START

MAY_APPROVE = {name for name, role in PEOPLE.items() if role in ("approver", "admin")}
MAY_EDIT = MAY_APPROVE | {name for name, role in PEOPLE.items() if role == "analyst"}
HIGH = {"K-3"}
MAX_AGE, SETTLED = timedelta(hours=24), timedelta(hours=20)
VALUES = {"same": (311, 311), "other": (312, 312), "drift": (310, 311), "stale": (311, 311)}


@dataclass(frozen=True)
class Known:
    """What index and snapshots hold: the logging standard, the canteen's notes, the newest reading and its time, the withdrawal."""

    logging: str = "original"
    notes: str = "absent"
    reading: str = "same"
    observed: datetime = START - timedelta(hours=1)
    collected: bool = True
    withdrawn: bool = False


@dataclass(frozen=True)
class Version:
    """One version of an answer. `lie` is what the text says in any world; `sealed` the world its dossier is of; `made` when."""

    number: int
    digest: str
    author: str
    lie: bool
    sealed: Known
    made: datetime


@dataclass
class Oracle:
    """The specification's account of one organisation."""

    now: datetime = START
    latest: datetime = START
    """The newest instant that anything was decided at: a clock before it went backwards, and nothing must be done then."""
    known: Known = Known()
    versions: dict[str, list[Version]] = field(default_factory=lambda: {ref: [] for ref in QUESTIONS})
    dossier: dict[str, Known] = field(default_factory=dict)
    verdicts: dict[str, list[tuple[str, str, str, datetime, Known]]] = field(default_factory=lambda: {ref: [] for ref in QUESTIONS})
    """By question: verdict, digest, person, time, and what was known then."""
    sent: dict[tuple[str, frozenset[tuple[str, str]]], str] = field(default_factory=dict)
    """Export's id by customer and what left: the key of an export."""
    left: dict[str, set[str]] = field(default_factory=lambda: {ref: set() for ref in QUESTIONS})

    def current(self, ref: str) -> Version:
        return self.versions[ref][-1]

    def fresh(self, margin: timedelta = timedelta(0)) -> bool:
        return timedelta(0) <= self.now - self.known.observed <= MAX_AGE - margin

    def blocked(self, ref: str) -> bool | None:
        """Whether the newest attempt at a question must have ended with a blocking finding, at the time it was made."""
        version = self.current(ref)
        if version.lie:
            return True
        if version.made >= IN_FORCE_UNTIL or version.made < START - timedelta(days=30):
            return None
        return {"K-1": self._by_reading, "K-2": self._by_document, "K-3": lambda v: False, "K-5": self._by_promise}[ref](version)

    def _by_reading(self, version: Version) -> bool | None:
        known = version.sealed
        if not known.collected:
            return None if version.author != "agents" else True
        age = version.made - known.observed
        if age > MAX_AGE and version.author != "agents" and known.reading != "drift":
            return None  # a person's words stand on the sealed dossier; the gate looks at the clock
        if known.reading == "drift" or age > MAX_AGE:
            return True
        return False if age >= timedelta(0) else None

    def _by_document(self, version: Version) -> bool | None:
        if version.sealed.logging == "original":
            return False
        return True if version.author != "agents" or version.sealed.logging == "gone" else None

    def _by_promise(self, version: Version) -> bool | None:
        return not version.sealed.withdrawn

    def approved(self, ref: str) -> bool:
        """Whether the newest verdict is an approval of exactly the current content by somebody who may give it."""
        if not self.verdicts[ref]:
            return False
        verdict, digest, by, _, _ = self.verdicts[ref][-1]
        version = self.current(ref)
        if ref in HIGH and by == version.author:
            return False
        return verdict == "APPROVED" and digest == version.digest and by in MAY_APPROVE

    def rejected(self, ref: str) -> bool:
        return bool(self.verdicts[ref]) and self.verdicts[ref][-1][:2] == ("REJECTED", self.current(ref).digest)

    def bound_facts_hold(self, ref: str) -> bool:
        """The cited document is held as cited; the newest reading is fresh, PASS and equal to the bound one."""
        sealed = self.current(ref).sealed
        if ref == "K-2":
            return self.known.logging == sealed.logging
        if ref == "K-1":
            return self.known.reading != "drift" and self.fresh() and VALUES[self.known.reading] == VALUES[sealed.reading]
        return True

    def nothing_happened(self, ref: str, since: Known, at: datetime) -> bool:
        """Nothing that could touch an answer changed, and no deadline is near."""
        calm = timedelta(0) <= self.now - at <= SETTLED and self.latest <= self.now < IN_FORCE_UNTIL
        return calm and since == self.known == self.current(ref).sealed and self.fresh()

    def may_decide(self, by: str, among: set[str]) -> bool | None:
        """Whether somebody may act at all: the role must permit it, and the clock must not have gone backwards."""
        if by not in among:
            return False
        return True if self.now >= self.latest else None

    def may_approve(self, ref: str, number: int | None, by: str) -> bool | None:
        version = self.current(ref)
        if by not in MAY_APPROVE or number != version.number or self.blocked(ref) or (ref in HIGH and by == version.author):
            return False
        if not self.bound_facts_hold(ref):
            return False
        return True if self.blocked(ref) is False and self.nothing_happened(ref, version.sealed, version.made) else None

    def may_leave(self, ref: str) -> bool | None:
        if not self.approved(ref) or self.blocked(ref) or not self.bound_facts_hold(ref) or self.now >= IN_FORCE_UNTIL:
            return False
        *_, at, then = self.verdicts[ref][-1]
        version = self.current(ref)
        calm = self.nothing_happened(ref, then, at) and self.nothing_happened(ref, version.sealed, version.made)
        return True if self.blocked(ref) is False and calm else None
