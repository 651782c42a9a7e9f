"""The asks of a question, each with the proposition that a yes would state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from trustops.facts.nouns import Names, Sentence
from trustops.facts.question import asks, is_open, proposition
from trustops.facts.words import words

SUBJECT_FREE = re.compile(r"^\W*(?:do|does|did|can|could|will|would|have|has|had)\s+(?:you|we|your|our|the company)\b", re.IGNORECASE)
VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has|have|had|does|do|run|runs|will|must|shall|can|\w{3,}ed|compliant|certified|available|subject)\b", re.IGNORECASE
)
INVERTED = re.compile(r"^\W*(?:is|are|was|were|has|have|had|does|do|did|will|can|must|should)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked. `words` are its content words, `subject` those of what it is about (empty where that is we ourselves)."""

    text: str
    proposition: Sentence
    open: bool
    words: frozenset[str]
    subject: frozenset[str]


@lru_cache(maxsize=2048)
def asks_of(question: str, names: Names) -> tuple[Ask, ...]:
    """The asks of one question cell, by rules alone; no seat can make a question narrower than it is."""
    return tuple(_ask(text, names) for text in asks(question))


def _ask(text: str, names: Names) -> Ask:
    found = proposition(text, names)
    return Ask(text, found, is_open(text), found.words, words(subject_of(text), names))


def subject_of(text: str) -> str:
    """What a yes/no question or statement is about: the words before its predicate. Empty for "do you ...": that is about us."""
    if SUBJECT_FREE.match(text):
        return ""
    opened = INVERTED.match(text)
    start = opened.end() if opened else 0
    verb = VERB.search(text, start)
    return text[start : verb.start()] if verb else ""
