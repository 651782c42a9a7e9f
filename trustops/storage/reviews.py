"""Reviews, runs, and what each attempt at a question concluded."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import func, select

from trustops.domain.record import RunInfo
from trustops.ports import QuestionRecord, StoredReview
from trustops.storage import tables as t
from trustops.storage.book import Book
from trustops.storage.decoded import Decoded


class ReviewLedger(Book):
    """Reviews by id, their runs, and the records of attempts."""

    def append_review(self, review: StoredReview) -> None:
        self.add(t.reviews, id=review.id, created_at=review.created_at.isoformat(), body=review.model_dump_json())

    def get_review(self, id_or_prefix: str) -> StoredReview | None:
        """By id or by an unambiguous beginning of it."""
        found = self.all(
            select(t.reviews.c.body).where(t.reviews.c.org == self.org, t.reviews.c.id.startswith(id_or_prefix, autoescape=True))
        )
        return StoredReview.model_validate_json(found[0].body) if len(found) == 1 and id_or_prefix else None

    def latest_review(self) -> StoredReview | None:
        """The review whose run started last, else the one created last."""
        latest_run = self.all(select(t.runs.c.review).where(t.runs.c.org == self.org).order_by(t.runs.c.started_at.desc()).limit(1))
        if latest_run:
            return self.get_review(latest_run[0].review)
        found = self.all(select(t.reviews.c.body).where(t.reviews.c.org == self.org).order_by(t.reviews.c.created_at.desc()).limit(1))
        return StoredReview.model_validate_json(found[0].body) if found else None

    def reviews(self) -> tuple[StoredReview, ...]:
        found = self.all(select(t.reviews.c.body).where(t.reviews.c.org == self.org).order_by(t.reviews.c.created_at))
        return tuple(StoredReview.model_validate_json(row.body) for row in found)

    def append_run(self, run: RunInfo) -> None:
        self.add(t.runs, id=run.id, review=run.review, started_at=run.started_at.isoformat(), body=run.model_dump_json())

    def end_run(self, run: str, state: str) -> None:
        """Appends the end; a run ends once, a second end is refused by the key."""
        self.add(t.run_ends, run=run, state=state)

    def append_pause(self, run: str, *, paused: bool) -> None:
        """A run is paused, or goes on. The newest row counts."""
        with self.writing():
            seq = (self.all(select(func.max(t.pauses.c.seq)).where(t.pauses.c.org == self.org, t.pauses.c.run == run))[0][0] or 0) + 1
            self.add(t.pauses, run=run, seq=seq, state="PAUSED" if paused else "RESUMED")

    def get_run(self, run: str) -> RunInfo | None:
        found = self._runs(t.runs.c.id == run)
        return found[0] if found else None

    def runs(self, review: str) -> tuple[RunInfo, ...]:
        return self._runs(t.runs.c.review == review)

    def _runs(self, condition) -> tuple[RunInfo, ...]:  # type: ignore[no-untyped-def]
        joined = t.runs.outerjoin(t.run_ends, (t.run_ends.c.org == t.runs.c.org) & (t.run_ends.c.run == t.runs.c.id))
        newest = (
            select(t.pauses.c.state)
            .where(t.pauses.c.org == t.runs.c.org, t.pauses.c.run == t.runs.c.id)
            .order_by(t.pauses.c.seq.desc())
            .limit(1)
            .scalar_subquery()
        )
        query = (
            select(t.runs.c.body, t.run_ends.c.state, newest.label("pause"))
            .select_from(joined)
            .where(t.runs.c.org == self.org, condition)
            .order_by(t.runs.c.started_at)
        )
        found = self.all(query)
        return tuple(
            RunInfo.model_validate_json(row.body).model_copy(update={"state": row.state or "RUNNING", "paused": row.pause == "PAUSED"})
            for row in found
        )

    def append_record(self, review: str, record: QuestionRecord) -> None:
        self.add(t.records, review=review, question=record.question, attempt=record.attempt, run=record.run, body=record.model_dump_json())

    def last_attempt(self, review: str, question: str) -> int:
        """The number of the newest attempt at a question, 0 before the first."""
        where = (t.records.c.org == self.org, t.records.c.review == review, t.records.c.question == question)
        return int(self.all(select(func.max(t.records.c.attempt)).where(*where))[0][0] or 0)

    def records(self, review: str, question: str) -> tuple[QuestionRecord, ...]:
        """All attempts at one question, oldest first."""
        where = (t.records.c.org == self.org, t.records.c.review == review, t.records.c.question == question)
        found = self.all(select(t.records.c.body).where(*where).order_by(t.records.c.attempt))
        return tuple(QuestionRecord.model_validate_json(row.body) for row in found)

    def latest_records(self, review: str) -> Mapping[str, QuestionRecord]:
        """The newest attempt of each question, by ref, in the order of the attempts."""
        columns = (t.records.c.question, t.records.c.body)
        query = select(*columns).where(t.records.c.org == self.org, t.records.c.review == review).order_by(t.records.c.attempt)
        return Decoded({row.question: row.body for row in self.all(query)}, QuestionRecord.model_validate_json)
