"""Skill attach-figure: figures of the dossier that may leave with an answer. What Answer names is checked again (checks/written.py)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from trustops.domain.evidence import Classification, EvidenceKind, Passage

LIMIT = 3
WORD = re.compile(r"\w{3,}")


def attach_figure(passages: Iterable[Passage], today: date, query: str) -> tuple[Passage, ...]:
    """Up to three shareable figures in force whose title or heading shares a word with the query, those that share most first."""
    wanted = set(WORD.findall(query.lower()))
    shared = [(len(wanted & _words(passage)), passage) for passage in passages if may_leave(passage, today)]
    best = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
    by_file: dict[str, Passage] = {}
    for _, passage in best:
        by_file.setdefault(passage.document.path, passage)
    return tuple(by_file.values())[:LIMIT]


def may_leave(passage: Passage, today: date) -> bool:
    """Whether a customer may see the picture today."""
    document = passage.document
    return document.kind is EvidenceKind.DIAGRAM and document.classification is Classification.SHAREABLE and document.in_force(today)


def _words(passage: Passage) -> set[str]:
    return set(WORD.findall(" ".join((passage.document.title, *passage.heading)).lower()))
