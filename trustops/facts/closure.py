"""What an affirmative answer asserts and must therefore show: numbers, dates, versions, names and absolute words.

Source: specification invariant 5 and "How a decision is made", Closure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal

from trustops.facts.absolute import find_limiters
from trustops.facts.lexicon import load
from trustops.facts.nouns import (
    Absolute,
    Capability,
    Date,
    Deadline,
    Fact,
    Frequency,
    Names,
    Negation,
    Place,
    Quantity,
    Scope,
    Sentence,
    Standard,
    Version,
)
from trustops.facts.page import Page, normalise

_ASSERTED = (Quantity, Frequency, Deadline, Version, Standard, Date, Absolute, Capability, Place)


_WINDOW = re.compile(r"\b(?:last|past|previous|preceding|recent|prior)\s*$|(?:过去|最近|近|此前|前)的?$", re.I)


def windows(sentence: Sentence) -> tuple[Quantity, ...]:
    """Stretches of time that end now ("the last 12 months"): whoever compares them subtracts from the run's instant."""
    quantities = (fact for fact in sentence.facts if isinstance(fact, Quantity))
    return tuple(fact for fact in quantities if _WINDOW.search(normalise(sentence.text)[: fact.start]))


def absolutes(sentence: Sentence) -> tuple[Fact, ...]:
    """The absolute words of a sentence."""
    return tuple(fact for fact in sentence.facts if isinstance(fact, Absolute))


def limiters(sentence: Sentence) -> tuple[Fact, ...]:
    """The words that narrow a sentence: only, except, partly; then its exceptions."""
    found = find_limiters(Page.of(sentence.text[: sentence.end], Names(), "policy"))
    inside = [fact for fact in found if fact.start >= sentence.start]
    return (*inside, *(fact for fact in sentence.facts if fact.kind == "exception"))


def closure_facts(sentence: Sentence) -> tuple[Fact, ...]:
    """The facts that closure asks support for, with the "never" that an unqualified denial implies. "Any" is none."""
    named = [fact for fact in sentence.facts if isinstance(fact, Scope) and fact.canonical.startswith("product:")]
    stated = [fact for fact in sentence.facts if isinstance(fact, _ASSERTED)]
    return tuple(
        sorted([*stated, *named, *implied_never(sentence), *strong_words(sentence)], key=lambda fact: (fact.start, fact.end, fact.kind))
    )


STRONG: dict[Literal["only", "immediate"], re.Pattern[str]] = {
    "only": re.compile(
        r"(?<![-\w])(?<!not )(?:only|solely|exclusively|nothing but|none but)(?![-\w])"
        r"(?!\s+(?:if|when|after|once|where|with|upon|on|by|via|through|until|as|to|for|in|within|from|at)\b)|(?<!不)(?:仅|只)(?!要|需)",
        re.IGNORECASE,
    ),
    "immediate": re.compile(r"\b(?:immediately|instantly|at once|in real[- ]time)\b|立即|立刻|实时", re.IGNORECASE),
}
"""Words that no typed fact carries and that promise more than a sentence without them."""


def strong_words(sentence: Sentence) -> tuple[Absolute, ...]:
    """ "Only" before a noun, and "immediately": the support must say so too."""
    text = sentence.text
    found = [(m, value) for value, pattern in STRONG.items() for m in pattern.finditer(text, sentence.start, sentence.end)]
    taken = [fact for fact in sentence.facts if isinstance(fact, Absolute | Scope) and ":" not in getattr(fact, "canonical", "")]
    return tuple(
        Absolute(m.start(), m.end(), m.group(), value) for m, value in found if not any(f.start <= m.start() < f.end for f in taken)
    )


def implied_never(sentence: Sentence) -> tuple[Absolute, ...]:
    """An unqualified "no", "there is no" or "only" says never: of such a sentence nothing weaker may be the support."""
    qualified = any(fact.kind in ("exception", "date") for fact in sentence.facts)
    return () if qualified else tuple(_nevers(sentence))


_NEVER = re.compile(r"(?:there\s+(?:is|are)\s+no|no(?!\s*\.|\s+later|\s+more|\s+less)|none|only|solely|exclusively|没有|从不|仅|只)$", re.I)


def _nevers(sentence: Sentence) -> Iterator[Absolute]:
    for fact in sentence.facts:
        only = isinstance(fact, Scope) and fact.coverage in ("only", "none")
        denied = isinstance(fact, Negation) and fact.denied and _NEVER.match(fact.surface)
        if only or denied:
            yield Absolute(fact.start, fact.end, fact.surface, "never")


def months(text: str) -> frozenset[int]:
    """The months that a text names; their names are anchor words of a claim about a date."""
    names = load("dates")["months"]
    found = {names[word] for word in re.findall(r"[a-z]+", normalise(text).lower()) if word in names and word != "may"}
    found |= {5} if re.search(r"\bMay\b", text) else set()
    return frozenset(found | {int(number) for number in re.findall(r"(?<!\d)(1[0-2]|[1-9])月", text)})


def subtract_months(instant: date, count: int) -> date:
    """The day `count` calendar months before, so that "within the last 12 months" is a subtraction from a given day."""
    index = instant.year * 12 + instant.month - 1 - count
    year, month = divmod(index, 12)
    first = date(year, month + 1, 1)
    following = date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    return first.replace(day=min(instant.day, (following - timedelta(days=1)).day))
