"""Differing: what is otherwise than when somebody looked, in words. A refusal that names it saves a person the search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trustops.checks.drift import evaluate
from trustops.domain.answer import AnswerVersion, BoundPassage
from trustops.domain.control import ControlReading
from trustops.operations.books import Books, current_answer, instant_of, open_books
from trustops.operations.office import Office
from trustops.operations.standing import standing
from trustops.ports import StoredReview

OF_FACTS = frozenset(
    {
        "READING_CHANGED",
        "READING_NOT_FRESH",
        "READING_NOT_PASS",
        "PASSAGE_CHANGED",
        "NOT_RECONFIRMED",
        "GATE_VERSION_CHANGED",
        "INCONSISTENT_ANSWERS",
    }
)
"""Reasons of the gate that say the version was checked on other facts than today's."""
LONGEST = 120
"""Characters of a text that are shown in a difference."""


def between(before: AnswerVersion, after: AnswerVersion) -> tuple[str, ...]:
    """Two versions of one answer: every field that an approval covers and that is another one now."""
    return tuple(_between(before, after))


def _between(before: AnswerVersion, after: AnswerVersion) -> Iterator[str]:
    if before.determination is not after.determination:
        yield f"determination {before.determination.value} became {after.determination.value}"
    if before.text != after.text:
        yield f"text {_short(before.text)} became {_short(after.text)}"
    yield from _cells(before, after)
    yield from _sets("cited text", {_place(p) for p in before.passages}, {_place(p) for p in after.passages})
    yield from _sets("reading", {(r.control, r.in_words) for r in before.readings}, {(r.control, r.in_words) for r in after.readings})
    yield from _sets("finding", {(f.code.value,) for f in before.findings}, {(f.code.value,) for f in after.findings})
    if before.attachments != after.attachments:
        yield f"attachments {', '.join(before.attachments) or 'none'} became {', '.join(after.attachments) or 'none'}"
    if before.gate_version != after.gate_version:
        yield f"it was judged by the rules {before.gate_version}, and then by {after.gate_version}"
    if before.author != after.author:
        yield f"its author is {after.author}"


def _cells(before: AnswerVersion, after: AnswerVersion) -> Iterator[str]:
    left, right = ({(v.sheet, v.cell): v.value for v in each.cells} for each in (before, after))
    for place in sorted(left.keys() | right.keys()):
        if left.get(place) != right.get(place) and right.get(place) != after.text:
            yield f"cell {place[1]} {_short(left.get(place, ''))} became {_short(right.get(place, ''))}"


def _sets(what: str, before: set[tuple[str, ...]], after: set[tuple[str, ...]]) -> Iterator[str]:
    yield from (f"{what} {', '.join(entry[:2])} is gone" for entry in sorted(before - after))
    yield from (f"{what} {', '.join(entry[:2])} is new" for entry in sorted(after - before))


def _place(passage: BoundPassage) -> tuple[str, ...]:
    return (passage.file, passage.locator, passage.sha256)


def _short(text: str) -> str:
    return f"“{text[:LONGEST]}{'…' if len(text) > LONGEST else ''}”"


def changed_since(office: Office, review: StoredReview, ref: str) -> tuple[str, ...]:
    """What changed since the current version of a question was checked; nothing where there is none, or it is blocked anyway."""
    books = open_books(office, review)
    answer = current_answer(books, ref)
    if answer is None or books.records[ref].result.decision.value == "BLOCK":
        return ()
    return since_checked(office, books, answer, set(standing(office, books, ref).gate.reasons) & OF_FACTS)


def since_checked(office: Office, books: Books, answer: AnswerVersion, reasons: Iterable[str]) -> tuple[str, ...]:
    """What changed since the version was checked, for the gate's reasons; what has no words of its own stands by its name."""
    found = [line for reason in reasons for line in _because(office, books, answer, reason)]
    record = books.records[answer.question]
    confirmation = books.confirming.of(record, answer, instant_of(office, books.runs.get(record.run)))
    return tuple(dict.fromkeys([*found, *confirmation.differences]))


def _because(office: Office, books: Books, answer: AnswerVersion, reason: str) -> Iterable[str]:
    if reason == "GATE_VERSION_CHANGED":
        return (f"the rules or [gate] settings are {office.gate_version}, and were {answer.gate_version}",)
    if reason == "INCONSISTENT_ANSWERS":
        return _clashes(books, answer)
    if reason == "PASSAGE_CHANGED":
        return _passages(books, answer)
    if reason.startswith("READING_"):
        return _readings(office, books, answer)
    return () if reason == "NOT_RECONFIRMED" else (reason,)


def _clashes(books: Books, answer: AnswerVersion) -> Iterator[str]:
    for clash in books.clashing:
        if answer.digest in clash.digests:
            other = clash.right if clash.left == answer.question else clash.left
            yield f"it cannot be true beside the answer to {other}: {_short(clash.sentences[0])} against {_short(clash.sentences[1])}"


def _passages(books: Books, answer: AnswerVersion) -> Iterator[str]:
    for passage in answer.passages:
        if passage.sha256 not in books.held:
            yield f"the text cited from {passage.file}, {passage.locator} is another one, or is gone"


def _readings(office: Office, books: Books, answer: AnswerVersion) -> Iterator[str]:
    at = instant_of(office, books.runs.get(books.records[answer.question].run))
    controls = {control.id: control for control in office.controls}
    for bound in answer.readings:
        control = controls.get(bound.control)
        now = evaluate(control, books.snapshots.get(bound.control), at) if control else None
        yield f"control {bound.control} was {bound.in_words}, and {in_words(now)}"


def in_words(reading: ControlReading | None) -> str:
    """What a control says today, with its values and why."""
    if reading is None:
        return "is not in the catalogue any more"
    values = ", ".join(f"{name} {value}" for name, value in sorted(reading.snapshot.values.items())) if reading.snapshot else "no reading"
    return f"is {reading.evaluation.value} ({values})" + (f": {reading.why}" if reading.why else "")
