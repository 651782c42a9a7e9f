"""Two words that decide and are no content words: before or after, and by whom.

"Checked after release" says nothing of a check before it; "approved by its author" none of an approval by a second person.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trustops.facts.kinds import wider
from trustops.facts.page import normalise
from trustops.facts.words import words

REACH = 4
"""Words behind "before" that say before what."""
WHEN = re.compile(r"\b(?P<before>before|prior to|ahead of|in advance of)|\b(?P<after>after|following|subsequent to)\b", re.IGNORECASE)
WHEN_ZH = re.compile(r"(?P<what>[\u4e00-\u9fff]{2})[之以]?(?P<side>[前后])(?![端台续者期果])")
BY = re.compile(
    r"\bby\s+(?!choice\b|default\b|means\b|law\b|contract\b|hand\b|\d)(?P<who>[\w'’-]+(?:\s+(?!before\b|after\b|within\b|at\b|in\b|on\b|who\b|for\b|every\b|and\b|or\b|with\b"
    r"|from\b|until\b|to\b|of\b|other\b|than\b|when\b|each\b|once\b)[\w'’-]+){0,4})",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)
def _order(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words before which, and words after which."""
    plain = normalise(text)
    before, after = set[str](), set[str]()
    for found in WHEN.finditer(plain):
        told = words(" ".join(re.split(r"[,;.:]", plain[found.end() :], maxsplit=1)[0].split()[:REACH]))
        (before if found["before"] else after).update(told | wider(" ".join(told), told))
    for found in WHEN_ZH.finditer(plain):
        (before if found["side"] == "前" else after).update(words(found["what"]))
    return frozenset(before), frozenset(after)


def order_differs(held: str, asked: str) -> bool:
    """One puts it before what the other puts it after."""
    (b1, a1), (b2, a2) = _order(held), _order(asked)
    return bool((b2 & a1) - b1 or (a2 & b1) - a1)


@lru_cache(maxsize=16_384)
def _doers(text: str) -> frozenset[str]:
    told = frozenset[str]().union(*(words(found["who"]) for found in BY.finditer(normalise(text))))
    return told | wider(text, told)


def done_by_another(held: str, anchors: frozenset[str], asked: str) -> bool:
    """Both say by whom, and who is asked about stands nowhere in what is held; the held one's kind counts (an engineer is a person)."""
    mine, wanted = _doers(held), frozenset[str]().union(*(words(found["who"]) for found in BY.finditer(normalise(asked))))
    somebody = bool(wanted & ANYBODY and "=person" in mine)
    return bool(mine and wanted) and not (somebody or wanted & (mine | anchors))


ANYBODY = words("person people member colleague employee staff team party body")
"""Whoever it is, somebody did it."""
