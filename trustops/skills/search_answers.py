"""Skill search-answers: earlier answers for a query. Searched apart from documents, so that contradictions are found."""

from __future__ import annotations

from trustops.domain.evidence import PriorAnswer
from trustops.ports import EvidenceIndex

LIMIT = 10


def search_answers(index: EvidenceIndex, query: str) -> tuple[PriorAnswer, ...]:
    """Up to ten earlier answers, best first."""
    return index.search_prior(query, limit=LIMIT)
