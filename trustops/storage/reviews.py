"""Reviews, runs, and what each attempt at a question concluded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, func, select

from trustops.domain.record import RunInfo
from trustops.ports import QuestionRecord, StoredReview
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given
from trustops.storage.decoded import Decoded

REVIEWS = select(t.reviews.c.body).where(t.reviews.c.org == ORG).order_by(t.reviews.c.created_at)
NEWEST_REVIEW = select(t.reviews.c.body).where(t.reviews.c.org == ORG).order_by(t.reviews.c.created_at.desc()).limit(1)
NEWEST_RUN = select(t.runs.c.review).where(t.runs.c.org == ORG).order_by(t.runs.c.started_at.desc()).limit(1)
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
    select(t.records.c.question, t.records.c.body)
    .where(t.records.c.org == ORG, t.records.c.review == given("review"))
    .order_by(t.records.c.attempt)
)
RECORDS_OF = RECORDS.where(t.records.c.question == given("question"))
LAST_ATTEMPT = select(func.max(t.records.c.attempt)).where(
    t.records.c.org == ORG, t.records.c.review == given("review"), t.records.c.question == given("question")
)


class ReviewLedger(Book):
    """Reviews by id, their runs, and the records of attempts."""

    def append_review(self, review: StoredReview) -> None:
        self.add(t.reviews, id=review.id, created_at=review.created_at.isoformat(), body=review.model_dump_json())

    def get_review(self, id_or_prefix: str) -> StoredReview | None:
        """By id or by an unambiguous beginning of it."""
        found = self.all(select(t.reviews.c.body).where(t.reviews.c.org == ORG, t.reviews.c.id.startswith(id_or_prefix, autoescape=True)))
        return StoredReview.model_validate_json(found[0].body) if len(found) == 1 and id_or_prefix else None

    def latest_review(self) -> StoredReview | None:
        """The review whose run started last, else the one created last."""
        latest_run = self.all(NEWEST_RUN)
        if latest_run:
            return self.get_review(latest_run[0].review)
        found = self.all(NEWEST_REVIEW)
        return StoredReview.model_validate_json(found[0].body) if found else None

    def reviews(self) -> tuple[StoredReview, ...]:
        return tuple(StoredReview.model_validate_json(row.body) for row in self.all(REVIEWS))

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
        return tuple(QuestionRecord.model_validate_json(row.body) for row in self.all(RECORDS_OF, review=review, question=question))

    def latest_records(self, review: str) -> Mapping[str, QuestionRecord]:
        """The newest attempt of each question, by ref, in the order of the attempts."""
        return Decoded({row.question: row.body for row in self.all(RECORDS, review=review)}, QuestionRecord.model_validate_json)


def _runs(rows: Sequence[Row[Any]]) -> tuple[RunInfo, ...]:
    return tuple(
        RunInfo.model_validate_json(row.body).model_copy(update={"state": row.state or "RUNNING", "paused": row.pause == "PAUSED"})
        for row in rows
    )
