"""Consistency: two answers of one review that cannot both be true (product.md, "Consistency").

Two sentences clash about one thing only: what the one denies is what the other says, and their subjects are not two different ones. Not
seen: one thing under two names that no line of the terms file joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from trustops.domain.answer import AnswerVersion
from trustops.facts.asked import subject_of
from trustops.facts.nouns import Names, Negation, Sentence
from trustops.facts.polarity import polarity
from trustops.facts.relation import relation
from trustops.facts.sentence import read
from trustops.facts.words import words

Told = tuple[str, str, tuple[str, ...]]
"""Question and digest of an answer, and the texts of its claims."""
SHARED = 3
"""Content words that two claims must share before they are compared."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two current versions whose claims oppose each other, by ref and digest, and the two sentences."""

    left: str
    right: str
    digests: tuple[str, str]
    sentences: tuple[str, str]


def clashes(answers: Iterable[AnswerVersion], names: Names, only: frozenset[str] | None = None) -> tuple[Clash, ...]:
    """Every pair of affirmative answers with opposing claims, or those of some questions. Sentences are read once; only pairs that share
    words are compared."""
    told = tuple((a.question, a.digest, tuple(claim.text for claim in a.claims)) for a in answers if a.determination.affirmative)
    return _clashes(told, names) if only is None else _among(_with(told, only), names)


@lru_cache(maxsize=32)
def _clashes(told: tuple[Told, ...], names: Names) -> tuple[Clash, ...]:
    """Of the same versions with the same words there are the same clashes: every look at a review asks for them."""
    return _among(combinations(told, 2), names)


def _among(pairs: Iterable[tuple[Told, Told]], names: Names) -> tuple[Clash, ...]:
    found = []
    for (left, first, mine), (right, second, theirs) in pairs:
        pair = _opposing(mine, theirs, names)
        if pair is not None:
            found.append(Clash(left, right, (first, second), pair))
    return tuple(found)


def _with(told: Sequence[Told], only: frozenset[str]) -> Iterator[tuple[Told, Told]]:
    """The pairs of some questions, each pair once and in the order of the answers."""
    for at in [place for place, (question, *_) in enumerate(told) if question in only]:
        yield from ((told[other], told[at]) for other in range(at) if told[other][0] not in only)
        yield from ((told[at], other) for other in told[at + 1 :])


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
            if enough and _clash(a, b, names):
                return a.text, b.text
    return None


def _clash(a: Sentence, b: Sentence, names: Names) -> bool:
    """Either opposes the other, about the same thing."""
    against = [found for found in (relation(a, b, names=names), relation(b, a, names=names)) if found.verdict == "OPPOSES"]
    if not against or _two_things(subject_words(a), subject_words(b)):
        return False
    return any(found.facts for found in against) or _denies_what_is_said(a, b) or _denies_what_is_said(b, a)


def _two_things(left: frozenset[str], right: frozenset[str]) -> bool:
    """Each subject has a word that the other lacks: logs of the east wing and logs of the west wing."""
    return bool(left - right) and bool(right - left)


def _denies_what_is_said(denier: Sentence, other: Sentence) -> bool:
    """Every content word of what is denied stands in the other sentence; a bare denial denies its whole sentence."""
    for fact in denier.facts:
        if isinstance(fact, Negation) and fact.denied:
            object_ = words(fact.negated or "")
            if (object_ or denier.words) <= other.words:
                return True
    return not any(isinstance(fact, Negation) and fact.denied for fact in denier.facts) and polarity(denier, other.words) == "negative"


PREDICATE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|must|shall|will|can|cannot|may|do|does|did|never|[a-z]{4,}(?:es|ies|[^s]s))\b|[是为由须应已将可不未均有]|保存|保留|删除|加密|存储|存放|通知|审查|复核|测试|监控",
    re.IGNORECASE,
)


def subject_words(sentence: Sentence) -> frozenset[str]:
    """Content words before the predicate; none where the sentence speaks of us, or begins with its verb."""
    found = PREDICATE.search(sentence.text)
    told = subject_of(sentence.text) or (sentence.text[: found.start()] if found else "")
    return words(told) & sentence.words


@lru_cache(maxsize=4096)
def _sentences(claims: tuple[str, ...], names: Names) -> Sequence[Sentence]:
    return [read(text, names, "answer") for text in claims]
