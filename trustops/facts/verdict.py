"""How a statement of the dossier stands to an ask: it proves it, opposes it, falls short of it, or is silent.

`relation` decides where it can. Where it is silent for want of shared words only, the lighter test of the specification counts: two
shared content words and a third of the ask's, every name of the ask named, no typed fact against it, the same polarity.
Source: product.md, PROVED; the complement (what words cannot show) stands in docs/threat-model.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from trustops.facts.asked import Ask
from trustops.facts.demand import (
    FINITE,
    THIRD,
    VALUES,
    another_kind,
    another_thing,
    generic,
    gives_value,
    gives_wanted,
    limited_part,
    limits_met,
    names_met,
    own_subject,
    predicate_met,
    promises,
    same_names,
    shared_words,
    specific,
    unfinished,
    values_of,
    weigh,
)
from trustops.facts.denial import denies, mixed
from trustops.facts.halves import half_of, halves
from trustops.facts.implication import implies
from trustops.facts.nouns import Absolute, Date, Exclusion, Names, Place, Scope
from trustops.facts.order import done_by_another, order_differs
from trustops.facts.outsider import OF_OUTSIDERS, of_author
from trustops.facts.product import another_product
from trustops.facts.relation import moods, relation
from trustops.facts.sentence import read
from trustops.facts.split import clauses
from trustops.facts.testimony import Statement
from trustops.facts.words import words

Reads = Literal["PROVES", "OPPOSES", "SHORT", "SILENT"]
DONE = re.compile(r"\b\w{3,}ed\b|\b(?:took place|was|were|held|done|found|began|ran)\b", re.IGNORECASE)
TYPED_REASONS = ("typed facts exclude each other", "a group inside the claimed one is denied")
LIGHT = "same topic, same polarity, nothing typed against it"
NAMES_IT = "names what is asked, same polarity, nothing typed against it"
TOO_LITTLE = "shares too little of the ask"
CERTIFIED = words("certified")
"""That something meets a standard does not show that anybody certified it."""
DENIES_HALF = "denies one of the things asked about"
BRACKETED = re.compile(r"[(（](?:[^()（）]*[,、·]){2,}[^()（）]*[)）]")
"""A list in brackets: it names things, and what is said of them stands outside."""
INLINE_LIST = re.compile(r"(?:[^·•]+\s[·•]\s){2,}")
""" "Hosting by A · monitoring by B · billing by C": a list on one line."""
PARTLY = "holds under a condition or for a part"


@dataclass(frozen=True, slots=True)
class Stance:
    """`strong` where the statement shares half of the ask's words, which opposing and conflict need. `shared` and `own` count the words
    shared with and without its headings; a name both give counts as one more."""

    reads: Reads
    strong: bool
    why: str = ""
    shared: int = 0
    own: int = 0


SILENT = Stance("SILENT", False)


@lru_cache(maxsize=65_536)
def stance(statement: Statement, ask: Ask, names: Names) -> Stance:
    """How one statement stands to one ask, whether or not it is eligible."""
    shared = shared_words(statement, ask)
    own = (statement.sentence.words | (statement.context if ask.listing else frozenset())) & ask.words
    beside = same_names(statement, ask) + promises(statement, ask)
    weight = weigh(shared) + beside
    if not own or weight < min(2, weigh(ask.words)) or another_product(statement, ask.text, names):
        return SILENT
    strong = 2 * weight >= weigh(ask.words)
    if ask.open:
        return Stance(_open(statement, ask), strong, "speaks to an open question", weight, len(own))
    reads, why = _closed(statement, ask, names, shared, own)
    return Stance(reads, strong or why == DENIES_HALF, why, weight, weigh(own) + beside)


def _open(statement: Statement, ask: Ask) -> Reads:
    """An open ask is answered by a statement in force that names what is asked and shares more than half of its specific words."""
    plan = _moods(statement) <= {"plan", "recommendation"}
    shared = shared_words(statement, ask)
    about = specific(shared, ask, most=True) or same_names(statement, ask) or _answers_half(statement, shared, ask)
    return "PROVES" if about and not plan and names_met(statement, ask) else "SILENT"


def _answers_half(statement: Statement, shared: frozenset[str], ask: Ask) -> bool:
    """It speaks of one of two things that are asked, and shares enough of what is asked about that one."""
    which, both = half_of(statement.anchors, ask), halves(ask)
    if which is None or both is None:
        return False
    wanted = ask.words - both[1 - which] - generic()
    return 2 * len(shared & wanted) > len(wanted) and bool(statement.sentence.words & both[which])


def _closed(statement: Statement, ask: Ask, names: Names, shared: frozenset[str], own: frozenset[str]) -> tuple[Reads, str]:
    """A yes/no ask: plans first, then what typed facts decide, then what words can."""
    held, asked = _moods(statement), moods(ask.proposition)
    if another_kind(statement, ask.subject, ask.words):
        return "SILENT", "is about another kind of it"
    if INLINE_LIST.search(statement.text) and not FINITE.search(statement.text):
        return "SILENT", "a list without a predicate states nothing of its members"
    if BRACKETED.search(statement.text) and not words(BRACKETED.sub(" ", statement.text)) & ask.words:
        return "SILENT", "only a list in brackets mentions it"
    if _denies_half(statement, ask, shared):
        return "OPPOSES", DENIES_HALF
    if order_differs(statement.text, ask.text) or done_by_another(statement.text, statement.anchors, ask.text):
        return "SILENT", "says before or after, or by whom, otherwise"
    if held & {"plan", "recommendation"} and not asked & held:
        return "SILENT", "a plan or a recommendation is no fact"
    decided = _decided(statement, ask, names) or _by_words(statement, ask, names, shared, own, held, asked)
    certified = ask.words - ask.subject >= CERTIFIED and not statement.anchors >= CERTIFIED
    return ("SILENT", "is no certificate") if decided[0] == "PROVES" and certified and statement.kind == "passage" else decided


def _denies_half(statement: Statement, ask: Ask, shared: frozenset[str]) -> bool:
    """Of two things that are asked it denies one, and speaks of what is asked about them: "the shop was not in scope of this test"."""
    which, both = half_of(statement.sentence.words, ask), halves(ask)
    if which is None or both is None or statement.kind != "passage":
        return False
    beside = shared - both[0] - both[1]
    return bool(beside) and denies(statement.sentence, shared) and not denies(ask.proposition, ask.words) and not mixed(ask)


def _decided(statement: Statement, ask: Ask, names: Names) -> tuple[Reads, str] | None:
    """What `relation` or a typed fact settles; None where words must decide."""
    judged = relation(statement.sentence, ask.proposition, names=names)
    about = not ask.subject or bool(ask.subject & statement.anchors)
    named = bool(same_names(statement, ask)) and (about or not another_thing(statement, ask.text, names))
    said = (about and predicate_met(statement, ask)) or gives_value(statement, ask) or named
    if judged.verdict == "PROVES" and (said or statement.kind == "reading"):
        partly = unfinished(statement, ask) or limited_part(statement, ask)
        return ("SHORT", PARTLY) if partly else ("PROVES", judged.reason)
    if judged.verdict == "OPPOSES" and judged.reason in TYPED_REASONS:
        return "OPPOSES", judged.reason
    return _typed(statement, ask)


def _by_words(
    statement: Statement, ask: Ask, names: Names, shared: frozenset[str], own: frozenset[str], held: frozenset[str], asked: frozenset[str]
) -> tuple[Reads, str]:
    elsewhere = _elsewhere(statement, ask, own, names)
    if elsewhere:
        return "SILENT", elsewhere
    if not mixed(ask) and (len(own) > 1 or len(ask.words) == 1) and denies(statement.sentence, shared) != denies(ask.proposition, shared):
        return "OPPOSES", "denies what is asked"
    if "past" in asked and "past" not in held and not _record(statement):
        return "SILENT", "a rule or a state is no record of an achievement"
    lacking = _lacking(statement, ask, shared)
    if not lacking.startswith(TOO_LITTLE) and ("conditional" in held or (_narrows(statement, ask) and statement.kind != "reading")):
        return "SHORT", PARTLY
    return ("SILENT", lacking) if lacking else ("PROVES", NAMES_IT if same_names(statement, ask) else LIGHT)


def _elsewhere(statement: Statement, ask: Ask, own: frozenset[str], names: Names) -> str:
    """Why the statement is about something else, or nothing."""
    if not names_met(statement, ask):
        return "does not name what is asked about"
    if statement.doc in OF_OUTSIDERS and of_author(statement.text) and ask.subject and not ask.subject & statement.sentence.words:
        return "is about something else"  # the author's name is no subject
    specific_subject = len(ask.subject) > 1 or bool(own_subject(statement) - generic())
    unnamed = specific_subject and not same_names(statement, ask)
    if ask.subject and not ask.subject & statement.anchors and (unnamed or another_thing(statement, ask.text, names)):
        return "is about something else"
    slight = len(own) + same_names(statement, ask) < min(2, len(ask.words)) and not gives_wanted(statement, ask)
    return "only its heading speaks of what is asked" if statement.kind != "reading" and slight and not _record(statement) else ""


def _lacking(statement: Statement, ask: Ask, shared: frozenset[str]) -> str:
    """What a statement of the same topic and polarity lacks to prove the ask, or nothing."""
    named, valued = same_names(statement, ask), gives_value(statement, ask)
    if THIRD * (len(shared) + named) < len(ask.words) or not (specific(shared, ask) or named or valued):
        return TOO_LITTLE
    if not (predicate_met(statement, ask) or named or valued):
        return "says something else of it"
    if not limits_met(statement, ask):
        return "does not say that it is only so"
    return "gives no value where one is asked" if values_of(ask) and not valued else ""


def _typed(statement: Statement, ask: Ask) -> tuple[Reads, str] | None:
    """What typed facts decide: they outrank words. None where the statement gives none of the ask's dimensions."""
    short = False
    demanded = (*values_of(ask), *(f for f in ask.proposition.facts if isinstance(f, (Scope, Absolute, Place))))
    for asked in demanded:
        verdicts = {(implies(fact, asked), implies(asked, fact)) for fact in statement.sentence.facts}
        if any(forward == "PROVES" for forward, _ in verdicts):
            continue
        if any(forward == "OPPOSES" for forward, _ in verdicts):
            return "OPPOSES", f"stands against {asked.surface!r}"
        short = short or (isinstance(asked, VALUES) and any(back == "PROVES" for _, back in verdicts))
    return ("SHORT", "gives less than is asked") if short else None


