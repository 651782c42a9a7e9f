"""Skill read-passage: a passage by its id, or the beginning of a document by its title."""

from __future__ import annotations

import re

from trustops.domain.evidence import Passage
from trustops.ports import EvidenceIndex

LIMIT, LOOKED_AT = 5, 40
WORD = re.compile(r"\w+")


def read_passage(index: EvidenceIndex, query: str) -> tuple[Passage, ...]:
    """The passage of this id, else the first passages of the documents whose title holds every word of the query; empty where none does."""
    found = index.get_passage(query.strip())
    if found is not None:
        return (found,)
    wanted = set(WORD.findall(query.lower()))
    near = index.search(query, limit=LOOKED_AT) if wanted else ()
    return tuple(p for p in near if wanted <= set(WORD.findall(p.document.title.lower())))[:LIMIT]
