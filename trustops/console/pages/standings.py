"""Rows of a review: where each of its questions stands, in one look into the books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trustops.console.pages.drawing import path
from trustops.console.pages.progress import Progress
from trustops.console.problems import Problem
from trustops.domain.question import Question
from trustops.domain.record import RunInfo
from trustops.domain.trust_review import QuestionStatus, trust_review_status
from trustops.operations.books import Books, current_answer, open_books
from trustops.operations.office import Office
from trustops.operations.standing import Standing, standing
from trustops.ports import StoredReview


@dataclass(frozen=True, slots=True)
class Row:
    """One question as a list shows it. `place` is its number in the review, so that a script finds its row whatever the ref is."""

    place: int
    ref: str
    text: str
    section: str
    address: str
    status: str
    determination: str
    decision: str
    risk: str
    codes: tuple[str, ...]
    version: int
    digest: str
    green: bool
    mode: str
    seats: tuple[tuple[str, str], ...]


def question_named(review: StoredReview, ref: str) -> Question:
    """A question of a review by its ref."""
    found = next((q for q in review.questionnaire.questions if q.ref == ref), None)
    if found is None:
        raise Problem(404, "there is no such question", remedy="The review's page lists its questions.")
    return found


def question_address(review: str, ref: str) -> str:
    """Where a question's page is."""
    return path("reviews", review, "questions", ref)


def rows(office: Office, review: StoredReview, progress: Progress | None, only: Sequence[str] = ()) -> list[Row]:
    """The rows of a review, or of some of its questions, in the order of the file."""
    books = open_books(office, review, only=frozenset(only) if only else None)
    asked = [(place, q) for place, q in enumerate(review.questionnaire.questions) if not only or q.ref in only]
    return [_row(books, standing(office, books, q.ref), place, q, progress) for place, q in asked]


def _row(books: Books, now: Standing, place: int, question: Question, progress: Progress | None) -> Row:
    ref = question.ref
    record, answer = books.records.get(ref), current_answer(books, ref)
    decision = record.result.decision.value if record else ""
    codes = sorted({f.code.value for f in record.result.findings if f.blocks}) if record else []
    return Row(
        place=place,
        ref=ref,
        text=question.text,
        section=question.section,
        address=question_address(books.review.id, ref),
        status=now.status.value,
        determination=answer.determination.value if answer else "",
        decision=decision,
        risk=record.risk if record else "",
        codes=tuple(codes),
        version=answer.version if answer else 0,
        digest=answer.digest if answer else "",
        green=decision == "PASS" and now.status is QuestionStatus.AWAITING_APPROVAL,
        mode=now.mode.value,
        seats=tuple(_seats(record is not None, now, ref, progress)),
    )


def _seats(decided: bool, now: Standing, ref: str, progress: Progress | None) -> Iterable[tuple[str, str]]:
    """The seats of the run that goes on; of one that is over, nothing needs to be told apart from the decision."""
    if progress is not None and (now.status is QuestionStatus.RUNNING or (not decided and ref in progress.seats)):
        return progress.seats_of(ref)
    return ()


def status_of(found: Iterable[Row]) -> str:
    """The whole review's status, from its rows."""
    return trust_review_status(QuestionStatus(row.status) for row in found).value


def counts(found: Iterable[Row]) -> list[tuple[str, int]]:
    """How many questions have which status, in the order of the vocabulary."""
    told = Counter(row.status for row in found)
    return [(status.value, told[status.value]) for status in QuestionStatus if told[status.value]]


def newest_run(office: Office, review: StoredReview) -> RunInfo | None:
    """The run of a review that started last."""
    return max(office.ledger.runs(review.id), key=lambda run: run.started_at, default=None)


def mode_word(modes: Iterable[str], fallback: str) -> str:
    """The badge for decided questions of these modes: LIVE where all are, TEST where one is not; before the first, what a run would be."""
    told = set(modes)
    return fallback if not told else "LIVE" if told == {"LIVE_AI"} else "TEST"
