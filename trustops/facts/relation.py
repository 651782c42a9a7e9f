"""What one sentence says about another: PROVES, OPPOSES or SILENT, on one pair, never pooled.

First the obstacles (another party, a plan, another topic), then typed facts, which outrank words, then polarity.
Source: specification "How a decision is made", PROVED; a false PROVES is the harm, so every doubt is SILENT.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from trustops.facts.absolute import find_limiters
from trustops.facts.closure import windows
from trustops.facts.implication import implies
from trustops.facts.modality import pieces
from trustops.facts.nouns import (
    NOT_STATED,
    Absolute,
    Attribution,
    Capability,
    Date,
    Deadline,
    Exclusion,
    Fact,
    Frequency,
    Limiter,
    Modality,
    Names,
    Place,
    Quantity,
    Relation,
    Scope,
    Sentence,
    Standard,
    Verdict,
    Version,
)
from trustops.facts.page import Page
from trustops.facts.polarity import polarity
from trustops.facts.scope import narrower
from trustops.facts.sentence import read
from trustops.facts.words import words

Pair = tuple[Fact, Fact]
COVER = 0.6
COVER_TYPED = 0.5
COVER_PLACE = 1 / 3
_HARD = (Quantity, Deadline, Frequency, Version, Standard, Date, Place)


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
    named = frozenset(word for fact in claim.facts if isinstance(fact, Standard | Version) for word in words(fact.surface))
    return claim.words - named or claim.words


_AGED = re.compile(r"\bafter\s+(?:\w+\s+){0,3}?(?:\d+|[a-z]+)\s+(?:days|months|years|weeks)\b|\d+\s*(?:天|日|个月|年)后", re.I)


def _plain_data(side: frozenset[str]) -> frozenset[str]:
    """Customer data is data when topics are compared; whose data it is, is the business of scopes."""
    return frozenset("=data" if word == "=customer data" else word for word in side)


def _lattice(fact: Scope, premise: Sentence) -> bool:
    """Whether the premise names another group of the lattice, or the same."""
    if fact.canonical == NOT_STATED or ":" in fact.canonical:
        return False
    return any(isinstance(other, Scope) and other.canonical != NOT_STATED and ":" not in other.canonical for other in premise.facts)


def moods(sentence: Sentence) -> frozenset[str]:
    """The modalities of a sentence; a question's proposition without one states a fact."""
    stated = frozenset[str](fact.value for fact in sentence.facts if isinstance(fact, Modality)) or frozenset(["fact"])
    return stated | {"policy"} if _OBLIGED.search(sentence.text) else stated


_OBLIGED = re.compile(r"\b(?:enforced|mandatory|required|compulsory|obligatory|obliged)\b|强制", re.I)


def _others(sentence: Sentence) -> frozenset[str]:
    return frozenset(f"{fact.value}" for fact in sentence.facts if isinstance(fact, Attribution) and fact.value not in ("self", "customer"))


def _foreign(premise: Sentence, claim: Sentence) -> str | None:
    """Another party, another product or a draft speaks: not us, not in force."""
    foreign = _others(premise) - _others(claim)
    if foreign == {"subcontractor"} and "=subprocessor" in claim.words:
        foreign = frozenset()
    if foreign:
        return f"the premise is about {', '.join(sorted(foreign)).replace('_', ' ')}"
    return None


@lru_cache(maxsize=8192)
def _parts(text: str, names: Names, doc: str) -> tuple[Sentence, ...]:
    spans = pieces(text)
    return tuple(read(span.text, names, doc) for span in spans) if len(spans) > 1 else ()


