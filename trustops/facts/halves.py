"""The two things that one ask names side by side: "the warranty period and the delivery period", "in transport and storage".

A sentence that speaks of one of them neither answers nor contradicts what is asked about the other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trustops.facts.asked import Ask
from trustops.facts.words import words

BETWEEN = re.compile(
    r"\s+(?:and|as well as)\s+(?:(?:what|which|how)\s+(?:is|are)\s+)?(?:(?:the|your|its|a|an)\s+)*|和|与|及|以及", re.IGNORECASE
)
EDGE = re.compile(
    r"\b(?:of|for|in|on|at|by|to|from|with|during|is|are|was|were|do|does|has|have|will|can|what|which|how|when|where|who|the|your|our|its|be"
    r"|state|give|describe|list|provide|both|between|that|please|insured|stored|kept)\b|[,;:.?!，。；？]|请|说明|列出",
    re.IGNORECASE,
)
"""Where a noun phrase begins or ends."""


@lru_cache(maxsize=4096)
def halves(ask: Ask) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words that only the one and only the other half has; None where the ask has no two halves that differ in words."""
    text = ask.text[ask.proposition.start : ask.proposition.end]
    for joint in BETWEEN.finditer(text):
        left = words(_bare(EDGE.split(text[: joint.start()])[-1])) & ask.words
        right = words(_bare(EDGE.split(text[joint.end() :], maxsplit=1)[0])) & ask.words
        if left - right and right - left:
            return left - right, right - left
    return None


def _bare(piece: str) -> str:
    """Without what stands in brackets: "(months)" says how, not what."""
    return re.sub(r"[(（][^)）]*[)）]", " ", piece)


def half_of(told: frozenset[str], ask: Ask) -> int | None:
    """Which of the two halves words speak of, 0 or 1; None for both, neither, or where there are none."""
    both = halves(ask)
    if both is None:
        return None
    touched = [2 * len(told & half) >= len(half) for half in both]
    return touched.index(True) if touched.count(True) == 1 else None
