"""The journal: what a model replied to a seat, kept the moment it is there, so that no finished call is paid twice.

Keyed by (run, question, attempt, seat, step), a row carries the digest of its request (architecture.md, "Durable execution").
"""

from __future__ import annotations

from sqlalchemy import select

from trustops.storage.book import ORG, Book, given
from trustops.storage.tables import journal

PLACE = ("run", "question", "attempt", "seat", "step")
REPLY = select(journal.c.request_sha256, journal.c.body).where(journal.c.org == ORG, *(journal.c[name] == given(name) for name in PLACE))
REPLIES = select(journal).where(journal.c.org == ORG, *(journal.c[name] == given(name) for name in PLACE[:3]))

Kept = tuple[str, str]
"""The digest of a request, and the reply as it was kept."""


class Replies(Book):
    """Replies by place, each with its request's digest. A place is written once."""

    def append_reply(self, run: str, question: str, attempt: int, seat: str, step: int, *, request_sha256: str, body: str) -> Kept:
        """Keeps a reply, and returns what is kept: where the place has one already, a repeated step appends nothing and the first stays."""
        with self.writing():
            if (first := self.reply(run, question, attempt, seat, step)) is not None:
                return first
            place = dict(zip(PLACE, (run, question, attempt, seat, step), strict=True))
            self.add(journal, **place, request_sha256=request_sha256, body=body)
        return request_sha256, body

    def replies(self, run: str, question: str, attempt: int) -> dict[tuple[str, int], Kept]:
        """Every kept reply of one attempt, by seat and step."""
        found = self.all(REPLIES, run=run, question=question, attempt=attempt)
        return {(row.seat, row.step): (row.request_sha256, row.body) for row in found}

    def reply(self, run: str, question: str, attempt: int, seat: str, step: int) -> Kept | None:
        """The digest of the request and the reply as it was kept, or None."""
        found = self.all(REPLY, run=run, question=question, attempt=attempt, seat=seat, step=step)
        return (found[0].request_sha256, found[0].body) if found else None
