"""The index of one organisation: one SQLite file with FTS5, rebuilt in one transaction, read by several threads."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from trustops.domain.errors import MalformedFile, UnknownName
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.retrieval import segments, writing
from trustops.retrieval.meanings import Meanings, shipped
from trustops.retrieval.narrowing import Narrowed, narrowed

MANY = 10_000
"""Of more passages than these, only those are ranked that narrowing.py chooses."""

MOST_TERMS = 200
"""No question has as many; a pasted document has, and would hold up every reader."""

HEADING_WEIGHT, QUESTION_WEIGHT = 8.0, 3.0
_COUNTS = 20_000


class Index:
    """Search over passages and earlier answers. Safe for several threads; the file may be read by several processes.

    Restricted passages are in it, since compare reads them: whoever sends text to a model looks at `document.classification`.
    Raises MalformedFile where the file at `path` is no index.
    """

    def __init__(self, path: Path, meanings: Meanings | None = None) -> None:
        self._path = path
        self._meanings = meanings or shipped()
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._closed = False
        self._counts: dict[tuple[str, str], int] = {}
        self._kept: tuple[str, tuple[Passage, ...]] | None = None
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            writing.prepare(connection)

    def rebuild(self, passages: Sequence[Passage], prior_answers: Sequence[PriorAnswer]) -> None:
        """Replaces the content in one transaction; readers see the old or the new. Equal content (and synonyms) changes nothing.

        A withdrawn answer is left out: nobody may lean on it.
        """
        with self._connection() as connection:
            writing.replace(connection, passages, [each for each in prior_answers if not each.withdrawn], self._meanings)

    def search(self, query: str, *, limit: int = 10) -> tuple[Passage, ...]:
        """The best passages for a query, best first; none where the query has no word that carries a topic."""
        with self._connection() as connection:
            rows = self._found(connection, "passage", query, limit, HEADING_WEIGHT)
        return tuple(writing.passage_of(document, noun) for document, noun in rows)

    def search_prior(self, query: str, *, limit: int = 10) -> tuple[PriorAnswer, ...]:
        """The best earlier answers for a query; a word in the old question weighs more than one in the answer."""
        with self._connection() as connection:
            rows = self._found(connection, "prior", query, limit, QUESTION_WEIGHT)
        return tuple(PriorAnswer.model_validate_json(noun) for _, noun in rows)

    def get_passage(self, id: str) -> Passage | None:
        """The passage of this id, or None."""
        try:
            return self.passage(id)
        except UnknownName:
            return None

    def passage(self, id: str) -> Passage:
        """The passage of this id; raises UnknownName."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT d.noun, p.noun FROM passage p JOIN document d ON d.number = p.document WHERE p.id = ?", (id,)
            ).fetchone()
        if row is None:
            raise UnknownName(f"There is no passage {id}.", remedy="See `trustops evidence list`.")
        return writing.passage_of(*row)

    def passages(self) -> tuple[Passage, ...]:
        """All passages in the order in which they were given. Of an index of common size they are read once for a content."""
        with self._connection() as connection:
            connection.execute("BEGIN")  # content and digest of one moment
            try:
                content = writing.size_and_digest(connection, "passage")[1]
                kept = self._kept
                if kept is not None and kept[0] == content:
                    return kept[1]
                rows = connection.execute(
                    "SELECT d.noun, p.noun FROM passage p JOIN document d ON d.number = p.document ORDER BY p.number"
                ).fetchall()
            finally:
                connection.execute("COMMIT")
        found = tuple(writing.passage_of(document, noun) for document, noun in rows)
        self._kept = (content, found) if len(found) <= MANY else None
        return found

    def prior_answers(self) -> tuple[PriorAnswer, ...]:
        """All earlier answers that count, in the order in which they were given."""
        with self._connection() as connection:
            rows = connection.execute("SELECT noun FROM prior ORDER BY number").fetchall()
        return tuple(PriorAnswer.model_validate_json(noun) for (noun,) in rows)

    def digest(self) -> str:
        """Of the content and the synonyms; another digest means that a search may find something else."""
        with self._connection() as connection:
            return writing.size_and_digest(connection, "passage")[1]

    def close(self) -> None:
        """Closes the file; a closed index answers nothing more."""
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that no other thread uses meanwhile; as many exist as were ever needed at one time."""
        with self._lock:
            if self._closed:
                raise UnknownName("The index is closed.", where=self._path.name, remedy="Open it again.")
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._opened()
        try:
            yield connection
        finally:
            with self._lock:
                keep = not self._closed
                self._idle.extend([connection] if keep else [])
            if not keep:
                connection.close()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None, timeout=30)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.DatabaseError as error:
            connection.close()
            raise MalformedFile(
                f"This is no index: {error}.", where=str(self._path.name), remedy="Delete it; it is rebuilt from the evidence."
            ) from None
        return connection

    def _found(self, connection: sqlite3.Connection, kind: str, query: str, limit: int, weight: float) -> list[tuple[str, str]]:
        wanted = (segments.terms(query) + self._meanings.of(query))[:MOST_TERMS]
        if not wanted or limit <= 0:
            return []
        chosen = self._chosen(connection, kind, wanted)
        rows = _match(connection, kind, chosen, limit, weight)
        if len(rows) < limit and len(chosen.alone) < len(wanted):
            seen = {number for number, *_ in rows}
            rows += [row for row in _match(connection, kind, Narrowed(tuple(wanted)), limit, weight) if row[0] not in seen]
        return [(document, noun) for _, document, noun in rows[:limit]]

    def _chosen(self, connection: sqlite3.Connection, kind: str, wanted: list[str]) -> Narrowed:
        size, content = writing.size_and_digest(connection, kind)
        if size <= MANY:
            return Narrowed(tuple(wanted))
        return narrowed(wanted, {term: self._count(connection, kind, term, content) for term in wanted}, self._meanings.of)

    def _count(self, connection: sqlite3.Connection, kind: str, term: str, content: str) -> int:
        key = (content, term)
        if key not in self._counts:
            if len(self._counts) >= _COUNTS:
                self._counts = {}
            statement = f"SELECT count(*) FROM {kind}_words WHERE {kind}_words MATCH ?"
            self._counts[key] = connection.execute(statement, (_quoted(term),)).fetchone()[0]
        return self._counts[key]


def _match(connection: sqlite3.Connection, kind: str, chosen: Narrowed, limit: int, weight: float) -> list[tuple[int, str, str]]:
    document = "(SELECT noun FROM document WHERE number = n.document)" if kind == "passage" else "''"
    statement = f"""
        WITH best AS (
            SELECT rowid AS number, bm25({kind}_words, {weight}, 1.0) AS score FROM {kind}_words
            WHERE {kind}_words MATCH ? ORDER BY score, rowid LIMIT ?
        )
        SELECT n.number, {document}, n.noun FROM best JOIN {kind} n ON n.number = best.number ORDER BY best.score, n.number
    """
    return connection.execute(statement, (chosen.written(_quoted, " OR ", " AND "), limit)).fetchall()


def _quoted(term: str) -> str:
    """A term as a quoted string, so that nothing in a question is read as query syntax."""
    return f'"{term}"'
