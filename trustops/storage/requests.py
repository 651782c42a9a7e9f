"""Requests that carry an Idempotency-Key, and what was replied to each. A row comes first, so that of two at once one is refused."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from trustops.domain.request import Asked
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given

MINE = (t.requests.c.org == ORG, t.requests.c.person == given("person"), t.requests.c.key == given("key"))
NEWEST = select(t.requests).where(*MINE).order_by(t.requests.c.attempt.desc()).limit(1)
REPLY = select(t.request_replies.c.body).where(
    t.request_replies.c.org == ORG,
    t.request_replies.c.person == given("person"),
    t.request_replies.c.key == given("key"),
    t.request_replies.c.attempt == given("attempt"),
)


class RequestLedger(Book):
    """Requests by person, key and attempt."""

    def append_request(self, asked: Asked) -> None:
        """Under the lock that the caller holds with `writing()`: who asks whether there is one must be who enters it."""
        self.add(
            t.requests, person=asked.person, key=asked.key, attempt=asked.attempt, fingerprint=asked.fingerprint, at=asked.at.isoformat()
        )

    def append_reply_to(self, asked: Asked, body: str, *, at: datetime) -> None:
        """What was replied, whole; empty where the attempt came to nothing and may be repeated."""
        self.add(t.request_replies, person=asked.person, key=asked.key, attempt=asked.attempt, at=at.isoformat(), body=body)

    def latest_request(self, person: str, key: str) -> tuple[Asked, str | None] | None:
        """The newest attempt at a key, with its reply where there is one."""
        with self.reading():
            found = self.all(NEWEST, person=person, key=key)
            if not found:
                return None
            row = found[0]
            replied = self.all(REPLY, person=person, key=key, attempt=row.attempt)
        asked = Asked(person=row.person, key=row.key, attempt=row.attempt, fingerprint=row.fingerprint, at=datetime.fromisoformat(row.at))
        return asked, replied[0].body if replied else None