def relation(premise: Sentence, claim: Sentence, *, names: Names) -> Relation:
    """What `premise`, an own current sentence, says about `claim`. One of its clauses may decide; a denial outranks a proof."""
    foreign = _foreign(premise, claim)
    if foreign:
        return Relation("SILENT", foreign)
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
    pairs, verdict = _typed(premise, claim)
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
    named = [fact for fact in claim.facts if isinstance(fact, Capability)]
    shown = bool(named) and all(any(implies(other, fact) == "PROVES" for other in premise.facts) for fact in named)
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
    """What is denied is itself named: "TLS 1.0 is not permitted" says nothing against TLS 1.3."""
    return all(isinstance(fact, Version | Standard) for pair in pairs for fact in pair)


def _limited(sentence: Sentence) -> bool:
    page = Page.of(sentence.text, Names(), "policy")
    return any(
        isinstance(fact, Limiter) and re.match(r"(?:only|solely|exclusively|仅|只)", fact.surface, re.I) for fact in find_limiters(page)
    )


def _typed(premise: Sentence, claim: Sentence) -> tuple[tuple[Pair, ...], Verdict]:
    """Compare every hard fact of the claim with those of the premise; one that only opposes decides, all must be proved."""
    proved: list[Pair] = []
    complete = True
    shown = [*premise.facts, *_across(premise)]
    for wanted in _wanted(claim):
        verdicts = [(implies(fact, wanted), fact) for fact in shown]
        proof = next((fact for verdict, fact in verdicts if verdict == "PROVES"), None)
        against = next((fact for verdict, fact in verdicts if verdict == "OPPOSES"), None)
        excluded = _outside(premise, claim, wanted)
        if excluded is not None:
            return ((excluded, wanted),), "OPPOSES"
        if proof is None and against is not None:
            return ((against, wanted),), "OPPOSES"
        if proof is None:
            complete = False
        else:
            proved.append((proof, wanted))
    return tuple(proved), "PROVES" if complete else "SILENT"


def _across(premise: Sentence) -> list[Quantity]:
    """The ratio of "of 60 findings 58 were fixed", whose two counts stand apart."""
    counts = [fact for fact in premise.facts if isinstance(fact, Quantity) and fact.unit.startswith("count:") and not fact.ratio]
    if len(counts) < 2 or not re.search(r"\bof\s+(?:the\s+|our\s+)?$", premise.text[: counts[0].start], re.I):
        return []
    whole, part = counts[0], counts[1]
    if whole.unit != part.unit or part.value[0] > whole.value[0] or whole.value[0] <= 0:
        return []
    return [
        Quantity(whole.start, part.end, premise.text[whole.start : part.end], "exactly", (part.value[0], whole.value[0]), whole.unit, True)
    ]


def _outside(premise: Sentence, claim: Sentence, wanted: Fact) -> Fact | None:
    """A version beside the only one that the claim allows: 1.2 and 1.3 enabled against "only 1.3"."""
    if not isinstance(wanted, Version) or not _limited(claim):
        return None
    others = (
        fact for fact in premise.facts if isinstance(fact, Version) and fact.product == wanted.product and fact.comparator == "exactly"
    )
    return next((fact for fact in others if implies(fact, wanted) == "OPPOSES"), None)


def _wanted(claim: Sentence) -> list[Fact]:
    """The facts of a claim that a premise must show: hard facts, wide or exclusive scopes, absolutes, capabilities."""
    scopes = [
        fact for fact in claim.facts if isinstance(fact, Scope) and (fact.coverage in ("all", "only", "none") or ":" in fact.canonical)
    ]
    past = windows(claim)
    hard = [fact for fact in claim.facts if isinstance(fact, _HARD) and not _inside_scope(fact, scopes) and fact not in past]
    absolutes = [
        fact for fact in claim.facts if isinstance(fact, Absolute) and not _inside_scope(fact, scopes) and not _of_share(fact, hard)
    ]
    return [*(_floor(claim, fact) for fact in hard), *scopes, *absolutes]


def _inside_scope(fact: Fact, scopes: list[Scope]) -> bool:
    return any(scope.start <= fact.start and fact.end <= scope.end for scope in scopes)


