"""Rows: what a list says of a row's subject stands in that row, not in its neighbour's (product.md: different subjects do not conflict,
and facts are never pooled).

A claim is cut where it names the first cells of cited rows; a word or place of a piece that stands in another row of the table and not in
the named one was taken from there. Not checked: a first cell that two rows share, and a subject that the claim words otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.facts.nouns import Names, Place, Sentence
from trustops.facts.page import normalise
from trustops.facts.testimony import Statement
from trustops.facts.words import words


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a claim that speaks of one row's subject."""

    text: str
    subject: str
    source: str


def row_findings(claims: Iterable[Sentence], cited: Sequence[Statement], names: Names) -> tuple[Finding, ...]:
    """OVERCOMMITMENT for what a claim says of one row with words of another."""
    rows = [s for s in cited if s.eligible and s.subject and s.kind == "passage"]
    others = [s for s in cited if s.eligible and not s.subject]
    found = []
    for claim in claims:
        for piece in _pieces(claim.text, rows):
            own = [s for s in rows if (s.source, s.subject) == (piece.source, piece.subject)]
            rest = [s for s in rows if s.source == piece.source and s.subject != piece.subject]
            taken = sorted(_taken(piece, own, rest, others, names))
            if taken:
                found.append(_finding(piece, taken, own))
    return tuple(found)


def _pieces(text: str, rows: Sequence[Statement]) -> Iterator[Piece]:
    plain = normalise(text)
    subjects = {(s.source, s.subject) for s in rows if s.subject.strip()}
    at = sorted(
        (hit.start(), source, subject)
        for source, subject in subjects
        for hit in re.finditer(rf"(?<![\w]){re.escape(normalise(subject))}(?![\w])", plain, re.IGNORECASE)
    )
    ends = [start for start, _, _ in at[1:]] + [len(plain)]
    for (start, source, subject), following in zip(at, ends, strict=False):  # without a subject there is an end and no start
        if len({s for s in subjects if s[0] == source}) > 1:
            yield Piece(plain[start:following], subject, source)


def _taken(piece: Piece, own: Sequence[Statement], rest: Sequence[Statement], others: Sequence[Statement], names: Names) -> set[str]:
    """Words and places of a piece that only other rows have."""
    said = words(piece.text, names)
    mine = frozenset[str]().union(*(s.anchors for s in own), *(s.anchors for s in others))
    theirs = frozenset[str]().union(*(s.sentence.words for s in rest))
    places = {f.code for s in (*own, *others) for f in s.sentence.facts if isinstance(f, Place)}
    away = {f.surface for s in rest for f in s.sentence.facts if isinstance(f, Place) and f.code not in places}
    return {word.lstrip("=") for word in (said & theirs) - mine} | {place for place in away if place.lower() in piece.text.lower()}


def _finding(piece: Piece, taken: Sequence[str], own: Sequence[Statement]) -> Finding:
    return Finding(
        code=FindingCode.OVERCOMMITMENT,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"The row of {piece.subject[:60]!r} does not say {', '.join(taken)}; another row of {piece.source} does.",
        exhibits=tuple(dict.fromkeys(s.exhibit for s in own)),
        remedy="Say of each row what stands in it.",
        cited=True,
    )
