"""Closure: every number, unit, date, version, name and absolute word of an answer stands in, or follows from, one cited sentence.

Facts are never pooled across sentences (product.md, "Closure", invariant 5). Not checked: untyped deciding words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from trustops.domain.answer import Determination
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.facts.asked import Ask
from trustops.facts.closure import closure_facts, subtract_months
from trustops.facts.implication import implies
from trustops.facts.nouns import Absolute, Date, Deadline, Fact, Names, Quantity, Scope, Sentence
from trustops.facts.polarity import polarity
from trustops.facts.testimony import Statement
from trustops.facts.verdict import denied_facts
from trustops.facts.words import words

WINDOW = re.compile(r"(?:last|past|previous|preceding|prior)\s+$", re.IGNORECASE)
FULL_TIME = re.compile(r"24\s*(?:hours?\s+(?:a|per)\s+day|x\s*7|/\s*7)|7\s+days\s+(?:a|per)\s+week", re.IGNORECASE)
MONTHS = {"month": 1, "quarter": 3, "year": 12}


def closure_findings(
    claims: Sequence[Sentence], determination: Determination, asks: Sequence[Ask], cited: Sequence[Statement], names: Names, today: date
) -> tuple[Finding, ...]:
    """OVERCOMMITMENT for each fact of the answer, and for YES of the question, that no cited sentence contains or implies."""
    usable = [s for s in cited if s.eligible]
    asked = [fact for ask in asks for fact in closure_facts(ask.proposition)]
    open_facts: dict[str, str] = {}
    for claim in claims:
        denies = polarity(claim, claim.words) == "negative"
        for fact in closure_facts(claim):
            if denies and any(implies(f, fact) == "PROVES" for f in asked):
                continue  # what the answer denies may come from the question
            if not _supported(fact, claim.words, claim, usable, names, today):
                open_facts.setdefault(fact.surface.lower(), claim.text)
    for ask in asks if determination is Determination.YES else ():
        for fact in _demanded(ask):
            if not _supported(fact, ask.words, ask.proposition, usable, names, today):
                open_facts.setdefault(fact.surface.lower(), ask.text)
    return tuple(_finding(surface, said, usable) for surface, said in open_facts.items())


def _demanded(ask: Ask) -> Iterable[Fact]:
    """The question's facts that a yes takes over. A how-question contributes no absolutes, and no times either: it states nothing."""
    for fact in closure_facts(ask.proposition):
        if ask.open and isinstance(fact, (Absolute, Quantity, Deadline)):
            continue
        if not FULL_TIME.search(ask.text[max(0, fact.start - 2) : fact.end + 14]):
            yield fact


def _supported(fact: Fact, near: frozenset[str], holder: Sentence, cited: Sequence[Statement], names: Names, today: date) -> bool:
    if _is_window(fact, holder.text):
        return any(_inside_window(fact, s, today) for s in cited)
    return any(_supports(s, fact, near, holder, names) for s in cited)


def _supports(statement: Statement, fact: Fact, near: frozenset[str], holder: Sentence, names: Names) -> bool:
    """One sentence: it holds or implies the fact, shares two words with the claim (one if it has one), and does not say the opposite."""
    shared = statement.anchors & near
    if len(shared) < min(2, len(near)):
        return False
    if polarity(statement.sentence, shared) != polarity(holder, shared) and denied_facts(statement, words(fact.surface, names) or shared):
        return False
    return _contains(statement, fact, names)


def _contains(statement: Statement, fact: Fact, names: Names) -> bool:
    if any(implies(held, fact) == "PROVES" for held in statement.sentence.facts):
        return True
    if isinstance(fact, (Absolute, Scope)):
        return isinstance(fact, Scope) and _product(statement, fact)
    plain = fact.surface.lower()
    return plain in statement.text.lower() and not isinstance(fact, (Quantity, Deadline, Date))


def _product(statement: Statement, fact: Scope) -> bool:
    """An own product may come from heading path, title or the register's `products`."""
    name = fact.canonical.partition(":")[2].lower()
    return bool(words(name, Names()) & statement.context) or name in {p.lower() for p in statement.products}


def _is_window(fact: Fact, text: str) -> bool:
    return isinstance(fact, (Quantity, Deadline)) and bool(WINDOW.search(text[: fact.start]) or WINDOW.search(fact.surface.split(str(fact.value[0]))[0]))


def _inside_window(fact: Fact, statement: Statement, today: date) -> bool:
    """A cited date that lies within the asked stretch before the run's instant."""
    if not isinstance(fact, (Quantity, Deadline)):
        return False
    count = int(fact.value[0]) * MONTHS.get(fact.unit, 0)
    if not count:
        return fact.unit == "day" and any((today - d).days <= fact.value[0] for d in _dates(statement) if d <= today)
    return any(subtract_months(today, count) <= d <= today for d in _dates(statement))


def _dates(statement: Statement) -> Iterable[date]:
    for fact in statement.sentence.facts:
        if isinstance(fact, Date) and not fact.ambiguous:
            try:
                yield date.fromisoformat(fact.value.rsplit("/", 1)[-1])
            except ValueError:
                continue


def _finding(surface: str, said: str, cited: Sequence[Statement]) -> Finding:
    flat = " ".join(said.split())
    return Finding(
        code=FindingCode.OVERCOMMITMENT,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"No cited sentence says {surface!r}, which the answer commits to: {flat[:110]!r}.",
        exhibits=tuple(dict.fromkeys(s.exhibit for s in cited)),
        remedy="Take it out, or cite a sentence or reading that says it for the same thing.",
        cited=True,
    )
