"""Skill match-controls: which controls speak to an ask.

A topic matches when all its stems stand within five words of each other in the ask, without synonyms; an id or a framework id matches
when it is written out (product.md, "Controls"). Never matched on a draft or on evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from trustops.domain.control import Control
from trustops.facts.words import stem_sequence

WINDOW = 5


def match_controls(controls: Iterable[Control], query: str) -> tuple[Control, ...]:
    """The controls of the catalogue that a query meets, in the catalogue's order."""
    stems = stem_sequence(query)
    return tuple(control for control in controls if _named(control, query) or any(near(topic, stems) for topic in control.topics))


def near(topic: str, stems: tuple[str, ...]) -> bool:
    """True where all stems of the topic stand within a window of five words."""
    wanted = _topic_stems(topic)
    if not wanted:
        return False
    span = max(WINDOW + 1, len(wanted))
    return any(wanted <= set(stems[at : at + span]) for at in range(max(1, len(stems) - len(wanted) + 1)))


@lru_cache(maxsize=4096)
def _topic_stems(topic: str) -> frozenset[str]:
    return frozenset(stem_sequence(topic))


def _named(control: Control, query: str) -> bool:
    lowered = query.lower()
    names = (control.id, *control.frameworks, *(framework.split(":", 1)[-1] for framework in control.frameworks if len(framework) > 6))
    return any(re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", lowered) for name in names)
