"""The tables of the index and how its content is replaced. Everything in it can be rebuilt from the evidence, so it has no migrations."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any

from trustops.domain.evidence import Document, Passage, PriorAnswer
from trustops.retrieval.meanings import Meanings
from trustops.retrieval.segments import segmented

_VERSION = "2"
"""Part of the content's digest: raise it when what is indexed changes, and every index is rebuilt."""

_BATCH = 256
"""Rows of one statement."""

_TOKENIZER = "content='', tokenize='porter unicode61 remove_diacritics 2'"
_TABLES = f"""
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS document (number INTEGER PRIMARY KEY, noun TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passage (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, document INTEGER NOT NULL, noun TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS prior (number INTEGER PRIMARY KEY, noun TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5(heading, body, {_TOKENIZER});
CREATE VIRTUAL TABLE IF NOT EXISTS prior_words USING fts5(question, answer, {_TOKENIZER});
"""


def prepare(connection: sqlite3.Connection) -> None:
    """Creates what is missing; harmless for several processes at once."""
    connection.executescript(_TABLES)


def size_and_digest(connection: sqlite3.Connection, kind: str) -> tuple[int, str]:
    """How many rows of this kind there are, and the digest of the content."""
    values = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    return int(values.get(kind, "0")), values.get("digest", "")


def replace(connection: sqlite3.Connection, passages: Sequence[Passage], prior_answers: Sequence[PriorAnswer], meanings: Meanings) -> None:
    """Puts the content in place of the old one, or leaves it where the digest is equal. An error leaves the old content."""
    digest = content_digest(passages, prior_answers, meanings)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if size_and_digest(connection, "passage")[1] != digest:
            _clear(connection)
            _write_passages(connection, passages, meanings)
            _write_prior(connection, prior_answers, meanings)
            facts = {"digest": digest, "passage": str(len(passages)), "prior": str(len(prior_answers))}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def content_digest(passages: Sequence[Passage], prior_answers: Sequence[PriorAnswer], meanings: Meanings) -> str:
    """What names the content: equal in both databases."""
    running = hashlib.sha256(f"{_VERSION} {meanings.digest} {len(passages)}\n".encode())
    known: dict[Document, bytes] = {}
    for passage in passages:
        if (document := known.get(passage.document)) is None:
            document = known[passage.document] = passage.document.model_dump_json().encode()
        running.update(document + passage.model_dump_json(exclude={"document"}).encode() + b"\n")
    for answer in prior_answers:
        running.update(answer.model_dump_json().encode() + b"\n")
    return running.hexdigest()


def _clear(connection: sqlite3.Connection) -> None:
    for table in ("meta", "document", "passage", "prior"):
        connection.execute(f"DELETE FROM {table}")
    for table in ("passage_words", "prior_words"):
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")


def _write_passages(connection: sqlite3.Connection, passages: Sequence[Passage], meanings: Meanings) -> None:
    """The database writes one batch while the words of the next are made: it lets go of the interpreter for a whole statement."""
    documents: dict[Document, int] = {}

    def rows() -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        for number, passage in enumerate(passages, start=1):
            known = documents.setdefault(passage.document, len(documents) + 1)
            heading = "\n".join((passage.document.title, *passage.heading))
            words = number, _indexed(heading, meanings), _indexed(passage.text, meanings)
            yield (number, passage.id, known, passage.model_dump_json(exclude={"document"})), words

    written: Future[None] | None = None
    with ThreadPoolExecutor(1, "index") as writer:
        prepared = rows()
        while batch := list(islice(prepared, _BATCH)):
            if written is not None:
                written.result()
            written = writer.submit(_write_batch, connection, batch)
        if written is not None:
            written.result()
    _insert(connection, "document(number, noun)", ((number, document.model_dump_json()) for document, number in documents.items()))


def _write_batch(connection: sqlite3.Connection, batch: Sequence[tuple[tuple[Any, ...], tuple[Any, ...]]]) -> None:
    _insert(connection, "passage(number, id, document, noun)", (noun for noun, _ in batch))
    _insert(connection, "passage_words(rowid, heading, body)", (words for _, words in batch))


def _write_prior(connection: sqlite3.Connection, prior_answers: Sequence[PriorAnswer], meanings: Meanings) -> None:
    numbered = list(enumerate(prior_answers, start=1))
    _insert(connection, "prior(number, noun)", ((number, answer.model_dump_json()) for number, answer in numbered))
    words = ((number, _indexed(answer.question, meanings), _indexed(answer.answer, meanings)) for number, answer in numbered)
    _insert(connection, "prior_words(rowid, question, answer)", words)


def _insert(connection: sqlite3.Connection, into: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Many rows a statement."""
    left = iter(rows)
    while batch := list(islice(left, _BATCH)):
        marks = ", ".join([f"({', '.join('?' * len(batch[0]))})"] * len(batch))
        connection.execute(f"INSERT INTO {into} VALUES {marks}", [value for row in batch for value in row])


def _indexed(text: str, meanings: Meanings) -> str:
    return " ".join([segmented(text), *meanings.of(text)])


def passage_of(document: str, noun: str) -> Passage:
    """The noun again, from its two stored halves."""
    return Passage(document=Document.model_validate_json(document), **json.loads(noun))
