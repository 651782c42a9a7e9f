"""Capability acronyms (BYOK, MFA, EDR): an answer that names one claims it, so closure counts them as facts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from trustops.facts.lexicon import alternation, load
from trustops.facts.nouns import Capability, Fact
from trustops.facts.page import Page, free


@cache
def _pattern() -> re.Pattern[str]:
    words = load("standards")["capability"]
    latin = [word for word in words if re.fullmatch(r"[A-Za-z0-9]+", word)]
    return re.compile(rf"(?<![A-Za-z0-9_-])(?:{alternation(latin)})(?![A-Za-z0-9_])|{alternation(set(words) - set(latin))}")


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Capabilities of a page that touch no outer fact (the SOC of "SOC 2" is a report)."""
    outer = list(taken)
    matches = _pattern().finditer(page.text)
    return [Capability(*m.span(), page.surface(*m.span()), m.group().upper()) for m in matches if free(*m.span(), outer)]
