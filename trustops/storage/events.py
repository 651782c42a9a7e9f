"""Events of runs, numbered without gaps, and the calls that seats made."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from pydantic import JsonValue
from sqlalchemy import func, select

from trustops.domain.record import Event, ModelCall, SkillInvocation
from trustops.storage import tables as t
from trustops.storage.book import Book
from trustops.storage.decoded import Decoded


class EventLedger(Book):
    """Events by run and number, and calls by run and question."""

    def append_event(self, run: str, kind: str, *, question: str = "", data: Mapping[str, JsonValue] | None = None) -> Event:
        """The next event of a run. Its number is taken under the write lock, so that a reader never skips a later-committed one."""
        with self.writing():
            seq = (self.all(select(func.max(t.events.c.seq)).where(t.events.c.org == self.org, t.events.c.run == run))[0][0] or 0) + 1
            event = Event(run=run, seq=seq, at=datetime.now(UTC), kind=kind, question=question, data=dict(data or {}))
            text = json.dumps(event.data, ensure_ascii=False)
            self.add(t.events, run=run, seq=seq, at=event.at.isoformat(), kind=kind, question=question, data=text)
        return event

    def events(self, run: str, *, after: int = 0, limit: int = 200) -> tuple[Event, ...]:
        """Events with a number greater than `after`, in order."""
        where = (t.events.c.org == self.org, t.events.c.run == run, t.events.c.seq > after)
        found = self.all(select(t.events).where(*where).order_by(t.events.c.seq).limit(limit))
        return tuple(
            Event(
                run=row.run, seq=row.seq, at=datetime.fromisoformat(row.at), kind=row.kind, question=row.question, data=json.loads(row.data)
            )
            for row in found
        )

    def append_calls(self, review: str, run: str, question: str, calls: Sequence[ModelCall], skills: Sequence[SkillInvocation]) -> None:
        rows = [("model", call) for call in calls] + [("skill", skill) for skill in skills]
        self.add_all(
            t.calls,
            [
                {"review": review, "run": run, "question": question, "id": noun.id, "kind": kind, "body": noun.model_dump_json()}
                for kind, noun in rows
            ],
        )

    def spent(self, review: str) -> Decimal:
        """Dollars that the calls of a review cost, as far as they have a price: those on record, and replies in the journal whose attempt
        is not decided yet."""
        recorded = select(t.calls.c.body).where(t.calls.c.org == self.org, t.calls.c.review == review, t.calls.c.kind == "model")
        decided = select(t.records.c.run).where(
            t.records.c.org == self.org,
            t.records.c.run == t.journal.c.run,
            t.records.c.question == t.journal.c.question,
            t.records.c.attempt == t.journal.c.attempt,
        )
        mine = select(t.runs.c.id).where(t.runs.c.org == self.org, t.runs.c.review == review)
        open_ones = select(t.journal.c.body).where(t.journal.c.org == self.org, t.journal.c.run.in_(mine), ~decided.exists())
        bodies = [row.body for each in (recorded, open_ones) for row in self.all(each)]
        return sum((Decimal(json.loads(body).get("cost_usd") or 0) for body in bodies), Decimal(0))

    def calls(self, review: str) -> Mapping[tuple[str, str], tuple[tuple[ModelCall, ...], tuple[SkillInvocation, ...]]]:
        """Model calls and skill invocations of each (run, question), in one query."""
        found = self.all(select(t.calls).where(t.calls.c.org == self.org, t.calls.c.review == review).order_by(t.calls.c.id))
        rows: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for row in found:
            rows[row.run, row.question].append((row.kind, row.body))
        return Decoded(rows, _calls)


def _calls(rows: list[tuple[str, str]]) -> tuple[tuple[ModelCall, ...], tuple[SkillInvocation, ...]]:
    models = tuple(ModelCall.model_validate_json(body) for kind, body in rows if kind == "model")
    return models, tuple(SkillInvocation.model_validate_json(body) for kind, body in rows if kind != "model")
