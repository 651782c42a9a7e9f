"""Events of runs, numbered without gaps, and the calls that seats made."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pydantic import JsonValue
from sqlalchemy import func, select

from trustops.domain.authenticity import Origin
from trustops.domain.record import Event, ModelCall, SkillInvocation
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given
from trustops.storage.decoded import Decoded
from trustops.storage.dialects import Member, tell
from trustops.storage.reviews import ReviewLedger

LAST_EVENT = select(func.max(t.events.c.seq)).where(t.events.c.org == ORG, t.events.c.run == given("run"))
EVENTS = (
    select(t.events)
    .where(t.events.c.org == ORG, t.events.c.run == given("run"), t.events.c.seq > given("after"))
    .order_by(t.events.c.seq)
    .limit(given("most"))
)
CALLS = (
    select(t.calls.c.run, t.calls.c.question, t.calls.c.kind, t.calls.c.body)
    .where(t.calls.c.org == ORG, t.calls.c.review == given("review"))
    .order_by(t.calls.c.id)
)
ORIGINS = select(t.calls.c.run, t.calls.c.question, Member(t.calls.c.body, "origin").label("origin")).where(
    t.calls.c.org == ORG, t.calls.c.review == given("review"), t.calls.c.kind == "model"
)
CALLS_OF = CALLS.where(t.calls.c.run == given("run"), t.calls.c.question == given("question"))
Made = tuple[tuple[ModelCall, ...], tuple[SkillInvocation, ...]]


class EventLedger(ReviewLedger):
    """Events by run and number, and calls by run and question."""

    def append_event(self, run: str, kind: str, *, question: str = "", data: Mapping[str, JsonValue] | None = None) -> Event:
        """The next event of a run."""
        return self.append_events(run, [(kind, question, data or {})])[0]

    def append_events(self, run: str, told: Sequence[tuple[str, str, Mapping[str, JsonValue]]]) -> tuple[Event, ...]:
        """The next events of a run, each by kind, question and data, in one transaction. Their numbers are taken under the write lock, so
        that a reader never skips a later-committed one."""
        with self.writing():
            last, now = self.all(LAST_EVENT, run=run)[0][0] or 0, datetime.now(UTC)
            events = tuple(
                Event(run=run, seq=seq, at=now, kind=kind, question=question, data=dict(data))
                for seq, (kind, question, data) in enumerate(told, start=last + 1)
            )
            self.add_all(t.events, [_row(event) for event in events])
            with self._connection() as connection:
                tell(connection, self._channel, run)
        return events

    def events(self, run: str, *, after: int = 0, limit: int = 200) -> tuple[Event, ...]:
        """Events with a number greater than `after`, in order."""
        found = self.all(EVENTS, run=run, after=after, most=limit)
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
        calls = [call for models, _ in self.calls(review).values() for call in models]
        recorded, runs = {call.task for call in calls}, [run.id for run in self.runs(review)]
        kept = self.all(select(t.journal).where(t.journal.c.org == self.org, t.journal.c.run.in_(runs)))
        undecided = [row.body for row in kept if f"{row.run}:{row.question}:{row.attempt}:{row.seat}" not in recorded]
        costs = [call.cost_usd for call in calls] + [json.loads(body).get("cost_usd") for body in undecided]
        return sum((Decimal(cost) for cost in costs if cost), Decimal(0))

    def origins(self, review: str) -> dict[tuple[str, str], tuple[Origin, ...]]:
        """What served the model calls of each (run, question), without the calls themselves."""
        found: dict[tuple[str, str], tuple[Origin, ...]] = {}
        for row in self.all(ORIGINS, review=review):
            key = row.run, row.question
            found[key] = (*found.get(key, ()), Origin(row.origin))
        return found

    def calls(self, review: str) -> Mapping[tuple[str, str], Made]:
        """Model calls and skill invocations of each (run, question). They are the bulk of a review, so one is read when it is asked for,
        and all in one query when somebody goes through them. What is on record of an attempt does not change."""
        return _Calls(self, review)


class _Calls(Mapping[tuple[str, str], Made]):
    """The calls of a review, read when somebody looks."""

    def __init__(self, book: Book, review: str) -> None:
        self._book, self._review = book, review
        self._known: dict[tuple[str, str], Made] = {}
        self._all: Mapping[tuple[str, str], Made] | None = None

    def __getitem__(self, key: tuple[str, str]) -> Made:
        if self._all is not None:
            return self._all[key]
        if key not in self._known:
            found = self._book.all(CALLS_OF, review=self._review, run=key[0], question=key[1])
            if not found:
                raise KeyError(key)
            self._known[key] = _calls([(row.kind, row.body) for row in found])
        return self._known[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def _whole(self) -> Mapping[tuple[str, str], Made]:
        if self._all is None:
            rows: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
            for row in self._book.all(CALLS, review=self._review):
                rows[row.run, row.question].append((row.kind, row.body))
            self._all = Decoded(rows, _calls)
        return self._all


def _row(event: Event) -> dict[str, Any]:
    text = json.dumps(event.data, ensure_ascii=False)
    return {"run": event.run, "seq": event.seq, "at": event.at.isoformat(), "kind": event.kind, "question": event.question, "data": text}


def _calls(rows: list[tuple[str, str]]) -> Made:
    models = tuple(ModelCall.model_validate_json(body) for kind, body in rows if kind == "model")
    return models, tuple(SkillInvocation.model_validate_json(body) for kind, body in rows if kind != "model")
