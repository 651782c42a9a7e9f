"""Whether a sentence affirms or denies something: negators and antonyms within five words of it.

Source: specification "How a decision is made", PROVED: "a negation counts within five words of a word of the ask".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from trustops.facts.lexicon import alternation, bounded, load, squeeze
from trustops.facts.nouns import Negation, Scope, Sentence
from trustops.facts.page import normalise
from trustops.facts.words import canonical_of, position_of

REACH = 5
Polarity = Literal["positive", "negative"]


@cache
def _antonyms(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    words = {word.lower(): canonical_of(target) for word, target in load("antonyms")[language].items()}
    return re.compile(bounded(words) if language == "en" else alternation(words), re.I), words


def _antonym_flips(sentence: Sentence, about: frozenset[str]) -> int:
    pattern, words = _antonyms(sentence.language)
    text = normalise(sentence.text)
    return sum(1 for match in pattern.finditer(text) if words[squeeze(match.group())] in about)


def denials(sentence: Sentence, about: frozenset[str]) -> Iterator[Negation]:
    """The negations that deny a word of `about`, each within five words of it."""
    only = [fact for fact in sentence.facts if isinstance(fact, Scope) and fact.coverage == "only"]
    places = [at for at, word in sentence.anchors if word in about]
    for fact in sentence.facts:
        if not isinstance(fact, Negation) or not fact.denied:
            continue
        if any(scope.start <= fact.start and fact.end <= scope.end for scope in only):
            continue  # "never leaves the EU" is a place, not a denial
        at = position_of(sentence.text, fact.start)
        if any(abs(at - place) <= REACH for place in places if _same_clause(sentence, at, place)):
            yield fact


_CLAUSE = re.compile(r"[，；。,;]")


def _same_clause(sentence: Sentence, at: int, place: int) -> bool:
    """In Chinese a comma ends the reach of a negator: "仅存储于境内，不会出境" does not deny the storage."""
    if sentence.language == "en":
        return True
    low, high = sorted((at, place))
    marks = (position_of(sentence.text, match.start()) for match in _CLAUSE.finditer(sentence.text))
    return not any(low < mark <= high for mark in marks)


def polarity(sentence: Sentence, about: frozenset[str]) -> Polarity:
    """`negative` where an odd number of denials and antonyms stands near the words asked about, else `positive`."""
    cues = list(denials(sentence, about))
    clause = sum(1 for _ in cues)
    flips = min(clause, 1) + _antonym_flips(sentence, about)
    return "negative" if flips % 2 else "positive"