def _of_share(fact: Absolute, hard: Sequence[Fact]) -> bool:
    return fact.value == "hundred_percent" and any(other.start <= fact.start < other.end for other in hard)


def _floor(claim: Sentence, fact: Fact) -> Fact:
    """ "No version below 1.2" states at least 1.2."""
    if isinstance(fact, Version) and fact.comparator == "less_than" and _negative(claim):
        return Version(fact.start, fact.end, fact.surface, fact.product, "at_least", fact.value)
    return fact


def _negative(sentence: Sentence) -> bool:
    return polarity(sentence, sentence.words) == "negative"


def _by_polarity(premise: Sentence, claim: Sentence, common: Topic, pairs: tuple[Pair, ...], verdict: Verdict) -> Relation:
    floor = any(isinstance(fact, Version) and fact.comparator == "less_than" for fact in claim.facts) and verdict == "PROVES"
    same = floor or polarity(premise, common.shared) == polarity(claim, common.shared)
    if not same:
        return _denial(premise, claim, pairs)
    carved = _carved(premise, claim)
    if carved is not None:
        return Relation("OPPOSES", "an exception stands against a universal", (carved,))
    obstacle = _obstacle(premise, claim)
    if obstacle:
        return Relation("SILENT", obstacle, pairs)
    if verdict != "PROVES":
        return Relation("SILENT", "a fact of the claim is not shown", pairs)
    typed = any(isinstance(right, Quantity | Deadline | Frequency | Version | Date) for _, right in pairs)
    if common.cover < (COVER_TYPED if typed else COVER):
        return Relation("SILENT", "too little of the claim's topic", pairs)
    return Relation("PROVES", "same topic, same polarity, every fact shown", pairs)


def _something_else(premise: Sentence, claim: Sentence) -> str | None:
    """A denial of ISO 27701 is none of ISO 27001, one of 24 hours none of 48."""
    for wanted in claim.facts:
        if isinstance(wanted, Capability) and not _named(wanted, premise):
            return f"{wanted.name} is not named"
        if isinstance(wanted, Standard | Version):
            rivals = [fact for fact in premise.facts if isinstance(fact, Standard | Version)]
            if rivals and not any(implies(fact, wanted) == "PROVES" for fact in rivals):
                return "another standard or version is denied"
    return None


def _carved(premise: Sentence, claim: Sentence) -> Pair | None:
    """ "Databases are encrypted, the archive excepted" against "every database": who is excepted is not covered."""
    members = [fact for fact in premise.facts if isinstance(fact, Exclusion) and not _RESERVE.match(fact.surface)]
    wide = [fact for fact in claim.facts if isinstance(fact, Scope) and fact.coverage == "all"]
    spared = any(isinstance(fact, Exclusion) for fact in claim.facts)
    stated = moods(premise) <= {"fact", "past"}
    return (members[0], wide[0]) if members and wide and stated and not spared else None


_RESERVE = re.compile(r"unless|(?:except|save)\s+(?:as|where|when|if|that|to)\b|除非|除法律", re.I)


def _denial(premise: Sentence, claim: Sentence, pairs: tuple[Pair, ...]) -> Relation:
    """Opposite polarity opposes, where the premise states rather than plans, advises or conditions."""
    allowed = moods(premise) == {"permission"} and bool(moods(claim) & {"policy", "permission"})
    if moods(premise) <= {"plan", "recommendation", "permission", "conditional"} and not allowed:
        return Relation("SILENT", "no statement of fact", pairs)
    other = _something_else(premise, claim)
    if other:
        return Relation("SILENT", other, pairs)
    narrowed = any(isinstance(fact, Exclusion) for fact in premise.facts)
    if narrowed and not _negative(claim) and not any(isinstance(f, Scope) and f.coverage == "all" for f in claim.facts):
        return Relation("SILENT", "an exception is carved out", pairs)
    return Relation("OPPOSES", "one affirms what the other denies", pairs)


