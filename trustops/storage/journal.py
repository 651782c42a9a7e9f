"""The journal: what a model replied to a seat, kept the moment it is there, so that no finished call is paid twice.

Keyed by (run, question, attempt, seat, step), a row carries the digest of its request (architecture.md, "Durable execution"). The
table is made when a durable run first begins, apart from the numbered migrations: a ledger without it is whole.
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, MetaData, PrimaryKeyConstraint, String, Table, Text, select, text

from trustops.storage.book import Book

PLACE = ("run", "question", "attempt", "seat", "step")
metadata = MetaData()
journal = Table(
    "journal",
    metadata,
    Column("org", String, nullable=False),
    *(Column(name, Integer if name in ("attempt", "step") else Text, nullable=False) for name in PLACE),
    Column("request_sha256", Text, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("org", *PLACE),
)
TRIGGER = "CREATE TRIGGER IF NOT EXISTS journal_no_{name} BEFORE {verb} ON journal BEGIN SELECT RAISE(ABORT, 'journal is append-only'); END"


class Replies(Book):
    """Replies by place, each with its request's digest. A place is written once."""

    def open(self) -> None:
        """Makes the table and its triggers where they are missing; a run begins with it."""
        with self.writing(), self._connection() as connection:
            metadata.create_all(connection)
            for verb in ("UPDATE", "DELETE") if connection.dialect.name == "sqlite" else ():
                connection.execute(text(TRIGGER.format(name=verb.lower(), verb=verb)))

    def append_reply(self, run: str, question: str, attempt: int, seat: str, step: int, *, request_sha256: str, body: str) -> None:
        """Keeps a reply; where the place has one already, a repeated step appends nothing and the first one stays."""
        with self.writing():
            if self.reply(run, question, attempt, seat, step) is None:
                place = dict(zip(PLACE, (run, question, attempt, seat, step), strict=True))
                self.add(journal, **place, request_sha256=request_sha256, body=body)

    def reply(self, run: str, question: str, attempt: int, seat: str, step: int) -> tuple[str, str] | None:
        """The digest of the request and the reply as it was kept, or None."""
        place = zip(PLACE, (run, question, attempt, seat, step), strict=True)
        where = (journal.c.org == self.org, *(journal.c[name] == value for name, value in place))
        found = self.all(select(journal.c.request_sha256, journal.c.body).where(*where))
        return (found[0].request_sha256, found[0].body) if found else None