def _narrows(statement: Statement, ask: Ask) -> bool:
    """An exception, a part of the group asked about, or a thing that exists only in part."""
    carved = any(isinstance(fact, Exclusion) for fact in statement.sentence.facts)
    part = any(
        isinstance(fact, Scope) and fact.coverage in ("some", "only") and ":" not in fact.canonical for fact in statement.sentence.facts
    )
    return carved or part or unfinished(statement, ask) or limited_part(statement, ask)


def _moods(statement: Statement) -> frozenset[str]:
    """The modalities of a statement. A plan in one clause leaves what another clause states: "there is none, and none is planned"."""
    whole = moods(statement.sentence)
    if not whole & {"plan", "recommendation"}:
        return whole
    parts = [moods(read(clause.text, Names(), statement.doc)) for clause in clauses(statement.text)]
    stated = [part for part in parts if not part & {"plan", "recommendation"}]
    return frozenset().union(*stated) if len(parts) > 1 and stated else whole


def _record(statement: Statement) -> bool:
    """A reading, or a dated sentence about something done: "rehearsed on 14 May 2026"."""
    dated = any(isinstance(fact, Date) and len(fact.value) >= 7 for fact in statement.sentence.facts)
    return statement.kind == "reading" or (dated and bool(DONE.search(statement.text)))
