"""Control by rules: every control that was matched by topic speaks to the asks whose words it shares."""

from __future__ import annotations

from typing import Any

from trustops.domain.opinion import ControlOpinion, ReadingForAsk
from trustops.facts.nouns import Names
from trustops.facts.words import words


def reply(payload: dict[str, Any], names: Names) -> ControlOpinion:
    """A reading for each ask that shares a word with the control's title; the first ask where none does."""
    asks = [words(text, names) for text in payload["asks"][:12]]
    readings = []
    for control in payload["controls"][:12]:
        title = words(f"{control['title']} {control['control'].replace('-', ' ')}", names)
        spoken = [number for number, ask in enumerate(asks) if ask & title] or [0]
        readings += [ReadingForAsk(ask=number, control=control["control"][:400]) for number in spoken]
    return ControlOpinion(readings=tuple(readings[:24]), missing=())
