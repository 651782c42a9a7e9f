"""The searches that rules make for every question, whatever a seat plans (product.md, "Seats add, never subtract")."""

from __future__ import annotations

from collections.abc import Sequence

from trustops.facts.asked import Ask
from trustops.facts.nouns import Names, Scope

NEGATION = "not no never without except only unless unsupported excluded"
LONGEST = 1900


def rule_queries(question: str, asks: Sequence[Ask], names: Names) -> tuple[str, ...]:
    """The verbatim question, each ask where there are several, the unscoped form and the negated form."""
    del names  # own names weigh nothing in the index: every document holds them
    verbatim = [question, *(ask.text for ask in asks)] if len(asks) > 1 else [question]
    unscoped = [_unscoped(ask) for ask in asks]
    negated = [f"{NEGATION} {plain}" for plain in unscoped]
    return tuple(dict.fromkeys(query[:LONGEST].strip() for query in [*verbatim, *unscoped, *negated] if query.strip()))


def _unscoped(ask: Ask) -> str:
    """The ask without the words that say whom or what it covers, so that "administrators only" is found for "everybody"."""
    text = ask.text
    spans = sorted(((f.start, f.end) for f in ask.proposition.facts if isinstance(f, Scope) or f.kind == "absolute"), reverse=True)
    for start, end in spans:
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split())
