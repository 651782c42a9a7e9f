"""The index of one organisation in a shared PostgreSQL database: the words of index.py, in columns of `tsvector`.

Words are made by segments.py and meanings.py on both sides, and stemmed here, so English stems, synonyms and pairs of Chinese characters
are those of SQLite. PostgreSQL's own ranking knows no rarity of words, so bm25 is computed here as SQLite computes it. The tables belong to
migration 0011; who may see a row is the database's affair (row-level security).
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from trustops.domain.errors import UnknownName
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.retrieval import segments, writing
from trustops.retrieval.index import HEADING_WEIGHT, MANY, MOST_TERMS, QUESTION_WEIGHT
from trustops.retrieval.meanings import Meanings, shipped
from trustops.retrieval.narrowing import Narrowed, narrowed

Sessions = Callable[..., AbstractContextManager[Any]]
"""Opens a transaction of the organisation on a connection of psycopg; `reading=True` is one moment's view."""

SCHEMA = "trustops_index"
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('trustops index ' || current_setting('trustops.org'), 0))"
EARLY, LATE = "A", "D"
"""Weights of a tsvector: the heading or the old question; the body or the old answer."""
LAST_PLACE, MOST_PLACES = 16_383, 255
"""Of a tsvector: positions end there, and a word has no more of them."""
K, B = 1.2, 0.75
"""Of bm25, as SQLite has them: how soon more of a word counts no more, and how much a text's length counts."""
NEAR = 200
"""Rows that are looked at closely: to take every word out of every row that holds a frequent one would cost a second."""


class SharedIndex:
    """Implements ports.EvidenceIndex over the sessions of one organisation. Safe for several threads and machines."""

    def __init__(self, sessions: Sessions, meanings: Meanings | None = None) -> None:
        self._sessions = sessions
        self._meanings = meanings or shipped()
        self._kept: tuple[str, tuple[Passage, ...]] | None = None

    def rebuild(self, passages: Sequence[Passage], prior_answers: Sequence[PriorAnswer]) -> None:
        """Replaces the content in one transaction; readers see the old or the new. Equal content changes nothing. A withdrawn answer is
        left out."""
        answers = [each for each in prior_answers if not each.withdrawn]
        digest = writing.content_digest(passages, answers, self._meanings)
        if self.digest() == digest:
            return
        with self._sessions() as connection:
            connection.execute(LOCK)  # of two that index at once the second finds the first one's work
            if _facts(connection).get("digest") != digest:
                _Writing(connection, self._meanings).replace(passages, answers, digest)

    def search(self, query: str, *, limit: int = 10) -> tuple[Passage, ...]:
        """The best passages for a query, best first; none where the query has no word that carries a topic."""
        found = self._found("passage", query, limit, HEADING_WEIGHT)
        return tuple(writing.passage_of(document, noun) for document, noun in found)

    def search_prior(self, query: str, *, limit: int = 10) -> tuple[PriorAnswer, ...]:
        """The best earlier answers for a query; a word in the old question weighs more than one in the answer."""
        return tuple(PriorAnswer.model_validate_json(noun) for _, noun in self._found("prior", query, limit, QUESTION_WEIGHT))

    def get_passage(self, id: str) -> Passage | None:
        """The passage of this id, or None."""
        with self._sessions() as connection:
            row = connection.execute(f"{_PASSAGES} WHERE p.id = %s", (id,)).fetchone()
        return None if row is None else writing.passage_of(*row)

    def passage(self, id: str) -> Passage:
        """The passage of this id; raises UnknownName."""
        if (found := self.get_passage(id)) is None:
            raise UnknownName(f"There is no passage {id}.", remedy="See `trustops evidence list`.")
        return found

    def passages(self) -> tuple[Passage, ...]:
        """All passages in the order in which they were given. Of an index of common size they are read once for a content."""
        with self._sessions(reading=True) as connection:
            content = _facts(connection).get("digest", "")
            kept = self._kept
            if kept is not None and kept[0] == content:
                return kept[1]
            rows = connection.execute(f"{_PASSAGES} ORDER BY p.number").fetchall()
        found = tuple(writing.passage_of(document, noun) for document, noun in rows)
        self._kept = (content, found) if len(found) <= MANY else None
        return found

    def prior_answers(self) -> tuple[PriorAnswer, ...]:
        """All earlier answers that count, in the order in which they were given."""
        with self._sessions() as connection:
            rows = connection.execute(f"SELECT noun FROM {SCHEMA}.prior ORDER BY number").fetchall()
        return tuple(PriorAnswer.model_validate_json(noun) for (noun,) in rows)

    def digest(self) -> str:
        """Of the content and the synonyms; another digest means that a search may find something else."""
        with self._sessions() as connection:
            return str(_facts(connection).get("digest", ""))

    def close(self) -> None:
        """Nothing: the connections are the ledger's."""

    def _found(self, kind: str, query: str, limit: int, early: float) -> list[tuple[str, str]]:
        wanted = [_lexeme(term) for term in (segments.terms(query) + self._meanings.of(query))[:MOST_TERMS]]
        if not wanted or limit <= 0:
            return []
        with self._sessions(reading=True) as connection:
            facts = _facts(connection)
            size = int(facts.get(kind, "0"))
            counts = _counts(connection, kind, wanted)
            everything = Narrowed(tuple(wanted))
            chosen = narrowed(wanted, counts, self._meanings.of) if size > MANY else everything
            mean = float(facts.get(f"{kind} length", "1"))
            ranked = _Ranking(connection, kind, early, size, mean)
            rows = ranked.best(chosen, counts, limit)
            if len(rows) < limit and len(chosen.alone) < len(wanted):
                seen = {number for number, *_ in rows}
                rows += [row for row in ranked.best(everything, counts, limit) if row[0] not in seen]
        return [(document, noun) for _, document, noun in rows[:limit]]


