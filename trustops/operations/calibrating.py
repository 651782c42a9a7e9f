"""Calibrating: what people did with the answers of the seats, and which documents those answers rested on.

Each version of a seat that a person looked at is graded once: approved as it was, reworded, changed in meaning, or rejected. Meaning is
typed facts, polarity and determination, as rules read them. Not told apart: a change of meaning in words that no rule reads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest

from trustops.checks.language import same_meaning
from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import Approval, Verdict
from trustops.facts.nouns import Names
from trustops.operations.office import Office
from trustops.ports import StoredReview

UNCHANGED, REWORDED, CHANGED_MEANING, REJECTED = GRADES = ("UNCHANGED", "REWORDED", "CHANGED_MEANING", "REJECTED")
SEATS = "agents"
"""The author of a version that the seats made."""


@dataclass(frozen=True, slots=True)
class Graded:
    """One version of the seats, and what a person made of it."""

    review: str
    question: str
    version: int
    grade: str
    by: str
    seat: str
    sources: tuple[str, ...]
    run: str
    at: datetime
    """When the person did it."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """All graded versions, and their counts by seat (with the model that served it) and by cited file."""

    graded: tuple[Graded, ...] = ()
    seats: Mapping[str, Counter[str]] = field(default_factory=dict)
    sources: Mapping[str, Counter[str]] = field(default_factory=dict)


def calibrate(office: Office) -> Calibration:
    """Over every review on record."""
    graded = tuple(one for review in office.ledger.reviews() for one in of_review(office, review))
    seats, sources = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for one in graded:
        seats[one.seat][one.grade] += 1
        for source in one.sources:
            sources[source][one.grade] += 1
    return Calibration(graded, dict(sorted(seats.items())), dict(sorted(sources.items())))


def grade(before: AnswerVersion, after: AnswerVersion, names: Names) -> str:
    """What one version made of another."""
    if (before.text.split(), before.determination) == (after.text.split(), after.determination):
        return UNCHANGED
    equal = before.determination is after.determination and same_meaning(before.text, after.text, names)
    return REWORDED if equal else CHANGED_MEANING


def of_review(office: Office, review: StoredReview) -> Iterator[Graded]:
    """The graded versions of one review."""
    calls = office.ledger.calls(review.id)
    verdicts = office.ledger.latest_approvals(review.id)
    for question in review.questionnaire.questions:
        versions = office.ledger.answers(review.id, question.ref)
        runs = {r.version: r.run for r in office.ledger.records(review.id, question.ref) if r.version is not None}
        for before, after in zip_longest(versions, versions[1:]):
            if before.author != SEATS:
                continue
            run = runs.get(before.version, "")
            served = calls.get((run, question.ref), ((), ()))[0]
            seat = next((f"answer, {c.provider} {c.model}" for c in served if c.seat == "answer"), "answer")
            made = _looked_at(before, after, verdicts.get(question.ref), office.names)
            if made is not None:
                files = tuple(dict.fromkeys(p.file for p in before.passages))
                yield Graded(review.id, question.ref, before.version, made[0], made[1], seat, files, run, made[2])


def _looked_at(
    before: AnswerVersion, after: AnswerVersion | None, verdict: Approval | None, names: Names
) -> tuple[str, str, datetime] | None:
    """The grade, the person and when; None where nobody has looked at it yet."""
    if after is not None and after.author != SEATS:
        return grade(before, after, names), after.author, after.created_at
    if verdict is None or verdict.digest != before.digest:
        return None
    return (UNCHANGED if verdict.verdict is Verdict.APPROVED else REJECTED), verdict.by, verdict.at


def rates(counts: Iterable[tuple[str, Counter[str]]]) -> Iterator[tuple[str, ...]]:
    """A line for each name: the count of every grade, and how many of all were left as they were."""
    for name, counter in counts:
        total = sum(counter.values())
        yield (name, *(str(counter[grade]) for grade in GRADES), f"{counter[UNCHANGED]}/{total}")
