"""Words and meanings together: the full-text index asked as before, the nearest vectors beside it, both ranks fused (Cormack et al. 2009).

Vectors are kept in a file of the organisation's own, by the digest of their text: what did not change is not read again. The file is a
cache; without it, and for an index that is too large for it, words decide alone.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from trustops.domain.evidence import Passage, PriorAnswer
from trustops.ports import EvidenceIndex
from trustops.retrieval.embedding import text_digest
from trustops.retrieval.segments import terms

K, WORDS, MEANINGS = 60, 1.0, 1.0
"""Of reciprocal rank fusion: a hit at rank r of a list counts weight / (K + r)."""
POOL = 50
"""Hits of each list that take part."""
MOST = 50_000
"""Passages; beyond that every query would walk through more than 75 MB."""
QUERIES = 512


class Meaning(Protocol):
    """What turns a text into a unit vector; `model` names the weights."""

    model: str

    def vector(self, text: str) -> bytes: ...


class Closing(EvidenceIndex, Protocol):
    """An index that holds something open."""

    def close(self) -> None: ...


class FusedIndex:
    """An index that also finds what says the same in other words. Reads and writes go to the inner index; safe for several threads."""

    def __init__(self, inner: Closing, path: Path, meaning: Meaning) -> None:
        self.inner, self._path, self._meaning = inner, path, meaning
        self._lock = threading.Lock()
        self._held: tuple[str, _Vectors, _Vectors] | None = None
        self._of_query = lru_cache(QUERIES)(meaning.vector)

    def rebuild(self, passages: Sequence[Passage], prior_answers: Sequence[PriorAnswer]) -> None:
        """Replaces the content, and reads the texts that are new."""
        self.inner.rebuild(passages, prior_answers)
        if len(passages) <= MOST:
            self._vectors(keep=True)

    def search(self, query: str, *, limit: int = 10) -> tuple[Passage, ...]:
        """The best passages by words and meaning, best first; none where the query has no word that carries a topic."""
        found = self.inner.search(query, limit=max(limit, POOL))
        held = self._vectors() if terms(query) and limit > 0 else None
        return tuple(_fused(found, held[0].nearest(self._of_query(query), POOL))[:limit]) if held else found[:limit]

    def search_prior(self, query: str, *, limit: int = 10) -> tuple[PriorAnswer, ...]:
        """The best earlier answers by words and meaning."""
        found = self.inner.search_prior(query, limit=max(limit, POOL))
        held = self._vectors() if terms(query) and limit > 0 else None
        return tuple(_fused(found, held[1].nearest(self._of_query(query), POOL))[:limit]) if held else found[:limit]

    def get_passage(self, id: str) -> Passage | None:
        """The passage of this id, or None."""
        return self.inner.get_passage(id)

    def passages(self) -> tuple[Passage, ...]:
        """All passages in the order in which they were given."""
        return self.inner.passages()

    def prior_answers(self) -> tuple[PriorAnswer, ...]:
        """All earlier answers that count."""
        return self.inner.prior_answers()

    def digest(self) -> str:
        """Of the content, the synonyms and the weights."""
        return sha256(f"{self.inner.digest()} {self._meaning.model}".encode()).hexdigest()

    def close(self) -> None:
        """Closes the inner index."""
        self.inner.close()

    def _vectors(self, *, keep: bool = False) -> tuple[_Vectors, _Vectors] | None:
        """The vectors of what is indexed now; None where that is too much."""
        content = self.inner.digest()
        with self._lock:
            if self._held is None or self._held[0] != content:
                passages, answers = self.inner.passages(), self.inner.prior_answers()
                if len(passages) + len(answers) > MOST:
                    return None
                self._held = (content, *self._made(passages, answers, keep=keep))
            return self._held[1], self._held[2]

    def _made(self, passages: Sequence[Passage], answers: Sequence[PriorAnswer], *, keep: bool) -> tuple[_Vectors, _Vectors]:
        shown = [_shown(each) for each in passages], [f"{each.question}\n{each.answer}" for each in answers]
        with closing(sqlite3.connect(self._path, timeout=30)) as file:
            file.execute("CREATE TABLE IF NOT EXISTS vector (text BLOB PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID")
            known = dict(file.execute("SELECT text, numbers FROM vector").fetchall())
            needed = {text_digest(text): text for texts in shown for text in texts}
            made = {name: self._meaning.vector(text) for name, text in needed.items() if name not in known}
            with file:
                file.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", made.items())
                if keep:  # the content was just replaced: what is not in it is gone from the evidence
                    file.executemany("DELETE FROM vector WHERE text = ?", [(name,) for name in known.keys() - needed.keys()])
        rows = [[(known.get(name) or made[name]) for name in map(text_digest, texts)] for texts in shown]
        return _Vectors(passages, rows[0]), _Vectors(answers, rows[1])


class _Vectors:
    """Things and their vectors, compared with all of a query's at once."""

    def __init__(self, things: Sequence[Any], rows: Sequence[bytes]) -> None:
        import numpy

        self._things = things
        self._matrix = numpy.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1) if rows else None

    def nearest(self, query: bytes, most: int) -> list[Any]:
        import numpy

        if self._matrix is None:
            return []
        likeness = self._matrix @ numpy.frombuffer(query, dtype="<f4")
        order = numpy.argsort(-likeness, kind="stable")[:most]
        return [self._things[int(place)] for place in order]


def _fused(by_words: Iterable[Any], by_meaning: Iterable[Any]) -> list[Any]:
    """One list out of two, each thing once. Equal scores stand in the order of their names."""
    things, scores = dict[str, Any](), dict[str, float]()
    for weight, found in ((WORDS, by_words), (MEANINGS, by_meaning)):
        for rank, thing in enumerate(found, start=1):
            things[thing.id] = thing
            scores[thing.id] = scores.get(thing.id, 0.0) + weight / (K + rank)
    return [things[each] for each in sorted(things, key=lambda each: (-scores[each], each))]


def _shown(passage: Passage) -> str:
    return "\n".join((passage.document.title, *passage.heading, passage.text))
