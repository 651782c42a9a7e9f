"""What one sentence says about another: PROVES, OPPOSES or SILENT, on one pair, never pooled.

First the obstacles (another party, a plan, another topic), then typed facts, which outrank words, then polarity.
Source: specification "How a decision is made", PROVED; a false PROVES is the harm, so every doubt is SILENT.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from trustops.facts.implication import implies
from trustops.facts.modality import pieces
from trustops.facts.nouns import (
    NOT_STATED,
    Capability,
    Date,
    Deadline,
    Exclusion,
    Frequency,
    Modality,
    Names,
    Quantity,
    Relation,
    Scope,
    Sentence,
    Standard,
    Verdict,
    Version,
)
from trustops.facts.obstacle import carved, foreign, moods, obstacle, something_else
from trustops.facts.polarity import polarity
from trustops.facts.scope import narrower
from trustops.facts.sentence import read
from trustops.facts.typed import Pair, negative, typed
from trustops.facts.words import words

__all__ = ["Topic", "moods", "relation", "topic"]


COVER = 0.6

COVER_TYPED = 0.5

COVER_PLACE = 1 / 3


@dataclass(frozen=True, slots=True)
class Topic:
    """The words that two sentences share, and their share of the claim."""

    shared: frozenset[str]
    claim: frozenset[str]
    unread: float = 0.0

    @property
    def cover(self) -> float:
        """Share of the claim's words; nothing to cover counts as none."""
        return len(self.shared) / (len(self.claim) + self.unread) if self.claim else 0.0

    @property
    def enough(self) -> bool:
        """Two shared words, or one where the claim has only one."""
        return len(self.shared) >= (2 if self.unread else min(2, max(1, len(self.claim))))


def topic(premise: Sentence, claim: Sentence, names: Names) -> Topic:
    """Shared content words. Across languages only the words of the terms file can be shared.

    A group whose scope is compared as a typed fact is no topic word: "workforce" and "employees" meet in the lattice.
    """
    left, right = premise.words, _topical(claim)
    unread = 0.0
    if premise.language != claim.language:
        others = sum(1 for word in right if not word.startswith("="))
        unread = others / 2  # what no line of the terms file can share
        left, right = (frozenset(word for word in side if word.startswith("=")) for side in (left, right))
    left, right = _plain_data(left), _plain_data(right)
    if "=delete" in left and "=retain" in right and _AGED.search(premise.text):
        left |= {"=retain"}  # what is deleted after a time is kept until then
    grouped = frozenset(
        word for fact in claim.facts if isinstance(fact, Scope) and _lattice(fact, premise) for word in words(fact.who, names)
    )
    rest = right - grouped
    return Topic(left & rest, rest, unread) if rest else Topic(left & right, right, unread)


def _topical(claim: Sentence) -> frozenset[str]:
    """The words of a claim without those of its standards and versions, which are compared as typed facts."""
    mentioned = frozenset(word for fact in claim.facts if isinstance(fact, Standard | Version) for word in words(fact.surface))
    return claim.words - mentioned or claim.words


_AGED = re.compile(r"\bafter\s+(?:\w+\s+){0,3}?(?:\d+|[a-z]+)\s+(?:days|months|years|weeks)\b|\d+\s*(?:天|日|个月|年)后", re.I)


def _plain_data(side: frozenset[str]) -> frozenset[str]:
    """Customer data is data when topics are compared; whose data it is, is the business of scopes."""
    return frozenset("=data" if word == "=customer data" else word for word in side)


def _lattice(fact: Scope, premise: Sentence) -> bool:
    """Whether the premise names another group of the lattice, or the same."""
    if fact.canonical == NOT_STATED or ":" in fact.canonical:
        return False
    return any(isinstance(other, Scope) and other.canonical != NOT_STATED and ":" not in other.canonical for other in premise.facts)


@lru_cache(maxsize=8192)
def _parts(text: str, names: Names, doc: str) -> tuple[Sentence, ...]:
    spans = pieces(text)
    return tuple(read(span.text, names, doc) for span in spans) if len(spans) > 1 else ()


def relation(premise: Sentence, claim: Sentence, *, names: Names) -> Relation:
    """What `premise`, an own current sentence, says about `claim`. One of its clauses may decide; a denial outranks a proof."""
    stranger = foreign(premise, claim)
    if stranger:
        return Relation("SILENT", stranger)
    whole = _judge(premise, claim, names)
    parts = _parts(premise.text, names, _doc(premise))
    if whole.verdict == "OPPOSES" and not _stray(whole, premise, claim, parts):
        return whole
    left_out = _left_out(premise, claim, names)
    if left_out is not None:
        return left_out
    judged = [_judge(part, claim, names) for part in parts]
    opposing = next((one for one in judged if one.verdict == "OPPOSES"), None)
    proving = next((one for one in judged if one.verdict == "PROVES"), None)
    silent = Relation("SILENT", "the opposing clause is about something else", whole.facts)
    return opposing or (whole if whole.verdict == "PROVES" else proving) or (silent if whole.verdict == "OPPOSES" else whole)


def _stray(found: Relation, premise: Sentence, claim: Sentence, parts: tuple[Sentence, ...]) -> bool:
    """Whether what opposes stands in a clause that shares no word with the claim: "...; support staff in India"."""
    if not parts:
        return False
    if not found.facts:
        negative = [part for part in parts if polarity(part, claim.words) == "negative"]
        return not any(part.words & claim.words for part in negative) if negative else False
    deciding = found.facts[0][0]
    home = [part for part in parts if deciding.surface in part.text]
    return bool(home) and not any(part.words & claim.words for part in home)


