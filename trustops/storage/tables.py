"""The tables, declared once (SQLAlchemy Core). Every one is append-only: triggers refuse UPDATE and DELETE (invariant 7).

`org` stands first in every key. A noun is kept whole as JSON in `body`; the columns beside it are what is searched by. Text is compared
byte by byte in both databases: PostgreSQL's own order of a language would sort instants and numbers another way.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Integer, LargeBinary, MetaData, PrimaryKeyConstraint, String, Table, Text

metadata = MetaData()
BYTEWISE = Text().with_variant(Text(collation="C"), "postgresql")
ORGANISATION = String().with_variant(String(collation="C"), "postgresql")


def _table(name: str, key: tuple[str, ...], *columns: Column[object]) -> Table:
    return Table(name, metadata, Column("org", ORGANISATION, nullable=False), *columns, PrimaryKeyConstraint("org", *key))


def _text(name: str) -> Column[object]:
    return Column(name, BYTEWISE, nullable=False)


def _number(name: str) -> Column[object]:
    return Column(name, Integer, nullable=False)


reviews = _table("reviews", ("id",), _text("id"), _text("created_at"), _text("body"))
runs = _table("runs", ("id",), _text("id"), _text("review"), _text("started_at"), _text("body"))
run_ends = _table("run_ends", ("run",), _text("run"), _text("state"))
records = _table(
    "records", ("review", "question", "attempt"), _text("review"), _text("question"), _number("attempt"), _text("run"), _text("body")
)
answers = _table(
    "answers", ("review", "question", "version"), _text("review"), _text("question"), _number("version"), _text("digest"), _text("body")
)
approvals = _table(
    "approvals", ("review", "question", "seq"), _text("review"), _text("question"), _number("seq"), _text("digest"), _text("body")
)
confirmations = _table(
    "confirmations",
    ("review", "question", "digest", "basis"),
    _text("review"),
    _text("question"),
    _text("digest"),
    _text("basis"),
    _text("body"),
)
exports = _table("exports", ("id",), _text("id"), _text("review"), _text("at"), _text("body"))
pauses = _table("pauses", ("run", "seq"), _text("run"), _number("seq"), _text("state"))
placements = _table("placements", ("export",), _text("export"), _text("at"))
snapshots = _table("snapshots", ("control", "version"), _text("control"), _number("version"), _text("sha256"), _text("body"))
calls = _table(
    "calls", ("run", "question", "id"), _text("review"), _text("run"), _text("question"), _text("id"), _text("kind"), _text("body")
)
events = _table("events", ("run", "seq"), _text("run"), _number("seq"), _text("at"), _text("kind"), _text("question"), _text("data"))
withdrawals = _table("withdrawals", ("prior_answer",), _text("prior_answer"), _text("by"), _text("at"), _text("reason"))
indexes = _table("indexes", ("seq",), _number("seq"), _text("at"), _text("digest"), _number("passages"))
blobs = Table(
    "blobs",
    metadata,
    Column("org", ORGANISATION, nullable=False),
    _text("sha256"),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("org", "sha256"),
)
audit = _table(
    "audit",
    ("chain", "seq"),
    _text("chain"),
    _number("seq"),
    _text("prev"),
    _text("at"),
    _text("kind"),
    _text("actor"),
    _text("payload_sha256"),
    _text("hash"),
)
audit_payloads = _table("audit_payloads", ("chain", "seq"), _text("chain"), _number("seq"), _text("body"))
credentials = _table("credentials", ("person", "seq"), _text("person"), _number("seq"), _text("body"))
ratings = _table("ratings", ("review", "seq"), _text("review"), _number("seq"), _text("rater"), _text("body"))
passwords = _table("passwords", ("person", "seq"), _text("person"), _number("seq"), _text("body"))
links = _table("links", ("person", "seq"), _text("person"), _number("seq"), _text("body"))
sessions = _table("sessions", ("id",), _text("id"), _text("person"), _text("at"), _text("body"))
session_marks = _table("session_marks", ("session", "seq"), _text("session"), _number("seq"), _text("kind"), _text("at"))
requests = _table(
    "requests",
    ("person", "key", "attempt"),
    _text("person"),
    _text("key"),
    _number("attempt"),
    _text("fingerprint"),
    _text("at"),
)
request_replies = _table(
    "request_replies", ("person", "key", "attempt"), _text("person"), _text("key"), _number("attempt"), _text("at"), _text("body")
)
journal = _table(
    "journal",
    ("run", "question", "attempt", "seat", "step"),
    _text("run"),
    _text("question"),
    _number("attempt"),
    _text("seat"),
    _number("step"),
    _text("request_sha256"),
    _text("body"),
)
rubrics = _table("rubrics", ("id", "version"), _text("id"), _text("version"), _text("name"), _text("body"))
evaluations = _table(
    "evaluations",
    ("id",),
    *(
        _text(name)
        for name in ("id", "agent", "source", "mode", "origin", "model", "rubric", "run", "about", "body", "envelope", "key", "seal")
    ),
    Column("composite", Double, nullable=False),
    Column("at", BigInteger, nullable=False),
)
trusted_keys = _table("trusted_keys", ("fingerprint",), _text("fingerprint"), _text("organisation"), _text("body"))
key_revocations = _table("key_revocations", ("fingerprint",), _text("fingerprint"), _text("body"))
trust_records = _table(
    "trust_records",
    ("seq",),
    _number("seq"),
    _text("subject"),
    _text("prev"),
    _text("at"),
    _text("kind"),
    _text("payload_sha256"),
    _text("hash"),
    _text("body"),
)
