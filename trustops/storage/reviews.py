"""Reviews, runs, and what each attempt at a question concluded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, func, select

from trustops.domain.record import RunInfo
from trustops.ports import QuestionRecord, StoredReview
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given
from trustops.storage.decoded import record_of, review_of

FOLLOW_UP = "F-"
"""How the id of a follow-up's case begins."""
REVIEWS = select(t.reviews.c.body).where(t.reviews.c.org == ORG).order_by(t.reviews.c.created_at)
FOLLOW_UPS = REVIEWS.where(t.reviews.c.id.startswith(FOLLOW_UP))
NEWEST_REVIEW = (
    select(t.reviews.c.body)
    .where(t.reviews.c.org == ORG, ~t.reviews.c.id.startswith(FOLLOW_UP))
    .order_by(t.reviews.c.created_at.desc())
    .limit(1)
)
NEWEST_RUN = (
    select(t.runs.c.review).where(t.runs.c.org == ORG, ~t.runs.c.review.startswith(FOLLOW_UP)).order_by(t.runs.c.started_at.desc()).limit(1)
)
LAST_PAUSE = select(func.max(t.pauses.c.seq)).where(t.pauses.c.org == ORG, t.pauses.c.run == given("run"))
PAUSE = (
    select(t.pauses.c.state)
    .where(t.pauses.c.org == t.runs.c.org, t.pauses.c.run == t.runs.c.id)
    .order_by(t.pauses.c.seq.desc())
    .limit(1)
    .scalar_subquery()
)
RUNS = (
    select(t.runs.c.body, t.run_ends.c.state, PAUSE.label("pause"))
    .select_from(t.runs.outerjoin(t.run_ends, (t.run_ends.c.org == t.runs.c.org) & (t.run_ends.c.run == t.runs.c.id)))
    .where(t.runs.c.org == ORG)
    .order_by(t.runs.c.started_at)
)
RUN, RUNS_OF = RUNS.where(t.runs.c.id == given("run")), RUNS.where(t.runs.c.review == given("review"))
RECORDS = (
    select(t.records.c.question, t.records.c.attempt, t.records.c.body)
    .where(t.records.c.org == ORG, t.records.c.review == given("review"))
    .order_by(t.records.c.attempt)
)
ATTEMPTS = (
    select(t.records.c.question, t.records.c.attempt)
    .where(t.records.c.org == ORG, t.records.c.review == given("review"))
    .order_by(t.records.c.attempt)
)
RECORD = select(t.records.c.body).where(
    t.records.c.org == ORG,
    t.records.c.review == given("review"),
    t.records.c.question == given("question"),
    t.records.c.attempt == given("attempt"),
)
RECORDS_OF = RECORDS.where(t.records.c.question == given("question"))
LAST_ATTEMPT = select(func.max(t.records.c.attempt)).where(
    t.records.c.org == ORG, t.records.c.review == given("review"), t.records.c.question == given("question")
)

FEW = 8
"""Records that are read one by one before all are."""


class ReviewLedger(Book):
    """Reviews by id, their runs, and the records of attempts."""

    def append_review(self, review: StoredReview) -> None:
        self.add(t.reviews, id=review.id, created_at=review.created_at.isoformat(), body=review.model_dump_json())

    def get_review(self, id_or_prefix: str) -> StoredReview | None:
        """By id or by an unambiguous beginning of it."""
        found = self.all(select(t.reviews.c.body).where(t.reviews.c.org == ORG, t.reviews.c.id.startswith(id_or_prefix, autoescape=True)))
        return review_of(found[0].body) if len(found) == 1 and id_or_prefix else None

    def latest_review(self) -> StoredReview | None:
        """The workbook's review whose run started last, else the one created last; a follow-up's case is never meant by it."""
        latest_run = self.all(NEWEST_RUN)
        if latest_run:
            return self.get_review(latest_run[0].review)
        found = self.all(NEWEST_REVIEW)
        return review_of(found[0].body) if found else None

    def reviews(self) -> tuple[StoredReview, ...]:
        return tuple(review_of(row.body) for row in self.all(REVIEWS))

    def follow_ups(self, review: str) -> tuple[StoredReview, ...]:
        """The cases of the follow-ups to a review's questions, in the order in which they were asked."""
        found = (review_of(row.body) for row in self.all(FOLLOW_UPS))
        return tuple(case for case in found if case.follows is not None and case.follows.review == review)

    def append_run(self, run: RunInfo) -> None:
        self.add(t.runs, id=run.id, review=run.review, started_at=run.started_at.isoformat(), body=run.model_dump_json())

    def end_run(self, run: str, state: str) -> None:
        """Appends the end; a run ends once, a second end is refused by the key."""
        self.add(t.run_ends, run=run, state=state)

    def append_pause(self, run: str, *, paused: bool) -> None:
        """A run is paused, or goes on. The newest row counts."""
        with self.writing():
            seq = (self.all(LAST_PAUSE, run=run)[0][0] or 0) + 1
            self.add(t.pauses, run=run, seq=seq, state="PAUSED" if paused else "RESUMED")

    def get_run(self, run: str) -> RunInfo | None:
        found = _runs(self.all(RUN, run=run))
        return found[0] if found else None

    def runs(self, review: str) -> tuple[RunInfo, ...]:
        return _runs(self.all(RUNS_OF, review=review))

    def append_record(self, review: str, record: QuestionRecord) -> None:
        self.add(t.records, review=review, question=record.question, attempt=record.attempt, run=record.run, body=record.model_dump_json())

    def last_attempt(self, review: str, question: str) -> int:
        """The number of the newest attempt at a question, 0 before the first."""
        return int(self.all(LAST_ATTEMPT, review=review, question=question)[0][0] or 0)

    def records(self, review: str, question: str) -> tuple[QuestionRecord, ...]:
        """All attempts at one question, oldest first."""
        return tuple(record_of(row.body) for row in self.all(RECORDS_OF, review=review, question=question))

    def latest_records(self, review: str) -> Mapping[str, QuestionRecord]:
        """The newest attempt of each question, by ref, in the order of the attempts."""
        return _Newest(self, review)


class _Newest(Mapping[str, QuestionRecord]):
    """The newest attempts of a review, as they were numbered at one moment. Records are the bulk of a review: a few are read one by one,
    and all in one query when somebody goes through them. What is on record of an attempt does not change."""

    def __init__(self, book: Book, review: str) -> None:
        self._book, self._review = book, review
        self._attempts = {row.question: row.attempt for row in book.all(ATTEMPTS, review=review)}
        self._known: dict[str, QuestionRecord] = {}
        self._bodies: dict[str, str] | None = None

    def __getitem__(self, key: str) -> QuestionRecord:
        if key not in self._known:
            self._known[key] = record_of(self._body(key, self._attempts[key]))
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attempts)

    def __len__(self) -> int:
        return len(self._attempts)

    def __contains__(self, key: object) -> bool:
        return key in self._attempts

    def _body(self, key: str, attempt: int) -> str:
        if self._bodies is None and len(self._known) >= FEW:
            rows = self._book.all(RECORDS, review=self._review)
            self._bodies = {row.question: row.body for row in rows if row.attempt == self._attempts.get(row.question)}
        if self._bodies is not None and key in self._bodies:
            return self._bodies[key]
        return str(self._book.all(RECORD, review=self._review, question=key, attempt=attempt)[0].body)


def _runs(rows: Sequence[Row[Any]]) -> tuple[RunInfo, ...]:
    return tuple(
        RunInfo.model_validate_json(row.body).model_copy(update={"state": row.state or "RUNNING", "paused": row.pause == "PAUSED"})
        for row in rows
    )
