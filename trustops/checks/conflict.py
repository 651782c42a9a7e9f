"""Conflict: two eligible statements of two documents that cannot both be relied on for what is asked (product.md, "Conflict").

Not checked: conflicts in words that no rule meets; the Policy seat may report those with two verbatim quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from trustops.domain.claim import Citation, Conflict, ConflictKind
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.facts.asked import Ask
from trustops.facts.demand import comparable, values_of
from trustops.facts.halves import half_of
from trustops.facts.implication import dimension, implies, same_value
from trustops.facts.nouns import Date, Deadline, Fact, Frequency, Names, Place, Quantity, Scope, Version
from trustops.facts.split import clauses
from trustops.facts.testimony import Statement
from trustops.facts.verdict import LIGHT, Stance, stance
from trustops.facts.words import words

VALUES = (Quantity, Deadline, Frequency, Version)
TYPED = ("stands against", "gives less", "typed facts", "same topic, same polarity, every fact")
"""Beginnings of the reasons of a stance that typed facts decided."""
SIDES = {"PROVES": "for", "SHORT": "against", "OPPOSES": "against"}


@dataclass(frozen=True, slots=True)
class Side:
    """A statement with its stance to the ask."""

    statement: Statement
    stance: Stance


def find_conflicts(asks: Sequence[Ask], eligible: Sequence[Statement], names: Names) -> tuple[Conflict, ...]:
    """Conflicting pairs, the clearest one for each pair of sources and kind.

    A fresh PASS reading that proves the ask resolves a conflict with an earlier answer that promised less.
    """
    found: dict[tuple[str, str, ConflictKind], tuple[int, Conflict]] = {}
    for ask in asks:
        sides = [side for s in eligible if (side := Side(s, stance(s, ask, names))).stance.reads != "SILENT"]
        measured = any(side.statement.kind == "reading" and side.stance.reads == "PROVES" for side in sides)
        told = [side for side in sides if side.statement.kind != "reading"]
        for left, right in combinations(told, 2):
            kind = _kind(left, right, ask, sides)
            if kind is not None:
                key = (left.statement.source, right.statement.source, kind)
                weight = left.stance.shared + right.stance.shared
                if key not in found or weight > found[key][0]:
                    found[key] = weight, _conflict(kind, left, right, measured)
    return tuple(conflict for _, conflict in found.values())


def _kind(left: Side, right: Side, ask: Ask, sides: Sequence[Side]) -> ConflictKind | None:
    a, b = left.statement, right.statement
    if a.source == b.source or (a.kind == b.kind == "prior") or not _anchored(left, right):
        return None
    if a.subject and b.subject and a.subject.lower() != b.subject.lower():
        return None
    if {half_of(a.anchors, ask), half_of(b.anchors, ask)} == {0, 1}:
        return None  # each speaks of another of the two things that are asked
    value = _told_values_differ(a, b, ask) or _promised_more(a, b, ask, sides) if ask.open else _values_differ(a, b, ask)
    if value is not None:
        return value
    if ask.open or not (_clear(left, ask) and _clear(right, ask)):
        return None
    if {SIDES.get(left.stance.reads), SIDES.get(right.stance.reads)} != {"for", "against"}:
        return None
    against = left if left.stance.reads != "PROVES" else right
    if _limits(against.statement, ask):
        return ConflictKind.SCOPE_MISMATCH
    return ConflictKind.SUPPORT_MISMATCH if against.stance.reads == "OPPOSES" else None


def _clear(side: Side, ask: Ask) -> bool:
    """What proves by words alone must share two thirds of the ask before it stands against another document."""
    return side.stance.why != LIGHT or 3 * side.stance.shared >= 2 * len(ask.words)


def _told_values_differ(a: Statement, b: Statement, ask: Ask) -> ConflictKind | None:
    """An open question wants to be told a value, and the two tell different ones of one dimension."""
    lefts = [f for f in a.sentence.facts if f.kind in ask.wants and isinstance(f, VALUES)]
    rights = [f for f in b.sentence.facts if f.kind in ask.wants and isinstance(f, VALUES)]
    pairs = [(left, right) for left in lefts for right in rights if dimension(left) == dimension(right)]
    apart = pairs and not any(same_value(left, right) or "PROVES" in (implies(left, right), implies(right, left)) for left, right in pairs)
    return ConflictKind.VALUE_MISMATCH if apart else None


def _promised_more(a: Statement, b: Statement, ask: Ask, sides: Sequence[Side]) -> ConflictKind | None:
    """An earlier answer tells a stricter value than the document, and no document or reading that speaks of it bears the promise out."""
    if "prior" not in (a.kind, b.kind):
        return None
    promise, document = (a, b) if a.kind == "prior" else (b, a)
    given = [f for side in sides if side.statement.kind != "prior" for f in side.statement.sentence.facts if isinstance(f, VALUES)]
    for value in promise.sentence.facts:
        rivals = [f for f in document.sentence.facts if isinstance(f, VALUES) and dimension(f) == dimension(value)]
        told = value.kind in ask.wants and isinstance(value, VALUES) and rivals
        if told and not any(same_value(f, value) or implies(f, value) == "PROVES" for f in given):
            return ConflictKind.VALUE_MISMATCH
    return None


def _anchored(left: Side, right: Side) -> bool:
    """Both share two words and half the ask's; against an earlier answer two shared words suffice on either side."""
    if "prior" in (left.statement.kind, right.statement.kind):
        return (
            min(left.stance.shared, right.stance.shared) >= 2 and min(left.stance.own, right.stance.own) >= 1 and _own_enough(left, right)
        )
    return left.stance.strong and right.stance.strong


