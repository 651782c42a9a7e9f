"""Consistency: two answers of one review that cannot both be true (product.md, "Consistency")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trustops.domain.answer import AnswerVersion
from trustops.facts.nouns import Names, Sentence
from trustops.facts.relation import relation
from trustops.facts.sentence import read

SHARED = 3
"""Content words that two claims must share before they are compared."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two current versions whose claims oppose each other, by ref and digest, and the two sentences."""

    left: str
    right: str
    digests: tuple[str, str]
    sentences: tuple[str, str]


def clashes(answers: Iterable[AnswerVersion], names: Names) -> tuple[Clash, ...]:
    """Every pair of affirmative answers with opposing claims. Sentences are read once; only pairs that share words are compared."""
    told = [(answer, tuple(claim.text for claim in answer.claims)) for answer in answers if answer.determination.affirmative]
    found = []
    for at, (left, mine) in enumerate(told):
        for right, theirs in told[at + 1 :]:
            pair = _opposing(mine, theirs, names)
            if pair is not None:
                found.append(Clash(left.question, right.question, (left.digest, right.digest), pair))
    return tuple(found)


@lru_cache(maxsize=65_536)
def _opposing(mine: tuple[str, ...], theirs: tuple[str, ...], names: Names) -> tuple[str, str] | None:
    """Approving, exporting and showing ask this of every pair each time; the words of two versions do not change."""
    return opposing(_sentences(mine, names), _sentences(theirs, names), names)


def opposing(mine: Sequence[Sentence], theirs: Sequence[Sentence], names: Names, least: int = SHARED) -> tuple[str, str] | None:
    """The first two sentences that share at least so many words and cannot both be true; None where there are none."""
    for a in mine:
        for b in theirs:
            shared = a.words & b.words
            enough = len(shared) >= least and 2 * len(shared) >= min(len(a.words), len(b.words))
            if enough and "OPPOSES" in (relation(a, b, names=names).verdict, relation(b, a, names=names).verdict):
                return a.text, b.text
    return None


@lru_cache(maxsize=4096)
def _sentences(claims: tuple[str, ...], names: Names) -> Sequence[Sentence]:
    return [read(text, names, "answer") for text in claims]
