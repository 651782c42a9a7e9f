"""A topic named in a text: all its stems close together, without synonyms (product.md, "Controls")."""

from __future__ import annotations

import re
from functools import lru_cache

from trustops.facts.words import stem

WINDOW = 5
TOKEN = re.compile(r"[A-Za-z0-9]+(?:['’][a-z]+)?|[\u3400-\u9fff]")
FILLERS = frozenset({"of", "the", "a", "an", "in", "on", "at", "for", "to", "and", "who"})


@lru_cache(maxsize=4096)
def stem_sequence(text: str) -> tuple[str, ...]:
    """Every word of a text as a stem, in order; a Chinese character is a word."""
    return tuple(stem(token) for token in TOKEN.findall(text.replace("-", " ")))


def names_topic(topic: str, text: str) -> bool:
    """True where all stems of the topic stand within five words of each other in the text."""
    wanted = frozenset(word for word in stem_sequence(topic) if word not in FILLERS)
    stems = stem_sequence(text)
    span = max(WINDOW + 1, len(wanted))
    return bool(wanted) and any(wanted <= set(stems[at : at + span]) for at in range(max(1, len(stems) - len(wanted) + 1)))
