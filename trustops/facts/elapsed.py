"""Arithmetic that an answer may do: time gone by since a cited date, time left until one, and the rest of a cited ratio.

Source: product.md, "Closure": dates of readings and of sentences are subtracted from the run's day. Weeks, months and years count as
begun or as nearest ("61 days" are two months); an ambiguous date gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from fractions import Fraction

from trustops.facts.nouns import Date, Deadline, Fact, Quantity, Sentence
from trustops.facts.number import parse_number
from trustops.facts.page import normalise

PAST = re.compile(r"\s*(?:ago|earlier|before today)\b|之?前", re.IGNORECASE)
AHEAD = re.compile(r"(?:\b(?:for|in) (?:another|a further)|\b(?:another|further|remaining))\s*$|(?:还有|剩余)$", re.IGNORECASE)
LEFT = re.compile(r"\s*(?:left|remaining|from now|from today)\b|[之以]?后到期", re.IGNORECASE)
DAYS = {"day": Fraction(1), "week": Fraction(7), "month": Fraction(1461, 48), "quarter": Fraction(1461, 16), "year": Fraction(1461, 4)}
REST = re.compile(
    r"\W*(?:(?:the\s+)?(?:other|remaining)\s+)?(?P<number>[a-z]+(?:-[a-z]+)?|\d+)\s+(?:have|has|are|is|were|was|do|does)\s+not(?:\s+yet)?\W*"
    r"|\W*(?P<other>[a-z]+(?:-[a-z]+)?|\d+)\s+(?:are|is|remain|remains)\s+(?:open|missing|outstanding|left)\W*",
    re.IGNORECASE,
)


def counts_from_today(fact: Fact, text: str) -> int:
    """-1 for a stretch that lies behind the day of judgement ("61 days ago"), 1 for one ahead of it, 0 for a value."""
    if not isinstance(fact, (Quantity, Deadline)) or fact.unit not in DAYS or len(fact.value) != 1:
        return 0
    plain = normalise(text)
    if PAST.match(plain, fact.end):
        return -1
    return int(
        bool(AHEAD.search(plain[: fact.start]) or LEFT.match(plain, fact.end) or re.match(r"(?:another|further)\b", fact.surface, re.I))
    )


def spans_to_today(fact: Fact, text: str, days: Iterable[date], today: date) -> bool:
    """One of the days lies as far from today as the fact says, on the side that it says."""
    side = counts_from_today(fact, text)
    assert isinstance(fact, (Quantity, Deadline))
    return any(_fits(fact, Fraction((day - today).days * side)) for day in days if (day - today).days * side >= 0)


def _fits(fact: Quantity | Deadline, passed: Fraction) -> bool:
    said, real = fact.value[0], passed / DAYS[fact.unit]
    if fact.comparator == "less_than":
        return real < said
    if fact.comparator == "at_most":
        return real <= said
    if fact.comparator in ("more_than", "at_least"):
        return real >= said and real < said * 2  # "more than a month" said of nine is no rounding
    return said in (real.__floor__(), round(real))


def days_of(sentence: Sentence) -> Iterable[date]:
    """The days that a sentence names without doubt; of a period, its end."""
    for fact in sentence.facts:
        if isinstance(fact, Date) and not fact.ambiguous:
            try:
                yield date.fromisoformat(fact.value.rsplit("/", 1)[-1])
            except ValueError:
                continue


def rest_claimed(text: str) -> Fraction | None:
    """The number of a clause that counts the others without naming them: "three have not"."""
    found = REST.fullmatch(normalise(text))
    return parse_number(found["number"] or found["other"]) if found else None


def rest_given(sentence: Sentence, rest: Fraction) -> bool:
    """A ratio of the sentence leaves so many."""
    return any(isinstance(f, Quantity) and f.ratio and len(f.value) == 2 and f.value[1] - f.value[0] == rest for f in sentence.facts)
