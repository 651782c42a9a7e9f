"""Product names that go on beyond one of ours: "Sightline Mobile Vault" is not Sightline, "Acme QuickSign" not all that Acme sells.

A name begins with the organisation's or a product's own and goes on in capitals. What is said of the shorter name proves and denies
nothing about the longer one (product.md, PROVED: another product is not us).
Not seen here: names in lower case, behind a possessive ("Acme's Mobile Vault"), in questions that are written in capitals throughout, in
Chinese, and names that hold none of ours: those may be the customer's.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trustops.facts.demand import usual
from trustops.facts.lexicon import alternation
from trustops.facts.nouns import Names
from trustops.facts.page import normalise
from trustops.facts.testimony import Statement
from trustops.facts.words import words

LOWER = re.compile(r"\b[a-z]{4,}\b")
CAPITAL = re.compile(r"\b[A-Z][a-z]{3,}\b")
GOES_ON = r"(?P<rest>(?:[ -][A-Z][A-Za-z0-9+]*)+)"


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
    added = (frozenset(words(" ".join(_spelled(match["rest"])))) - usual() - words(" ".join(own)) for match in found)
    return tuple(more for more in added if more)


def another_product(statement: Statement, text: str, names: Names) -> bool:
    """The question names a product by a longer name than the statement, its headings and its register know."""
    own = (*names.own, *names.products, *names.other_products, *statement.products)
    held = statement.anchors | words(" ".join(statement.products))
    return any(not more <= held for more in longer_names(text, own))


def _spelled(rest: str) -> list[str]:
    """The words of a run that are no acronyms: closure asks for those."""
    return [word for word in re.split(r"[ -]", rest) if re.search(r"[a-z]", word)]


def _first_word(name: str) -> str:
    """ "Acme" of "Acme Cloud", where it is a word of its own and none of the field."""
    first, _, more = name.partition(" ")
    return first if more and len(first) > 3 and words(first) - usual() else ""