_AIMED = re.compile(r"\b(?:targets?|targeted|goals?|objectives?)\b|目标", re.I)
_ABLE = re.compile(
    r"\b(?:can|may|able|possible|available|allows?|allowed|permits?|permitted|lets?|offers?|supports?|option)\b|可|允许|支持|提供", re.I
)


def _obstacle(premise: Sentence, claim: Sentence) -> str | None:
    """Why agreement is no proof: a rule, a plan, a condition, an exception, a smaller group, something past."""
    held, asked = moods(premise), moods(claim)
    weak = held & {"plan", "recommendation"}
    if weak and not asked & weak:
        return "a plan or a recommendation is no fact"
    if "conditional" in held and "conditional" not in asked:
        return "the premise holds under a condition"
    if "policy" in held and "policy" not in asked:
        return "a rule does not show that it is followed"
    if _AIMED.search(premise.text) and not _AIMED.search(claim.text):
        return "a target is no measured fact"
    if "permission" in held and "permission" not in asked and not _ABLE.search(claim.text):
        return "what may be done need not be done"
    if "past" in asked and "past" not in held and not _record(premise):
        return "the claim is an achievement, the premise is not a record"
    if "past" in held and asked == {"fact"} and not _lasting(premise):
        return "what was once so need not be so now"
    return _narrowing(premise, claim)


def _record(premise: Sentence) -> bool:
    return any(isinstance(fact, Date) and fact.role in ("observed", "issued") for fact in premise.facts)


_LASTING = re.compile(r"\b(?:received|obtained|achieved|holds?|attained|earned|has|have|been certified)\b|已|取得|通过", re.I)


def _lasting(premise: Sentence) -> bool:
    return bool(_LASTING.search(premise.text))


_PARTS = frozenset(["administrators", "privileged_users", "contractors"])


def _narrowing(premise: Sentence, claim: Sentence) -> str | None:
    carved = any(isinstance(fact, Exclusion) for fact in premise.facts)
    if carved and not any(isinstance(fact, Exclusion) for fact in claim.facts):
        return "the premise carves out an exception"
    if _another_group(premise, claim):
        return "another group of people or systems"
    products = {fact.canonical for fact in claim.facts if isinstance(fact, Scope) and fact.canonical.startswith("product:")}
    held = {fact.canonical for fact in premise.facts if isinstance(fact, Scope) and fact.canonical.startswith("product:")}
    if held and products and not held & products:
        return "another product"
    apart = next((fact for fact in _grouped(premise) if fact.canonical in _PARTS), None)
    if apart is not None and not _grouped(claim) and not words(apart.who, Names()) & claim.words:
        return "the premise speaks about one group"
    smaller = next(
        (fact for fact in premise.facts if isinstance(fact, Scope) and fact.coverage in ("some", "only") and ":" not in fact.canonical),
        None,
    )
    if smaller is not None and not any(implies(smaller, fact) == "PROVES" for fact in claim.facts if isinstance(fact, Scope)):
        return "the premise speaks about a part"
    missing = [fact for fact in claim.facts if isinstance(fact, Capability) and not _named(fact, premise)]
    return f"{missing[0].name} is not named" if missing else None


def _grouped(sentence: Sentence) -> list[Scope]:
    return [fact for fact in sentence.facts if isinstance(fact, Scope) and ":" not in fact.canonical and fact.canonical != NOT_STATED]


def _another_group(premise: Sentence, claim: Sentence) -> bool:
    """Employees are screened: that says nothing about contractors. Each group of the claim lies in one of the premise."""
    held, asked = _grouped(premise), _grouped(claim)
    return bool(held) and any(not any(wanted.canonical in narrower(fact.canonical) for fact in held) for wanted in asked)


def _named(fact: Capability, premise: Sentence) -> bool:
    return any(implies(other, fact) == "PROVES" for other in premise.facts) or bool(words(fact.surface, Names()) & premise.words)
