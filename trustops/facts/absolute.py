"""Absolute words, from a closed list: all, never, fully, 100 %; "any" and 都 are none.

Not inside a frequency ("every 90 days"), not under a negation ("not all").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from trustops.facts.lexicon import alternation, bounded, load, squeeze
from trustops.facts.nouns import Absolute, Fact, Frequency, Limiter
from trustops.facts.page import Page, free


@cache
def _pattern(language: str) -> re.Pattern[str]:
    data = load("absolutes")[language]
    latin = [word for word in load("absolutes")["en"] if word not in load("absolutes")["not_labelled"] and "%" not in word]
    percent = r"(?<![\d.,-])100\s?%"
    if language == "en":
        return re.compile(rf"{percent}|{bounded(latin)}", re.I)
    return re.compile(rf"{percent}|(?<!安)(?:{alternation(word for word in data if '%' not in word)})|{bounded(latin)}", re.I)


def find(page: Page, outer: Iterable[Fact]) -> list[Fact]:
    """Absolutes of a page. They overlap scopes, quantities and negations on purpose."""
    inner = [fact for fact in outer if isinstance(fact, Frequency)]
    found: list[Fact] = []
    for match in _pattern(page.language).finditer(page.text):
        word = squeeze(match.group()).replace("100%", "100 %")
        value = load("absolutes")["zh"].get(word) or load("absolutes")["en"].get(word)
        if value and free(*match.span(), inner) and not _weakened(page.text, match, word):
            found.append(Absolute(*match.span(), page.surface(*match.span()), value))
    return found


def _weakened(text: str, match: re.Match[str], word: str) -> bool:
    before, after = text[max(0, match.start() - 12) : match.start()].lower(), text[match.end() :]
    if word in ("all", "every", "each") and re.search(r"(?:not\s+|n't\s+|at\s+|nearly\s+|almost\s+)$|(?:not in )$", before):
        return word != "all" or not re.match(r"\s+times", after)
    if re.search(r"(?:并非|不是|未|并不)$", before) and value_of(word) in ("all", "every", "full", "always"):
        return True
    if word in ("fully", "completely", "entirely", "always") and re.search(r"(?:not\s+(?:yet\s+)?|n't\s+)$", before):
        return True
    if word == "no exceptions" and re.match(r"\s+(?:were|was|are|have|noted|to|in)\b", after, re.I):
        return True
    context = load("absolutes")["contexts"].get(word)
    return bool(context and not re.match(context, after, re.I)) or (word == "all" and after.lower().startswith(" but not limited"))


def value_of(word: str) -> str:
    """The value of an absolute word in the closed list, or nothing."""
    return str(load("absolutes")["zh"].get(word) or load("absolutes")["en"].get(word) or "")


def find_limiters(page: Page) -> list[Fact]:
    """Words that narrow a statement: only, except, partly, limited to."""
    data = load("absolutes")["limiters"][page.language]
    pattern = bounded(data) if page.language == "en" else alternation(data)
    matches = re.finditer(pattern, page.text, re.I)
    return [Limiter(*m.span(), page.surface(*m.span())) for m in matches if not page.text[: m.start()].lower().endswith(("not ", "不"))]