def _own_enough(left: Side, right: Side) -> bool:
    """The earlier answer speaks of it in its own words or typed facts, not only in the question that it answered."""
    prior = left if left.statement.kind == "prior" else right
    return prior.stance.own >= 2 or prior.stance.why.startswith(TYPED)


def _values_differ(a: Statement, b: Statement, ask: Ask) -> ConflictKind | None:
    """Both give the asked fact in one dimension, and neither implies the other or they lie on different sides of the asked value."""
    for asked in values_of(ask):
        lefts = [f for f in a.sentence.facts if isinstance(f, (*VALUES, Date)) and comparable(f, asked)]
        rights = [f for f in b.sentence.facts if isinstance(f, (*VALUES, Date)) and comparable(f, asked)]
        if lefts and rights and _differ(lefts, rights, asked):
            return ConflictKind.DATE_MISMATCH if isinstance(lefts[0], Date) else ConflictKind.VALUE_MISMATCH
    return None


def _differ(lefts: Sequence[Fact], rights: Sequence[Fact], asked: Fact) -> bool:
    pairs = [(left, right) for left in lefts for right in rights]
    if any(implies(left, right) == "PROVES" and implies(right, left) == "PROVES" for left, right in pairs):
        return False
    neither = all(implies(left, right) != "PROVES" and implies(right, left) != "PROVES" for left, right in pairs)
    sides = {any(implies(left, asked) == "PROVES" for left in lefts), any(implies(right, asked) == "PROVES" for right in rights)}
    return neither or len(sides) == 2


def _limits(statement: Statement, ask: Ask) -> bool:
    """A limiter (only, some of, except) stands in a clause that shares a word with the ask beside the group it names."""
    for fact in statement.sentence.facts:
        limiter = (isinstance(fact, Scope) and fact.coverage in ("only", "except")) or fact.kind == "exception"
        if limiter and not isinstance(fact, Place) and _clause_words(statement, fact) & ask.words:
            return True
    return False


def _clause_words(statement: Statement, fact: Fact) -> frozenset[str]:
    """Content words of the clause that a fact stands in, without those of the fact itself."""
    held = next((c for c in clauses(statement.text) if c.start <= fact.start < c.end), None)
    return words(held.text if held else statement.text) - words(fact.surface)


def _conflict(kind: ConflictKind, left: Side, right: Side, measured: bool) -> Conflict:
    prior = next((side for side in (left, right) if side.statement.kind == "prior"), None)
    promised_less = prior is not None and prior.stance.reads in ("SHORT", "OPPOSES")
    return Conflict(
        kind=kind,
        left=Citation(exhibit=left.statement.exhibit, quote=left.statement.text),
        right=Citation(exhibit=right.statement.exhibit, quote=right.statement.text),
        resolved=promised_less and measured,
    )


def reported_conflicts(seen: Iterable[Conflict], eligible: Sequence[Statement]) -> tuple[Conflict, ...]:
    """The Policy seat's conflicts that hold: two verbatim quotes of eligible statements of two different documents."""
    return tuple(c for c in seen if len({s.source for s in _quoted(c, eligible)}) == 2)


def _quoted(conflict: Conflict, eligible: Sequence[Statement]) -> list[Statement]:
    sides = []
    for citation in (conflict.left, conflict.right):
        flat = " ".join(citation.quote.split())
        hit = next((s for s in eligible if s.exhibit == citation.exhibit and flat and flat in " ".join(s.text.split())), None)
        sides += [hit] if hit else []
    return sides


def conflict_findings(
    conflicts: Iterable[Conflict], places: dict[str, str], *, source: FindingSource = FindingSource.RULES
) -> tuple[Finding, ...]:
    """CONTRADICTION for each conflict: blocking, or a WARNING once a fresh reading proved the wider claim."""
    return tuple(_finding(conflict, places, source) for conflict in conflicts)


def _finding(conflict: Conflict, places: dict[str, str], source: FindingSource) -> Finding:
    left, right = conflict.left, conflict.right
    return Finding(
        code=FindingCode.CONTRADICTION,
        severity=Severity.WARNING if conflict.resolved else Severity.BLOCKING,
        source=source,
        summary=(
            f"{conflict.kind.value}: {places.get(left.exhibit, left.exhibit)} says {_short(left.quote)!r}, "
            f"{places.get(right.exhibit, right.exhibit)} says {_short(right.quote)!r}."
        ),
        exhibits=(left.exhibit, right.exhibit),
        remedy="Correct one of the two documents, or withdraw the earlier answer (`trustops library withdraw`), then recheck.",
        cited=True,
    )


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 110 else flat[:107] + "..."
