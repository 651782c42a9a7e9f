"""The reader: one sentence in, its typed facts and content words out.

Order is meaning: an outer fact is read first and the numbers inside it are not read again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from trustops.facts import (
    absolute,
    attribution,
    capability,
    count,
    date,
    exclusion,
    frequency,
    modality,
    negation,
    place,
    quantity,
    scope,
    standard,
    version,
)
from trustops.facts.nouns import Fact, Names, Sentence
from trustops.facts.number import has_number
from trustops.facts.page import Page, language
from trustops.facts.words import anchors


@lru_cache(maxsize=16_384)
def read(text: str, names: Names, doc: str = "policy") -> Sentence:
    """Read a sentence. `doc` is the kind of the document it stands in. Never raises; a text without facts has none."""
    facts = tuple(_moved(fact, start) for start, piece in windows(text) for fact in _facts(Page.of(piece, names, doc)))
    found = anchors(text, names)
    return Sentence(text, 0, len(text), facts, frozenset(word for _, word in found), language(text), found)


WINDOW = 2_000
"""Characters that are read at once. The finders look back from every fact, so that one endless "sentence" would cost its square."""
_GAPS = (re.compile(r"[;!?.,]\s|[。；！？，]"), re.compile(r"\s"))


def windows(text: str) -> tuple[tuple[int, str], ...]:
    """A text in pieces of at most WINDOW characters with their offsets, cut behind a blank or a mark where there is one."""
    pieces: list[tuple[int, str]] = []
    start = 0
    while len(text) - start > WINDOW:
        ends = (list(mark.finditer(text, start + WINDOW // 2, start + WINDOW)) for mark in _GAPS)
        end = next((found[-1].end() for found in ends if found), start + WINDOW)
        pieces.append((start, text[start:end]))
        start = end
    return (*pieces, (start, text[start:]))


def _moved(fact: Fact, by: int) -> Fact:
    return replace(fact, start=fact.start + by, end=fact.end + by) if by else fact


_COUNTED = (count.find_ratios, quantity.find, count.find)


def _numeric(page: Page) -> list[Fact]:
    found: list[Fact] = []
    if any(character.isdigit() for character in page.text):
        found.extend(version.find(page, found))
    for finder in (standard.find, date.find, frequency.find):
        found.extend(finder(page, found))
    for finder in _COUNTED if has_number(page.text) else ():
        found.extend(finder(page, found))
    return found


def _facts(page: Page) -> tuple[Fact, ...]:
    numeric = _numeric(page)
    exclusions = exclusion.find(page)
    places = place.find(page, [fact for fact in numeric if fact.kind == "standard"])
    outer = [*numeric, *exclusions, *places]
    rest = [
        *scope.find(page, outer),
        *absolute.find(page, outer),
        *attribution.find(page),
        *negation.find(page, outer),
        *modality.find(page, outer),
        *capability.find(page, numeric),
    ]
    return tuple(sorted([*outer, *rest], key=lambda fact: (fact.start, fact.end, fact.kind)))
