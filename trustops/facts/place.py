"""Countries and regions as typed facts; a city stands for its country."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from trustops.facts.lexicon import alternation, bounded, load
from trustops.facts.nouns import Fact, Place
from trustops.facts.page import Page, free


@cache
def _names() -> dict[str, str]:
    data = load("places")
    names: dict[str, str] = {}
    for group in ("cities", "countries", "regions"):
        for code, spellings in data[group].items():
            names.update(dict.fromkeys([*spellings["en"], *spellings["zh"]], code))
    return names


@cache
def _pattern() -> re.Pattern[str]:
    latin = [name for name in _names() if not re.search(r"[一-鿿]", name)]
    chinese = [name for name in _names() if re.search(r"[一-鿿]", name)]
    # capitals matter: "us" is a pronoun and "turkey" a bird
    return re.compile(rf"{bounded(latin)}(?!-[A-Z]|\s+(?:GDPR|AI\s+Act))|{alternation(chinese)}")


def places(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and code of each place that a normalised text names."""
    for match in _pattern().finditer(text):
        yield match.start(), match.end(), _names()[" ".join(match.group().split())]


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Places of a page that touch no outer fact (the GB of a standard's name is no country)."""
    outer = list(taken)
    return [Place(start, end, page.surface(start, end), code) for start, end, code in places(page.text) if free(start, end, outer)]


@cache
def members(code: str) -> frozenset[str]:
    """All countries and regions that lie inside a region, itself included."""
    inside = {code}
    for member in load("places")["regions"].get(code, {}).get("members", []):
        inside |= members(member)
    return frozenset(inside)


def within(inner: str, outer: str) -> bool:
    """Whether one country or region lies wholly inside another."""
    return inner == outer or inner in members(outer)


def apart(one: str, other: str) -> bool:
    """Whether two places share no country: what lies in one is outside the other."""
    return not (members(one) & members(other))
