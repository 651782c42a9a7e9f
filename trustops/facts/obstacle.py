"""Why agreement in words is no proof: another party, a rule, a plan, a target, a condition, a smaller group, another standard.

Source: specification "How a decision is made", PROVED; every doubt is a reason to stay silent.
"""

from __future__ import annotations

import re

from trustops.facts.implication import implies
from trustops.facts.nouns import (
    NOT_STATED,
    Attribution,
    Capability,
    Date,
    Exclusion,
    Fact,
    Modality,
    Names,
    Scope,
    Sentence,
    Standard,
    Version,
)
from trustops.facts.scope import narrower
from trustops.facts.words import words


def moods(sentence: Sentence) -> frozenset[str]:
    """The modalities of a sentence; a question's proposition without one states a fact."""
    stated = frozenset[str](fact.value for fact in sentence.facts if isinstance(fact, Modality)) or frozenset(["fact"])
    return stated | {"policy"} if _OBLIGED.search(sentence.text) else stated


_OBLIGED = re.compile(r"\b(?:enforced|mandatory|required|compulsory|obligatory|obliged)\b|强制", re.I)


def _others(sentence: Sentence) -> frozenset[str]:
    return frozenset(f"{fact.value}" for fact in sentence.facts if isinstance(fact, Attribution) and fact.value not in ("self", "customer"))


def foreign(premise: Sentence, claim: Sentence) -> str | None:
    """Another party, another product or a draft speaks: not us, not in force."""
    stranger = _others(premise) - _others(claim)
    if stranger == {"subcontractor"} and "=subprocessor" in claim.words:
        stranger = frozenset()
    if stranger:
        return f"the premise is about {', '.join(sorted(stranger)).replace('_', ' ')}"
    return None


def something_else(premise: Sentence, claim: Sentence) -> str | None:
    """A denial of ISO 27701 is none of ISO 27001, one of 24 hours none of 48."""
    for wanted in claim.facts:
        if isinstance(wanted, Capability) and not named(wanted, premise):
            return f"{wanted.name} is not mentioned"
        if isinstance(wanted, Standard | Version):
            rivals = [fact for fact in premise.facts if isinstance(fact, Standard | Version)]
            if rivals and not any(implies(fact, wanted) == "PROVES" for fact in rivals):
                return "another standard or version is denied"
    return None


def carved(premise: Sentence, claim: Sentence) -> tuple[Fact, Fact] | None:
    """ "Databases are encrypted, the archive excepted" against "every database": who is excepted is not covered."""
    members = [fact for fact in premise.facts if isinstance(fact, Exclusion) and not _RESERVE.match(fact.surface)]
    wide = [fact for fact in claim.facts if isinstance(fact, Scope) and fact.coverage == "all"]
    spared = any(isinstance(fact, Exclusion) for fact in claim.facts)
    stated = moods(premise) <= {"fact", "past"}
    return (members[0], wide[0]) if members and wide and stated and not spared else None


_RESERVE = re.compile(r"unless|(?:except|save)\s+(?:as|where|when|if|that|to)\b|除非|除法律", re.I)

_AIMED = re.compile(r"\b(?:targets?|targeted|goals?|objectives?)\b|目标", re.I)

_ABLE = re.compile(
    r"\b(?:can|may|able|possible|available|allows?|allowed|permits?|permitted|lets?|offers?|supports?|option)\b|可|允许|支持|提供", re.I
)


def obstacle(premise: Sentence, claim: Sentence) -> str | None:
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
    exempt = any(isinstance(fact, Exclusion) for fact in premise.facts)
    if exempt and not any(isinstance(fact, Exclusion) for fact in claim.facts):
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
    missing = [fact for fact in claim.facts if isinstance(fact, Capability) and not named(fact, premise)]
    return f"{missing[0].name} is not mentioned" if missing else None


def _grouped(sentence: Sentence) -> list[Scope]:
    return [fact for fact in sentence.facts if isinstance(fact, Scope) and ":" not in fact.canonical and fact.canonical != NOT_STATED]


def _another_group(premise: Sentence, claim: Sentence) -> bool:
    """Employees are screened: that says nothing about contractors. Each group of the claim lies in one of the premise."""
    held, asked = _grouped(premise), _grouped(claim)
    return bool(held) and any(not any(wanted.canonical in narrower(fact.canonical) for fact in held) for wanted in asked)


def named(fact: Capability, premise: Sentence) -> bool:
    """The premise names the capability, as a fact or in words of the lexicon."""
    return any(implies(other, fact) == "PROVES" for other in premise.facts) or bool(words(fact.surface, Names()) & premise.words)