def _doc(premise: Sentence) -> str:
    """Clauses are read as their sentence was; "will" is a rule in a contract only."""
    will = any(isinstance(fact, Modality) and fact.value == "policy" and fact.surface.lower() == "will" for fact in premise.facts)
    return "contract" if will else "record"


def _left_out(premise: Sentence, claim: Sentence, names: Names) -> Relation | None:
    """ "All employees use MFA; contractors do not" against the whole workforce."""
    wide = [fact for fact in claim.facts if isinstance(fact, Scope) and fact.coverage == "all" and fact.canonical != NOT_STATED]
    if not wide or not topic(premise, claim, names).enough:
        return None
    for part in _parts(premise.text, names, _doc(premise)):
        denied = polarity(part, part.words) == "negative"
        for fact in part.facts:
            if denied and isinstance(fact, Scope) and any(fact.canonical in narrower(scope.canonical) for scope in wide):
                return Relation("OPPOSES", "a group inside the claimed one is denied", ((fact, wide[0]),))
    return None


def _judge(premise: Sentence, claim: Sentence, names: Names) -> Relation:
    common = topic(premise, claim, names)
    pairs, verdict = typed(premise, claim)
    place_against = any(isinstance(right, Scope) and right.canonical.startswith("region:") for _, right in pairs) and verdict == "OPPOSES"
    if not common.enough and not (place_against and common.shared):
        return Relation("SILENT", "another topic")
    if common.cover < (COVER_PLACE if place_against or _denied_capability(premise, claim, common) else COVER_TYPED):
        return Relation("SILENT", "too little of the claim's topic")
    differs = polarity(premise, common.shared) != polarity(claim, common.shared)
    if verdict == "OPPOSES" and not (differs and _denies_named(pairs)):
        return _typed_against(premise, claim, pairs)
    return _by_polarity(premise, claim, common, pairs, verdict)


def _denied_capability(premise: Sentence, claim: Sentence, common: Topic) -> bool:
    """The very acronym that is asked about stands in a denial: "BYOK is not supported" needs no further words."""
    mentioned = [fact for fact in claim.facts if isinstance(fact, Capability)]
    shown = bool(mentioned) and all(any(implies(other, fact) == "PROVES" for other in premise.facts) for fact in mentioned)
    return shown and polarity(premise, common.shared) == "negative"


def _typed_against(premise: Sentence, claim: Sentence, pairs: tuple[Pair, ...]) -> Relation:
    """A typed contradiction, unless what contradicts is only planned, advised or permitted."""
    weak = moods(premise) & {"plan", "recommendation"} and not moods(premise) & {"fact", "past"}
    if weak:
        return Relation("SILENT", "a plan or a recommendation is no fact", pairs)
    floors = [pair for pair in pairs if isinstance(pair[0], Version) and pair[0].comparator == "at_least"]
    if len(floors) == len(pairs):
        return Relation("SILENT", "a floor permits the claimed version but does not show it", pairs)
    return Relation("OPPOSES", "typed facts exclude each other", pairs)


def _denies_named(pairs: tuple[Pair, ...]) -> bool:
    """What is denied is itself mentioned: "TLS 1.0 is not permitted" says nothing against TLS 1.3."""
    return all(isinstance(fact, Version | Standard) for pair in pairs for fact in pair)


def _by_polarity(premise: Sentence, claim: Sentence, common: Topic, pairs: tuple[Pair, ...], verdict: Verdict) -> Relation:
    floor = any(isinstance(fact, Version) and fact.comparator == "less_than" for fact in claim.facts) and verdict == "PROVES"
    same = floor or polarity(premise, common.shared) == polarity(claim, common.shared)
    if not same:
        return _denial(premise, claim, pairs)
    exempt = carved(premise, claim)
    if exempt is not None:
        return Relation("OPPOSES", "an exception stands against a universal", (exempt,))
    reason = obstacle(premise, claim)
    if reason:
        return Relation("SILENT", reason, pairs)
    if verdict != "PROVES":
        return Relation("SILENT", "a fact of the claim is not shown", pairs)
    typed = any(isinstance(right, Quantity | Deadline | Frequency | Version | Date) for _, right in pairs)
    if common.cover < (COVER_TYPED if typed else COVER):
        return Relation("SILENT", "too little of the claim's topic", pairs)
    return Relation("PROVES", "same topic, same polarity, every fact shown", pairs)


def _able(sentence: Sentence) -> bool:
    """Something is possible, which is more than that it is allowed."""
    return any(isinstance(fact, Modality) and fact.surface.lower() in ("can", "able to", "可", "可以", "能够") for fact in sentence.facts)


def _denial(premise: Sentence, claim: Sentence, pairs: tuple[Pair, ...]) -> Relation:
    """Opposite polarity opposes, where the premise states rather than plans, advises or conditions."""
    allowed = moods(premise) == {"permission"} and bool(moods(claim) & {"policy", "permission"})
    able = moods(premise) == {"permission"} and _able(premise) and negative(claim)  # "can" against "cannot"
    if moods(premise) <= {"plan", "recommendation", "permission", "conditional"} and not allowed and not able:
        return Relation("SILENT", "no statement of fact", pairs)
    other = something_else(premise, claim)
    if other:
        return Relation("SILENT", other, pairs)
    narrowed = any(isinstance(fact, Exclusion) for fact in premise.facts)
    if narrowed and not negative(claim) and not any(isinstance(f, Scope) and f.coverage == "all" for f in claim.facts):
        return Relation("SILENT", "an exception is exempt out", pairs)
    return Relation("OPPOSES", "one affirms what the other denies", pairs)
