"""The typed half of a comparison: each hard fact of a claim against all facts of a premise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trustops.facts.absolute import find_limiters
from trustops.facts.closure import windows
from trustops.facts.implication import implies
from trustops.facts.nouns import (
    Absolute,
    Date,
    Deadline,
    Fact,
    Frequency,
    Limiter,
    Names,
    Place,
    Quantity,
    Scope,
    Sentence,
    Standard,
    Verdict,
    Version,
)
from trustops.facts.page import Page
from trustops.facts.polarity import polarity

Pair = tuple[Fact, Fact]

_HARD = (Quantity, Deadline, Frequency, Version, Standard, Date, Place)


def _limited(sentence: Sentence) -> bool:
    page = Page.of(sentence.text, Names(), "policy")
    return any(
        isinstance(fact, Limiter) and re.match(r"(?:only|solely|exclusively|仅|只)", fact.surface, re.I) for fact in find_limiters(page)
    )


def typed(premise: Sentence, claim: Sentence) -> tuple[tuple[Pair, ...], Verdict]:
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
    if isinstance(fact, Version) and fact.comparator == "less_than" and negative(claim):
        return Version(fact.start, fact.end, fact.surface, fact.product, "at_least", fact.value)
    return fact


def negative(sentence: Sentence) -> bool:
    """The sentence denies, judged by its own words."""
    return polarity(sentence, sentence.words) == "negative"
