"""How a statement of the dossier stands to an ask: it proves it, opposes it, falls short of it, or is silent.

`relation` decides where it can. Where it is silent for want of shared words only, the lighter test of the specification counts: two
shared content words and a third of the ask's, every name of the ask named, no typed fact against it, the same polarity.
Source: product.md, PROVED; the complement (what words cannot show) stands in docs/threat-model.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trustops.facts.asked import Ask
from trustops.facts.implication import implies
from trustops.facts.nouns import (
    Absolute,
    Capability,
    Date,
    Deadline,
    Exclusion,
    Fact,
    Frequency,
    Names,
    Negation,
    Place,
    Quantity,
    Scope,
    Standard,
    Version,
)
from trustops.facts.polarity import denials, polarity
from trustops.facts.relation import moods, relation
from trustops.facts.testimony import Statement
from trustops.facts.words import words

Reads = Literal["PROVES", "OPPOSES", "SHORT", "SILENT"]
VALUES = (Quantity, Deadline, Frequency, Version, Date)
NAMED = (Standard, Version, Capability)
THIRD = 3
REACH = 6
"""Content words after a denial that count as what is denied."""


@dataclass(frozen=True, slots=True)
class Stance:
    """`strong` where the statement shares half of the ask's words, which opposing and conflict need."""

    reads: Reads
    strong: bool
    why: str = ""
    shared: int = 0


SILENT = Stance("SILENT", False)


def stance(statement: Statement, ask: Ask, names: Names) -> Stance:
    """How one statement stands to one ask, whether or not it is eligible."""
    shared = shared_words(statement, ask)
    own = statement.sentence.words & ask.words
    if not own or len(shared) < min(2, len(ask.words)):
        return SILENT
    strong = 2 * len(shared) >= len(ask.words)
    if ask.open:
        return Stance(_open(statement, ask), strong, "speaks to an open question", len(shared))
    reads, why = _closed(statement, ask, names, len(shared))
    return Stance(reads, strong, why, len(shared))


def shared_words(statement: Statement, ask: Ask) -> frozenset[str]:
    """Content words that statement (with its headings) and ask have in common."""
    return statement.anchors & ask.words


def comparable(left: Fact, right: Fact) -> bool:
    """True where two facts speak about one dimension: either says something about the other."""
    return implies(left, right) != "SILENT" or implies(right, left) != "SILENT"


def denies_subject(statement: Statement, ask: Ask, names: Names) -> bool:
    """True where the statement says that what the ask is about does not exist with us: the proof of NOT_APPLICABLE."""
    if not ask.subject or ask.open:
        return False
    denied = [fact for fact in statement.sentence.facts if isinstance(fact, Negation) and fact.denied]
    for fact in denied:
        after = words(statement.text[fact.end :], names) | words(fact.surface, names)
        near = frozenset(word for at, word in statement.sentence.anchors if _position(statement, fact) <= at <= _position(statement, fact) + 2 * REACH)
        hit = after & near & ask.subject
        if len(hit) >= min(2, len(ask.subject)) and not _passive(statement, fact):
            return True
    return False


def _position(statement: Statement, fact: Fact) -> int:
    return len(statement.text[: fact.start].split())


def _passive(statement: Statement, fact: Negation) -> bool:
    """ "X is not used" denies the predicate of X; "we do not use X" and "there is no X" deny X."""
    before = statement.text[: fact.start].lower().split()[-1:] or [""]
    after = statement.text[fact.end :].lower().split()[:1] or [""]
    return (before[0] in ("is", "are", "was", "were", "be", "been") and not fact.surface.lower().startswith("no")) or after[0] in ("been",)


def _open(statement: Statement, ask: Ask) -> Reads:
    plan = moods(statement.sentence) <= {"plan", "recommendation"}
    return "SILENT" if plan or not _names_met(statement, ask) else "PROVES"


def _closed(statement: Statement, ask: Ask, names: Names, shared: int) -> tuple[Reads, str]:
    judged = relation(statement.sentence, ask.proposition, names=names)
    if judged.verdict != "SILENT":
        return judged.verdict, judged.reason
    held, asked = moods(statement.sentence), moods(ask.proposition)
    if held & {"plan", "recommendation"} and not asked & held:
        return "SILENT", "a plan or a recommendation is no fact"
    typed = _typed(statement, ask)
    if typed is not None:
        return typed
    if not _names_met(statement, ask):
        return "SILENT", "does not name what is asked about"
    about = shared_words(statement, ask)
    if polarity(statement.sentence, about) != polarity(ask.proposition, about):
        return "OPPOSES", "denies what is asked"
    if "past" in asked and "past" not in held and statement.kind != "reading":
        return "SILENT", "a rule or a state is no record of an achievement"
    if "conditional" in held or _narrows(statement, ask):
        return "SHORT", "holds under a condition or for a part"
    if THIRD * shared < len(ask.words):
        return "SILENT", "shares too little of the ask"
    return "PROVES", "same topic, same polarity, nothing typed against it"


def _typed(statement: Statement, ask: Ask) -> tuple[Reads, str] | None:
    """What typed facts decide: they outrank words. None where the statement gives none of the ask's dimensions."""
    short = False
    for asked in ask.proposition.facts:
        if not isinstance(asked, (*VALUES, Scope, Absolute, Place)):
            continue
        verdicts = {(implies(fact, asked), implies(asked, fact)) for fact in statement.sentence.facts}
        if any(forward == "PROVES" for forward, _ in verdicts):
            continue
        if any(forward == "OPPOSES" for forward, _ in verdicts):
            return "OPPOSES", f"stands against {asked.surface!r}"
        short = short or (isinstance(asked, VALUES) and any(back == "PROVES" for _, back in verdicts))
    return ("SHORT", "gives less than is asked") if short else None


def _names_met(statement: Statement, ask: Ask) -> bool:
    """Standards, versions and capabilities that the ask names must be named by the statement or its heading."""
    wanted = [fact for fact in ask.proposition.facts if isinstance(fact, NAMED)]
    if not wanted:
        return True
    return any(_named(fact, statement) for fact in wanted)


def _named(fact: Fact, statement: Statement) -> bool:
    implied = any(implies(other, fact) != "SILENT" or implies(fact, other) != "SILENT" for other in statement.sentence.facts)
    return implied or bool(words(fact.surface, Names()) & statement.anchors)


def _narrows(statement: Statement, ask: Ask) -> bool:
    carved = any(isinstance(fact, Exclusion) for fact in statement.sentence.facts)
    part = any(isinstance(fact, Scope) and fact.coverage in ("some", "only") and ":" not in fact.canonical for fact in statement.sentence.facts)
    return carved or part


def denied_facts(statement: Statement, about: frozenset[str]) -> bool:
    """True where the statement denies something near the given words."""
    return any(True for _ in denials(statement.sentence, about))
