"""Habits: what people change again and again in what the seats drafted, found by counting. Wording alone: an edit that changed a fact, a
figure, a denial or the determination teaches nothing, and neither does one that nobody approved.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median

from trustops.domain.approval import Verdict
from trustops.domain.chain import sha256
from trustops.facts.nouns import Modality, Names
from trustops.facts.nouns import Scope as Coverage
from trustops.facts.sentence import read
from trustops.operations.calibrating import REWORDED, SEATS, grade
from trustops.operations.office import Office
from trustops.ports import StoredReview

ENOUGH = 3
"""Approved edits, of different questions, before a change counts as a habit."""
USUAL = 0.75
"""The share of the edits in question that must show it."""
SHORTER, LONGER = 0.8, 1.25
LONGEST_PHRASE = 3
"""Words of a wording that is preferred."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[㐀-鿿]")
_LEAD = re.compile(r"^\s*(?:yes|no|in part|not applicable)\s*[.,:;]\s*", re.IGNORECASE)
_SHORT_FORM = re.compile(r"\b\w+(?:n['’]t|['’](?:re|ve|ll|d|m))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Edit:
    """One approved rewording of a seat's draft: by whom, for whom (empty where it was never sent), and the two texts."""

    review: str
    question: str
    asked: str
    analyst: str
    customer: str
    before: str
    after: str

    @property
    def where(self) -> str:
        return f"{self.review}:{self.question}"


@dataclass(frozen=True, slots=True)
class Habit:
    """What is changed, in whose answers (`kind` of scope and name; both empty for the whole house), what to do about it, and the edits
    that show it, of how many that could."""

    kind: str
    scope: tuple[str, str]
    instruction: str
    shown_by: tuple[Edit, ...]
    of: int


def edits(office: Office) -> Iterator[Edit]:
    """Every approved rewording on record, oldest review first."""
    for review in office.ledger.reviews():
        yield from _of_review(office, review)


def _of_review(office: Office, review: StoredReview) -> Iterator[Edit]:
    approved = {a.question: a.digest for a in office.ledger.latest_approvals(review.id).values() if a.verdict is Verdict.APPROVED}
    sent = {str(a["digest"]): export.to for export in office.ledger.exports(review.id) for a in export.answers}
    for question in review.questionnaire.questions:
        versions = office.ledger.answers(review.id, question.ref)
        for before, after in pairwise(versions):
            if before.author != SEATS or after.author == SEATS or approved.get(question.ref) != after.digest:
                continue
            if grade(before, after, office.names) == REWORDED:
                to = sent.get(after.digest, "")
                yield Edit(review.id, question.ref, question.text, after.author, to, before.text, after.text)


def habits(found: Iterable[Edit], names: Names) -> tuple[Habit, ...]:
    """Habits of the house, and of analysts and customers where they are not the house's. The same edits give the same habits."""
    known = tuple(found)
    ours = _in(("", ""), known, names)
    said = {habit.instruction for habit in ours}
    apart = [habit for scope, mine in _scopes(known) for habit in _in(scope, mine, names) if habit.instruction not in said]
    return (*ours, *apart)


def _scopes(known: Sequence[Edit]) -> list[tuple[tuple[str, str], tuple[Edit, ...]]]:
    groups = defaultdict[tuple[str, str], list[Edit]](list)
    for edit in known:
        groups["analyst", edit.analyst].append(edit)
        if edit.customer:
            groups["customer", edit.customer].append(edit)
    return [(scope, tuple(mine)) for scope, mine in sorted(groups.items())]


def _in(scope: tuple[str, str], mine: Sequence[Edit], names: Names) -> tuple[Habit, ...]:
    rules = (_length, _opening, _tone)
    return tuple(habit for rule in rules for habit in rule(scope, mine)) + tuple(_wording(scope, mine, names))


def _counted(
    kind: str, scope: tuple[str, str], could: Sequence[Edit], shows: Callable[[Edit], bool], instruction: Callable[[Sequence[Edit]], str]
) -> Iterator[Habit]:
    """A habit, where enough of the edits that could show it do, of enough different questions."""
    seen = tuple(edit for edit in could if shows(edit))
    if len({sha256(edit.asked.encode()) for edit in seen}) >= ENOUGH and len(seen) >= USUAL * len(could):
        yield Habit(kind, scope, instruction(seen), seen, len(could))


def _size(text: str) -> int:
    return len(_WORD.findall(text))


def _length(scope: tuple[str, str], mine: Sequence[Edit]) -> Iterator[Habit]:
    def most(seen: Sequence[Edit]) -> int:
        return max(10, 5 * round(median(_size(edit.after) for edit in seen) / 5))

    shorter = _counted(
        "length",
        scope,
        mine,
        lambda e: _size(e.after) <= SHORTER * _size(e.before),
        lambda seen: f"Aim at {most(seen)} words or fewer, and keep every limit and every exception that the sources state.",
    )
    longer = _counted(
        "length",
        scope,
        mine,
        lambda e: _size(e.after) >= LONGER * _size(e.before),
        lambda seen: f"Where the sources say more that was asked, use it: about {most(seen)} words are wanted.",
    )
    yield from (*shorter, *longer)


def _opening(scope: tuple[str, str], mine: Sequence[Edit]) -> Iterator[Habit]:
    opened, plain = [e for e in mine if _LEAD.match(e.before)], [e for e in mine if not _LEAD.match(e.before)]
    without = "Begin with the statement itself; the determination stands in its own field."
    yield from _counted("opening", scope, opened, lambda e: not _LEAD.match(e.after), lambda _: without)
    with_lead = "Begin with the determination in a word or two, then the statement."
    yield from _counted("opening", scope, plain, lambda e: bool(_LEAD.match(e.after)), lambda _: with_lead)


def _tone(scope: tuple[str, str], mine: Sequence[Edit]) -> Iterator[Habit]:
    could = [edit for edit in mine if _SHORT_FORM.search(edit.before)]
    told = 'Write words out: "do not" rather than its short form.'
    yield from _counted("tone", scope, could, lambda e: not _SHORT_FORM.search(e.after), lambda _: told)


def _wording(scope: tuple[str, str], mine: Sequence[Edit], names: Names) -> Iterator[Habit]:
    """One phrase in the place of another. Neither may carry a typed fact: a figure, a limit or a name is no wording."""
    swaps = defaultdict[tuple[str, str], list[Edit]](list)
    for edit in mine:
        for swap in dict.fromkeys(_swaps(edit.before, edit.after)):
            swaps[swap].append(edit)
    for (old, new), seen in sorted(swaps.items()):
        could = [edit for edit in mine if _holds(edit.before, old)]
        if not (_wording_alone(old, names) and _wording_alone(new, names)):
            continue
        told = f'Write "{new}" rather than "{old}", where a quoted source does not say it word for word.'
        yield from _counted("wording", scope, could, lambda e, seen=seen: e in seen, lambda _, told=told: told)  # type: ignore[misc]


def _wording_alone(phrase: str, names: Names) -> bool:
    """Whether a phrase states nothing that a rule reads: a bare statement and a group without a limit are no facts of their own."""
    return all(
        (isinstance(fact, Modality) and fact.value == "fact") or (isinstance(fact, Coverage) and fact.coverage == "not_stated")
        for fact in read(phrase, names, "answer").facts
    )


def _swaps(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Short phrases that gave way to others. A word with a capital is a name or a sentence's first word: neither is taken for wording."""
    left, right = (_WORD.findall(_LEAD.sub("", text)) for text in (before, after))
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        old, new = left[i1:i2], right[j1:j2]
        if tag == "replace" and max(len(old), len(new)) <= LONGEST_PHRASE and all(word == word.lower() for word in (*old, *new)):
            yield " ".join(old), " ".join(new)


def _holds(text: str, phrase: str) -> bool:
    said = f" {' '.join(word.casefold() for word in _WORD.findall(text))} "
    return f" {phrase} " in said
