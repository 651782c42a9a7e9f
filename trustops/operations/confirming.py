"""Confirming: whether an approved answer still holds on today's facts, found by code without a model (invariant 1).

Same findings, same cited texts, same bound values: it stands. Anything else: it does not, and the differences are named. Findings of
a Reviewer are not repeated: a model made them, and none that blocks was there when the answer was approved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from trustops.domain.answer import AnswerVersion, BoundReading
from trustops.domain.approval import Confirmation
from trustops.domain.control import Snapshot
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.domain.finding import Finding, FindingSource
from trustops.operations.office import Office
from trustops.operations.shelving import basis, shelf
from trustops.ports import QuestionRecord
from trustops.workflow.desk import Shelf
from trustops.workflow.repeat import repeat

Key = tuple[str, str, str]
"""Question, digest of the version, basis."""


class Confirming:
    """Repeats what code found for answers of one review, each once for a state of the facts, and only where that state is another
    one than the attempt saw. What was found before is read, not found again."""

    def __init__(self, office: Office, snapshots: Mapping[str, Snapshot], known: Iterable[Confirmation]) -> None:
        self.office, self.snapshots = office, snapshots
        self._known: dict[Key, Confirmation] = {(c.question, c.digest, c.basis): c for c in known}
        self._bases: dict[datetime, str] = {}
        self._shelves: dict[str, Shelf] = {}

    def of(self, record: QuestionRecord, answer: AnswerVersion, at: datetime, version: str = "") -> Confirmation:
        """The answer on the facts of an instant; `version` is its digest where that is computed already. Nothing is written here."""
        today = self._basis(at)
        version = version or answer.computed_digest()
        if record.basis == today and record.version == answer.version:
            return Confirmation(question=answer.question, digest=version, basis=today, stands=True, at=at)
        key = (answer.question, version, today)
        if key not in self._known:
            told = tuple(self._differences(record, answer, at))
            self._known[key] = Confirmation(
                question=answer.question, digest=version, basis=today, stands=not told, differences=told, at=self.office.clock.now()
            )
        return self._known[key]

    def _basis(self, at: datetime) -> str:
        day = at.replace(hour=0, minute=0, second=0, microsecond=0)
        if day not in self._bases:
            self._bases[day] = basis(self.office, self.snapshots, at)
        return self._bases[day]

    def differences(self, record: QuestionRecord, answer: AnswerVersion, at: datetime, reworded: Mapping[str, Passage]) -> tuple[str, ...]:
        """What is otherwise, where cited passages were written anew around words that still stand: `reworded` gives today's passage by
        the exhibit's former id. An approval covers the hashes and lapses all the same; what was said to a customer is still there."""
        return tuple(self._differences(record, answer, at, reworded))

    def _differences(
        self, record: QuestionRecord, answer: AnswerVersion, at: datetime, reworded: Mapping[str, Passage] | None = None
    ) -> Iterator[str]:
        today, reworded = self._basis(at), reworded or {}
        if today not in self._shelves:
            self._shelves[today] = shelf(self.office, at, self.snapshots)
        dossier, verified = repeat(self._shelves[today], record, answer, {name: passage.id for name, passage in reworded.items()})
        now = verified.version
        same = {p.sha256: reworded[p.exhibit].sha256 for p in answer.passages if p.exhibit in reworded}
        yield from _texts(answer, now, same)
        yield from _readings(answer.readings, now.readings)
        yield from _findings(record.dossier, answer.findings, dossier, verified.findings, same)
        if (answer.determination, answer.cells) != (now.determination, now.cells):
            yield "the same words would be written to the customer's cells otherwise"


def _texts(answer: AnswerVersion, now: AnswerVersion, same: Mapping[str, str]) -> Iterator[str]:
    held = {p.sha256 for p in now.passages}
    for passage in answer.passages:
        if same.get(passage.sha256, passage.sha256) not in held:
            yield f"the text cited from {passage.file}, {passage.locator} is another one, or is gone"
    cited = {same.get(p.sha256, p.sha256) for p in answer.passages}
    for passage in now.passages:
        if passage.sha256 not in cited:
            yield f"it would cite {passage.file}, {passage.locator} as well"


def _readings(before: Iterable[BoundReading], now: Iterable[BoundReading]) -> Iterator[str]:
    then, today = {r.control: r for r in before}, {r.control: r for r in now}
    for control in sorted(then.keys() | today.keys()):
        left, right = then.get(control), today.get(control)
        if left != right:
            yield f"control {control} was {_said(left)}, and is {_said(right)}"


def _said(reading: BoundReading | None) -> str:
    return f"{reading.in_words}, scope {reading.scope or 'none'}, {reading.source_mode}" if reading else "not bound"


def _findings(then: Dossier, before: Iterable[Finding], today: Dossier, now: Iterable[Finding], same: Mapping[str, str]) -> Iterator[str]:
    left, right = _by_rules(then, before, same), _by_rules(today, now, {})
    for key in sorted(right.keys() - left.keys()):
        yield f"{right[key].code.value}: {right[key].summary}"
    for key in sorted(left.keys() - right.keys()):
        yield f"{left[key].code.value} is no longer found: {left[key].summary}"


def _by_rules(dossier: Dossier, findings: Iterable[Finding], same: Mapping[str, str]) -> dict[tuple[str, ...], Finding]:
    """Findings of code by what they say about which texts and controls; ids of exhibits may differ from day to day."""
    return {
        (f.code.value, f.severity.value, *sorted(same.get(text, text) for text in (_text_of(dossier, name) for name in f.exhibits))): f
        for f in findings
        if f.source is not FindingSource.MODEL
    }


def _text_of(dossier: Dossier, name: str) -> str:
    exhibit = dossier.exhibits.get(name)
    if exhibit is None:
        return name
    return exhibit.sha256 if isinstance(exhibit, (Passage, PriorAnswer)) else exhibit.control.id
