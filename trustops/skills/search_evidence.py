"""Skill search-evidence: passages of the organisation's evidence for a query."""

from __future__ import annotations

from trustops.domain.evidence import Passage
from trustops.ports import EvidenceIndex

LIMIT = 10


def search_evidence(index: EvidenceIndex, query: str) -> tuple[Passage, ...]:
    """Up to ten passages, best first."""
    return index.search(query, limit=LIMIT)
