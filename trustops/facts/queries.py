"""The searches that rules make for every question, whatever a seat plans (product.md, "Seats add, never subtract")."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trustops.domain.question import Question
from trustops.facts.asked import Ask
from trustops.facts.nouns import Names, Scope
from trustops.facts.words import words

NEGATION = "not no never without except only unless unsupported excluded"
LONGEST = 1900
FEW = 3
"""Content words under which a follow-up says too little by itself."""
POINTS_BACK = re.compile(
    r"\b(?:it|its|these|those|they|them|the others|the same|former|latter|above)\b"
    r"|\b(?:is|does|do|was|has|will|can|for|of|with|about|in) (?:that|this)\b|\bsuch\b(?! as)"
    r"|^\s*(?:and|but|so|or|also|what about|how about|why)\b|这|那|它|其|该|上述|同样|呢[？?]?\s*$",
    re.IGNORECASE,
)


def rule_queries(question: str, asks: Sequence[Ask], names: Names) -> tuple[str, ...]:
    """The verbatim question, each ask where there are several, the unscoped form and the negated form."""
    del names  # own names weigh nothing in the index: every document holds them
    verbatim = [question, *(ask.text for ask in asks)] if len(asks) > 1 else [question]
    unscoped = [_unscoped(ask) for ask in asks]
    negated = [f"{NEGATION} {plain}" for plain in unscoped]
    return tuple(dict.fromkeys(query[:LONGEST].strip() for query in [*verbatim, *unscoped, *negated] if query.strip()))


def spoken_of(question: Question) -> tuple[str, ...]:
    """What a follow-up leans on: the question that began the conversation, and the turn before it, where its own words point back or are
    too few to be understood alone. Else nothing: it goes by its own words."""
    turns = question.conversation
    if not turns or not (POINTS_BACK.search(question.text) or len(words(question.text, Names())) < FEW):
        return ()
    return tuple(dict.fromkeys(turn.asked[:LONGEST].strip() for turn in (turns[0], turns[-1])))


def _unscoped(ask: Ask) -> str:
    """The ask without the words that say whom or what it covers, so that "administrators only" is found for "everybody"."""
    text = ask.text
    spans = sorted(((f.start, f.end) for f in ask.proposition.facts if isinstance(f, Scope) or f.kind == "absolute"), reverse=True)
    for start, end in spans:
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split())
