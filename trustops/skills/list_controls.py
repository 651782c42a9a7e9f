"""Skill list-controls: which controls speak to an ask.

By topic, by id or by framework id written out (product.md, "Controls"). Never matched on a draft or on evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trustops.domain.control import Control
from trustops.facts.topic import names_topic


def list_controls(controls: Iterable[Control], query: str) -> tuple[Control, ...]:
    """The controls of the catalogue that a query meets, in the catalogue's order."""
    return tuple(c for c in controls if _named(c, query) or any(names_topic(topic, query) for topic in c.topics))


def _named(control: Control, query: str) -> bool:
    lowered = query.lower()
    short = [framework.split(":", 1)[-1] for framework in control.frameworks]
    names = (control.id, *control.frameworks, *(name for name in short if len(name) > 4))
    return any(re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", lowered) for name in names)
