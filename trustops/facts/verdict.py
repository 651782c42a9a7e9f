"""How a statement of the dossier stands to an ask: it proves it, opposes it, falls short of it, or is silent.

`relation` decides where it can. Where it is silent for want of shared words only, the lighter test of the specification counts: two
shared content words and a third of the ask's, every name of the ask named, no typed fact against it, the same polarity.
Source: product.md, PROVED; the complement (what words cannot show) stands in docs/threat-model.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from trustops.facts.asked import Ask
from trustops.facts.backing import full_time, is_window, long_form
from trustops.facts.implication import dimension, implies, same_value
from trustops.facts.lexicon import alternation, bounded, load
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
    Sentence,
    Standard,
    Version,
)
from trustops.facts.polarity import denials, polarity
from trustops.facts.relation import moods, relation
from trustops.facts.sentence import read
from trustops.facts.split import clauses
from trustops.facts.testimony import Statement
from trustops.facts.words import anchors, words

Reads = Literal["PROVES", "OPPOSES", "SHORT", "SILENT"]
VALUES = (Quantity, Deadline, Frequency, Version, Date)
NAMED = (Standard, Version, Capability)
THIRD = 3
OBJECT_END = re.compile(r"[;:.]|,\s+(?:and|but|so)\b|\s+(?:for|because|since|which|that|until|before)\b|[，；。]", re.IGNORECASE)
"""Where the object of a denial ends."""
NOT_ALONE = re.compile(r"not|n't|never|no longer")
AUXILIARY = re.compile(r"\b(?:do|does|did)$")
EXISTS = re.compile(r"there (?:is|are) no|(?:do|does|did)(?: not|n't)|(?:has|have) no|neither")
EXISTS_BEFORE = re.compile(r"\b(?:there (?:is|are)|has|have|with|own|owns|operate|operates|use|uses)$")
CHINESE_NONE = re.compile("没有|不使用|不运营|不存在|不涉及|无")
REACH = 6
"""Words after a denial that count as what is denied."""
CELL = " | "
DONE = re.compile(r"\b\w{3,}ed\b|\b(?:took place|was|were|held|done|found|began|ran)\b", re.IGNORECASE)
TYPED_REASONS = ("typed facts exclude each other", "a group inside the claimed one is denied")
AND_ALSO = re.compile(r",?\s+and\s+(?=(?:is|are|was|were|do|does|did|has|have|can|will|must)\b)|[，；]\s*(?:并且?|且)", re.IGNORECASE)
"""Where a second thing is asked in the same breath."""
LIGHT = "same topic, same polarity, nothing typed against it"
NAMES_IT = "names what is asked, same polarity, nothing typed against it"
WEAK_WORDS = "supported available offered possible permitted provided performed required scope covered included applicable part"
FAULTLESS = re.compile(
    r"(?:no|without|any|zero|not)\s+(?:\w+\s+)?(?:exceptions?|deviations?|findings?|issues?|observations?|qualifications?)\b", re.IGNORECASE
)


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


def stance(statement: Statement, ask: Ask, names: Names) -> Stance:
    """How one statement stands to one ask, whether or not it is eligible."""
    shared = shared_words(statement, ask)
    own = (statement.sentence.words | (statement.context if ask.listing and statement.subject else frozenset())) & ask.words
    weight = len(shared) + _same_names(statement, ask) + _promises(statement, ask)
    if not own or weight < min(2, len(ask.words)):
        return SILENT
    strong = 2 * weight >= len(ask.words)
    if ask.open:
        return Stance(_open(statement, ask), strong, "speaks to an open question", weight, len(own))
    reads, why = _closed(statement, ask, names, shared, own)
    return Stance(reads, strong, why, weight, len(own) + _same_names(statement, ask))


def _promises(statement: Statement, ask: Ask) -> int:
    """An earlier answer that gives a value in the asked dimension speaks of the asked thing, however short it was."""
    third = THIRD * len(shared_words(statement, ask)) >= len(ask.words)
    return int(statement.kind == "prior" and third and any(comparable(held, asked) for held in statement.sentence.facts for asked in values_of(ask)))


def _same_names(statement: Statement, ask: Ask) -> int:
    """Capabilities, standards and versions that both name count beside the words: one term of the lexicon may stand for four words."""
    wanted = [fact for fact in ask.proposition.facts if isinstance(fact, NAMED)]
    return sum(_gives_name(statement, fact) for fact in wanted)


def _gives_name(statement: Statement, fact: Fact) -> bool:
    """The same name, or the words that it stands for in the lexicon."""
    named = words(fact.surface)
    spelled = isinstance(fact, Capability) and bool(named) and named <= statement.sentence.words
    return spelled or any(isinstance(held, type(fact)) and comparable(held, fact) for held in statement.sentence.facts)


def _record(statement: Statement) -> bool:
    """A reading, or a dated sentence about something done: "rehearsed on 14 May 2026"."""
    dated = any(isinstance(fact, Date) and len(fact.value) >= 7 for fact in statement.sentence.facts)
    return statement.kind == "reading" or (dated and bool(DONE.search(statement.text)))


def shared_words(statement: Statement, ask: Ask) -> frozenset[str]:
    """Content words that statement (with its headings) and ask have in common."""
    return statement.anchors & ask.words


def comparable(left: Fact, right: Fact) -> bool:
    """True where two facts speak about one dimension: either says something about the other."""
    measured = dimension(left)
    return (measured is not None and measured == dimension(right)) or implies(left, right) != "SILENT" or implies(right, left) != "SILENT"


def denies_subject(statement: Statement, ask: Ask, names: Names) -> bool:
    """True where the statement says that what the ask is about does not exist with us: the proof of NOT_APPLICABLE."""
    if not ask.subject or ask.open:
        return False
    for fact in statement.sentence.facts:
        if isinstance(fact, Negation) and fact.denied and _absence(statement, fact):
            found = anchors(OBJECT_END.split(statement.text[fact.end :], maxsplit=1)[0], names)
            absent = frozenset(word for _, word in found)
            hit = absent & ask.subject
            head = found[-1][1] in hit if found else False
            if 2 * len(hit) >= len(absent) and (head or len(hit) >= 2):
                return True
    return False


def _absence(statement: Statement, fact: Negation) -> bool:
    """ "We do not use X" and "there is no X" deny X; "X is not used", "X is never read" and "no X was found" deny what X does."""
    before = statement.text[: fact.start].lower().rstrip()
    cue = fact.surface.lower()
    if NOT_ALONE.fullmatch(cue):
        return bool(AUXILIARY.search(before))
    return bool(EXISTS.search(cue) or (cue.startswith("no") and EXISTS_BEFORE.search(before)) or CHINESE_NONE.search(cue))


def _open(statement: Statement, ask: Ask) -> Reads:
    plan = _moods(statement) <= {"plan", "recommendation"}
    return "SILENT" if plan or not _names_met(statement, ask) else "PROVES"


def _closed(statement: Statement, ask: Ask, names: Names, shared: frozenset[str], own: frozenset[str]) -> tuple[Reads, str]:
    held, asked = _moods(statement), moods(ask.proposition)
    if held & {"plan", "recommendation"} and not asked & held:
        return "SILENT", "a plan or a recommendation is no fact"
    judged = relation(statement.sentence, ask.proposition, names=names)
    if judged.verdict == "PROVES" and _unfinished(statement, ask):
        return "SHORT", "holds under a condition or for a part"
    if judged.verdict == "PROVES" or (judged.verdict == "OPPOSES" and judged.reason in TYPED_REASONS):
        return judged.verdict, judged.reason
    typed = _typed(statement, ask)
    if typed is not None:
        return typed
    if not _names_met(statement, ask):
        return "SILENT", "does not name what is asked about"
    if len(ask.subject) > 1 and not ask.subject & statement.anchors and not _same_names(statement, ask):
        return "SILENT", "is about something else"
    slight = len(own) + _same_names(statement, ask) < min(2, len(ask.words)) and not _gives_wanted(statement, ask)
    if statement.kind != "reading" and slight and not _record(statement):
        return "SILENT", "only its heading speaks of what is asked"
    if not mixed(ask) and (len(own) > 1 or len(ask.words) == 1) and denies(statement.sentence, shared) != denies(ask.proposition, shared):
        return "OPPOSES", "denies what is asked"
    if "past" in asked and "past" not in held and not _record(statement):
        return "SILENT", "a rule or a state is no record of an achievement"
    if "conditional" in held or (_narrows(statement, ask) and statement.kind != "reading"):
        return "SHORT", "holds under a condition or for a part"
    decided = _gives_value(statement, ask) or _same_names(statement, ask)
    if THIRD * (len(shared) + _same_names(statement, ask)) < len(ask.words) or not (_specific(shared, ask) or decided):
        return "SILENT", "shares too little of the ask"
    if not _limits_met(statement, ask):
        return "SILENT", "does not say that it is only so"
    if values_of(ask) and not _gives_value(statement, ask):
        return "SILENT", "gives no value where one is asked"
    return "PROVES", NAMES_IT if _same_names(statement, ask) else LIGHT


def _specific(shared: frozenset[str], ask: Ask) -> bool:
    """Enough of the ask's words that are not generic to the field ("security" and "policy" alone are no topic): of up to three more than
    half, of more a third."""
    wanted = ask.words - generic()
    needed = len(wanted) // 2 + 1 if len(wanted) <= 3 else -(-len(wanted) // THIRD)
    return len(shared & wanted) >= min(needed, len(wanted))


@cache
def generic() -> frozenset[str]:
    """Words of the field that are no topic by themselves."""
    return words(" ".join(load("generic")["generic"]))


def _limits_met(statement: Statement, ask: Ask) -> bool:
    """ "Exclusively in Germany" is proved only by a sentence that says only, too."""
    limits = [f for f in ask.proposition.facts if isinstance(f, Scope) and f.coverage == "only" and f.canonical.startswith("region:")]
    return all(any(implies(held, fact) == "PROVES" for held in statement.sentence.facts) for fact in limits)


def values_of(ask: Ask) -> tuple[Fact, ...]:
    """The values an ask demands: numbers, deadlines, rates, versions. A stretch to look back on and round-the-clock are none."""
    return tuple(
        fact
        for fact in ask.proposition.facts
        if isinstance(fact, VALUES) and not is_window(fact, ask.text) and not full_time(fact, ask.text)
    )


def _gives_wanted(statement: Statement, ask: Ask) -> bool:
    """It gives a value that the ask demands, or the kind of fact that the ask wants to be told."""
    return _gives_value(statement, ask) or any(fact.kind in ask.wants for fact in statement.sentence.facts)


def _gives_value(statement: Statement, ask: Ask) -> bool:
    held = statement.sentence.facts
    return any(implies(fact, asked) == "PROVES" or same_value(fact, asked) for fact in held for asked in values_of(ask))


def parts_of(ask: Ask) -> tuple[Sentence, ...]:
    """The coordinated clauses of an ask, each with its own words; one where it is simple."""
    text = ask.text[ask.proposition.start : ask.proposition.end]
    return tuple(read(piece, Names(), "questionnaire") for piece in AND_ALSO.split(text) if piece.strip())


def mixed(ask: Ask) -> bool:
    """An ask that affirms in one clause and denies in another has no polarity of its own."""
    parts = [clause.text for clause in clauses(ask.text[ask.proposition.start : ask.proposition.end])]
    return len(parts) > 1 and len({denies(read(part, Names(), "questionnaire"), words(part)) for part in parts}) > 1


def denies(sentence: Sentence, about: frozenset[str]) -> bool:
    """The sentence denies what it shares with the ask: the denied words are shared ones, or there are none of their own ("are not
    supported"). "No exceptions noted" denies a fault, not the thing."""
    if polarity(sentence, about) == "positive":
        return False
    cues = [cue for cue in denials(sentence, about) if not FAULTLESS.match(sentence.text[cue.start :])]
    return any(_hits(sentence, cue, about) for cue in cues) or (not cues and not any(True for _ in denials(sentence, about)))


def _hits(sentence: Sentence, cue: Fact, about: frozenset[str]) -> bool:
    if CELL in sentence.text and not any(about & words(cell) and cue.surface in cell for cell in sentence.text.split(CELL)):
        return False  # a "no" in one cell says nothing about another
    after = anchors(" ".join(sentence.text[cue.end :].split()[:REACH]), Names())
    first = after[0][1] if after else ""
    return not first or first in words(WEAK_WORDS) or bool({word for _, word in after} & about)


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


def _names_met(statement: Statement, ask: Ask) -> bool:
    """Standards, versions and capabilities that the ask names must be named by the statement or its heading."""
    wanted = [fact for fact in ask.proposition.facts if isinstance(fact, NAMED)]
    if not wanted:
        return True
    return any(_named(fact, statement, ask) for fact in wanted)


def _named(fact: Fact, statement: Statement, ask: Ask) -> bool:
    implied = any(comparable(other, fact) for other in statement.sentence.facts)
    spelled = long_form(fact, ask.text, Names())
    return implied or bool(words(fact.surface, Names()) & statement.anchors) or bool(spelled and spelled <= statement.anchors)


def _narrows(statement: Statement, ask: Ask) -> bool:
    """An exception, a part of the group asked about, or a thing that exists only in part."""
    carved = any(isinstance(fact, Exclusion) for fact in statement.sentence.facts)
    part = any(
        isinstance(fact, Scope) and fact.coverage in ("some", "only") and ":" not in fact.canonical for fact in statement.sentence.facts
    )
    return carved or part or _unfinished(statement, ask)


def _unfinished(statement: Statement, ask: Ask) -> bool:
    """ "In beta", "on request": it exists in part only, and the ask does not say so."""
    return bool(_immature().search(statement.text)) and not _immature().search(ask.text)


@cache
def _immature() -> re.Pattern[str]:
    data = load("limits")["immature"]
    return re.compile(f"{bounded(data['en'])}|{alternation(data['zh'])}", re.IGNORECASE)


def _moods(statement: Statement) -> frozenset[str]:
    """The modalities of a statement. A plan in one clause leaves what another clause states: "there is none, and none is planned"."""
    whole = moods(statement.sentence)
    if not whole & {"plan", "recommendation"}:
        return whole
    parts = [moods(read(clause.text, Names(), statement.doc)) for clause in clauses(statement.text)]
    stated = [part for part in parts if not part & {"plan", "recommendation"}]
    return frozenset().union(*stated) if len(parts) > 1 and stated else whole


def denied_facts(statement: Statement, about: frozenset[str]) -> bool:
    """True where the statement denies something near the given words."""
    return any(True for _ in denials(statement.sentence, about))
