"""Closure: every number, unit, date, version, name and absolute word of an answer stands in, or follows from, one cited sentence.

Facts are never pooled across sentences (product.md, "Closure", invariant 5). Not checked: untyped deciding words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from trustops.domain.answer import Determination
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.facts.asked import Ask, subject_of
from trustops.facts.backing import backs, full_time, is_window, says_verbatim
from trustops.facts.closure import closure_facts
from trustops.facts.demand import another_kind
from trustops.facts.elapsed import counts_from_today, rest_claimed, rest_given
from trustops.facts.implication import dimension, implies
from trustops.facts.nouns import Absolute, Deadline, Fact, Names, Quantity, Sentence
from trustops.facts.polarity import polarity
from trustops.facts.testimony import Statement
from trustops.facts.words import words


def closure_findings(
    claims: Sequence[Sentence], determination: Determination, asks: Sequence[Ask], cited: Sequence[Statement], names: Names, today: date
) -> tuple[Finding, ...]:
    """OVERCOMMITMENT for each fact of the answer, and for YES of the question, that no cited sentence contains or implies."""
    usable = [s for s in cited if s.eligible and s.kind != "prior"]  # an earlier answer proves no figure
    asked = [fact for ask in asks for fact in closure_facts(ask.proposition)]
    about = frozenset[str]().union(*(ask.words for ask in asks))
    open_facts: dict[str, str] = {}
    for claim in claims:
        if any(says_verbatim(s, claim) for s in usable):
            continue
        subject = words(subject_of(claim.text), names)
        same = [s for s in usable if not another_kind(s, subject, claim.words)]
        denies = polarity(claim, claim.words) == "negative"
        rest = rest_claimed(claim.text)
        if rest is not None and not any(rest_given(s.sentence, rest) for s in usable):
            open_facts.setdefault(claim.text.lower(), claim.text)
        for fact in closure_facts(claim):
            if denies and any(implies(f, fact) == "PROVES" for f in asked):
                continue  # what the answer denies may come from the question
            if not any(
                backs(
                    s,
                    fact,
                    claim.words | about if counts_from_today(fact, claim.text) or THEY.match(claim.text) else claim.words,
                    claim,
                    names,
                    today,
                )
                for s in _closest(fact, claim, same, about if THEY.match(claim.text) else frozenset())
            ):
                open_facts.setdefault(fact.surface.lower(), claim.text)
    for ask in asks if determination is Determination.YES else ():
        for fact in _demanded(ask):
            if not any(backs(s, fact, ask.words, ask.proposition, names, today) for s in usable):
                open_facts.setdefault(fact.surface.lower(), ask.text)
    return tuple(_finding(surface, said, usable) for surface, said in open_facts.items())


THEY = re.compile(r"\W*(?:they|it|these|those|this|that|their|its)\b", re.IGNORECASE)
"""A claim that leaves its subject to the question."""


def _closest(fact: Fact, claim: Sentence, cited: Sequence[Statement], about: frozenset[str]) -> Sequence[Statement]:
    """Of the sentences that give a value in the fact's dimension, those that share most words with the claim: a number may not be taken
    from the sentence next to the one that is quoted for it. Facts that are no values may stand in any cited sentence."""
    measured = dimension(fact)
    if measured is None:
        return cited
    rivals = [s for s in cited if s.kind != "reading" and any(dimension(held) == measured for held in s.sentence.facts)]
    wanted = claim.words | about
    most = max((len(s.anchors & wanted) for s in rivals), default=0)
    return [s for s in cited if s not in rivals or len(s.anchors & wanted) == most]


def _demanded(ask: Ask) -> Iterable[Fact]:
    """The question's facts that a yes takes over. A how-question states no absolutes and no values, but its window must be met."""
    for fact in closure_facts(ask.proposition):
        stated = not ask.open or not isinstance(fact, (Absolute, Quantity, Deadline)) or is_window(fact, ask.text)
        if stated and not full_time(fact, ask.text):
            yield fact


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
