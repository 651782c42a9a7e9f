"""Product names that go on beyond one of ours: "Sightline Mobile Vault" is not Sightline, "Acme QuickSign" not all that Acme sells.

A name begins with the organisation's or a product's own and goes on in capitals. What is said of the shorter name proves and denies
nothing about the longer one (product.md, PROVED: another product is not us).
Not seen here: names in lower case, behind a possessive ("Acme's Mobile Vault"), in questions that are written in capitals throughout, in
Chinese, and names that hold none of ours: those may be the customer's.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from trustops.facts.demand import FINITE, PREPOSITION
from trustops.facts.lexicon import alternation, load
from trustops.facts.nouns import Names
from trustops.facts.page import normalise
from trustops.facts.testimony import Statement
from trustops.facts.words import stem, words

LOWER = re.compile(r"\b[a-z]{4,}\b")
CAPITAL = re.compile(r"\b[A-Z][a-z]{3,}\b")
SAID = re.compile(
    r"(?:\b(?:stated?|states|said|says|wrote|writes|reports?|reported|confirms?|confirmed|yes|no)\s*[:.,]|\|)\s*(?=\S)", re.IGNORECASE
)
"""Behind it stands what somebody said, or the next cell of a row."""
GOES_ON = r"(?P<rest>(?:[ -][A-Z][A-Za-z0-9+]*)+)"


@cache
def _usual() -> frozenset[str]:
    """What stands in capitals behind a company's name without naming a product: its policies, people, platform and legal form."""
    data = load("generic")
    return words(" ".join((*data["generic"], *data["behind_names"])))


@lru_cache(maxsize=4096)
def longer_names(text: str, own: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """For each name of ours that goes on: the content words with which it does. None in a text that is a title throughout."""
    if not own:
        return ()
    plain = normalise(text)
    names = alternation({*own, *(first for name in own if (first := _first_word(name)))})
    found = list(re.finditer(rf"(?<![A-Za-z])(?i:{names}){GOES_ON}(?![A-Za-z])", plain))
    others = re.sub("|".join(re.escape(match.group()) for match in found) or "(?!)", "", plain)
    if len(LOWER.findall(others)) < len(CAPITAL.findall(others)):
        return ()
    added = (frozenset(words(" ".join(_spelled(match["rest"])))) - _usual() - words(" ".join(own)) for match in found)
    return tuple(more for more in added if more)


def another_product(statement: Statement, text: str, names: Names) -> bool:
    """The question names a product by a longer name than the statement, its headings and its register know."""
    own = (*names.own, *names.products, *names.other_products, *statement.products)
    held = statement.anchors | words(" ".join(statement.products))
    return any(not more <= held for more in longer_names(text, own))


def another_thing(statement: Statement, asked: str, names: Names) -> bool:
    """Its sentence, or what it reports somebody to have said, has a plain subject of its own that is neither we nor a word of the field,
    and shares no word as it is spelled with the question: "incubators are certified to ISO 27001" says nothing of boilers, "customer data
    is encrypted" something of "our data"."""
    reported = SAID.split(statement.text)[-1]
    finite = FINITE.search(reported)
    told = reported[: finite.start()] if finite else ""
    plain = statement.kind != "reading" and bool(told.strip()) and len(told.split()) <= 4 and not PREPOSITION.search(told)
    return plain and bool(words(told, names) - _usual()) and not _letters(told) & _letters(asked)


def _letters(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[A-Za-z]{4,}", text))


def _spelled(rest: str) -> list[str]:
    """The words of a run that are no acronyms: closure asks for those."""
    return [word for word in re.split(r"[ -]", rest) if re.search(r"[a-z]", word)]


def _first_word(name: str) -> str:
    """ "Acme" of "Acme Cloud", where it is a word of its own and none of the field."""
    first, _, more = name.partition(" ")
    return first if more and len(first) > 3 and words(first) - _usual() else ""
