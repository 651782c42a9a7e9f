"""Characters that a reader does not see, or sees in another order than they are stored."""

from __future__ import annotations

import re

INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""Zero-width, bidirectional control and tag characters (Unicode TR36). Soft hyphens are ordinary typography and stay."""


def invisible(text: str) -> tuple[int, ...]:
    """Offsets of every such character."""
    return tuple(found.start() for found in INVISIBLE.finditer(text))


def visible(text: str) -> str:
    """The text without them, for comparing words."""
    return INVISIBLE.sub("", text)