_PASSAGES = f"SELECT d.noun, p.noun FROM {SCHEMA}.passage p JOIN {SCHEMA}.document d ON d.org = p.org AND d.number = p.document"


class _Ranking:
    """The best rows of one kind. `early` is the weight of a heading against its body, `mean` the mean length of the texts in words."""

    def __init__(self, connection: Any, kind: str, early: float, size: int, mean: float) -> None:
        self.connection, self.kind, self.early, self.size, self.mean = connection, kind, early, size, max(mean, 1.0)

    @cached_property
    def _statement(self) -> str:
        document = (
            f"(SELECT d.noun FROM {SCHEMA}.document d WHERE d.org = n.org AND d.number = n.document)" if self.kind == "passage" else "''"
        )
        return f"""
            WITH terms AS (SELECT * FROM unnest(%(terms)s::text[], %(asked)s::text[], %(weights)s::float8[]) AS t(term, asked, weight)),
            near AS (
                SELECT n.number FROM {SCHEMA}.{self.kind} n WHERE n.words @@ %(any)s::tsquery
                ORDER BY (SELECT sum(t.weight) FROM terms t WHERE n.words @@ t.asked::tsquery) DESC, n.number LIMIT %(near)s
            ),
            counted AS (
                SELECT n.number, n.length, t.weight,
                    cardinality(u.positions) + %(early)s * cardinality(array_positions(u.weights, 'A')) AS often
                FROM near JOIN {SCHEMA}.{self.kind} n ON n.number = near.number, unnest(n.words) u JOIN terms t ON t.term = u.lexeme
            ),
            best AS (
                SELECT number, sum(weight * often * ({K} + 1) / (often + {K} * (1 - {B} + {B} * length / %(mean)s))) AS score
                FROM counted GROUP BY number ORDER BY score DESC, number LIMIT %(limit)s
            )
            SELECT n.number, {document}, n.noun FROM best JOIN {SCHEMA}.{self.kind} n ON n.number = best.number
            ORDER BY best.score DESC, n.number
        """

    def best(self, chosen: Narrowed, counts: dict[str, int], limit: int) -> list[tuple[int, str, str]]:
        """The rows that hold the rarest of the terms are looked at closely, and ranked as bm25 ranks them."""
        known = [term for term in chosen.words if counts[term]]
        if not known:
            return []
        quoted = [_quoted(term) for term in known]
        given = {
            "terms": known,
            "asked": quoted,
            "weights": [_rarity(counts[term], self.size) for term in known],
            "any": chosen.written(_quoted, " | ", " & "),
            "near": max(NEAR, 2 * limit),
            "early": self.early - 1.0,
            "mean": self.mean,
            "limit": limit,
        }
        return list(self.connection.execute(self._statement, given).fetchall())


