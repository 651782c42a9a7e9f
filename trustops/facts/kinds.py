"""Wider words that a sentence implies: an engineer is a person, a merge comes before the release. One direction only.

Data: `trustops/catalogue/lexicon/kinds.yaml`. Source: product.md, "Support" (synonyms are one word; a narrower word proves a wider one).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trustops.facts.lexicon import load
from trustops.facts.words import canonical_of, words


@cache
def _table() -> Mapping[str, tuple[tuple[str, frozenset[str]], ...]]:
    """Narrower word -> the wider ones, each with the words beside which alone it holds."""
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for entry in load("kinds")["kinds"]:
        beside = frozenset(canonical_of(word) for word in entry.get("beside", ()))
        for word in entry["narrower"]:
            for canonical in words(word) if " " not in word else (word,):
                found.setdefault(canonical, []).append((canonical_of(entry["wider"]), beside))
    return {word: tuple(wider) for word, wider in found.items()}


def wider(text: str, held: frozenset[str]) -> frozenset[str]:
    """The wider words that a text with these content words implies."""
    low = " ".join(text.lower().split())
    told = {key for key in _table() if (key in low if " " in key and not key.startswith("=") else key in held)}
    return frozenset(name for key in told for name, beside in _table()[key] if not beside or beside & held) - held