def _rarity(count: int, size: int) -> float:
    """What a term weighs that so many of all texts hold, as in bm25; a word of more than half of them weighs next to nothing."""
    return max(math.log((size - count + 0.5) / (count + 0.5)), 1e-6)


class _Writing:
    """Puts a content in place of the old one, in the transaction of a connection."""

    def __init__(self, connection: Any, meanings: Meanings) -> None:
        self.connection, self.meanings = connection, meanings

    def replace(self, passages: Sequence[Passage], answers: Sequence[PriorAnswer], digest: str) -> None:
        for table in ("meta", "document", "passage", "prior", "term"):
            self.connection.execute(f"DELETE FROM {SCHEMA}.{table}")
        documents = {document: number for number, document in enumerate(dict.fromkeys(each.document for each in passages), start=1)}
        held = [self._passage(number, each, documents[each.document]) for number, each in enumerate(passages, start=1)]
        prior = [self._prior(number, each) for number, each in enumerate(answers, start=1)]
        for kind, rows in (("passage", held), ("prior", prior)):
            holding = Counter(word for row in rows for word in row[-1])
            self._copy("term (kind, term, held)", ((kind, word, count) for word, count in holding.items()))
        self._copy("document (number, noun)", ((number, document.model_dump_json()) for document, number in documents.items()))
        self._copy("passage (number, id, document, noun, words, length)", (row[:-1] for row in held))
        self._copy("prior (number, noun, words, length)", (row[:-1] for row in prior))
        facts = {"digest": digest, "passage": str(len(held)), "prior": str(len(prior))}
        facts |= {"passage length": str(_mean(held)), "prior length": str(_mean(prior))}
        self._copy("meta (key, value)", facts.items())

    def _passage(self, number: int, passage: Passage, document: int) -> tuple[Any, ...]:
        heading = "\n".join((passage.document.title, *passage.heading))
        return number, passage.id, document, passage.model_dump_json(exclude={"document"}), *self._words(heading, passage.text)

    def _prior(self, number: int, answer: PriorAnswer) -> tuple[Any, ...]:
        return number, answer.model_dump_json(), *self._words(answer.question, answer.answer)

    def _words(self, early: str, late: str) -> tuple[str, int, frozenset[str]]:
        """The text form of a tsvector, how many words it stands for, and which."""
        places: dict[str, list[str]] = {}
        number = 0
        for text, weight in ((early, EARLY), (late, LATE)):
            for word in (*segments.tokens(text), *self.meanings.of(text)):
                number += 1
                found = places.setdefault(_lexeme(word), [])
                if len(found) < MOST_PLACES:
                    found.append(f"{min(number, LAST_PLACE)}{weight}")
        return " ".join(f"{_quoted(word)}:{','.join(found)}" for word, found in places.items()), number, frozenset(places)

    def _copy(self, what: str, rows: Any) -> None:
        """COPY takes no rows past a policy, so they are inserted, many in one trip. The organisation is the column's default."""
        columns = what[what.index("(") + 1 : -1]
        values = ", ".join(["%s"] * len(columns.split(",")))
        self.connection.cursor().executemany(f"INSERT INTO {SCHEMA}.{what} VALUES ({values})", list(rows))


def _mean(rows: list[tuple[Any, ...]]) -> float:
    return sum(row[-2] for row in rows) / len(rows) if rows else 1.0


def _facts(connection: Any) -> dict[str, str]:
    return dict(connection.execute(f"SELECT key, value FROM {SCHEMA}.meta").fetchall())


def _counts(connection: Any, kind: str, wanted: list[str]) -> dict[str, int]:
    """How many rows hold each of these words."""
    statement = f"SELECT term, held FROM {SCHEMA}.term WHERE kind = %s AND term = ANY(%s)"
    return dict.fromkeys(wanted, 0) | dict(connection.execute(statement, (kind, wanted)).fetchall())


def _lexeme(word: str) -> str:
    """A word as SQLite's tokenizer keeps it: without diacritics, so that a query for "Zoe" finds "Zoë", and stemmed, but for short ones."""
    plain = word if word.isascii() else "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return segments.stem(plain) if len(plain) > 2 else plain or word


def _quoted(word: str) -> str:
    """A word as a quoted string, so that nothing in a question is read as query syntax."""
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
