"""Commander by rules: the asks, the declared risk, and a look-up in the question's own words for each seat."""

from __future__ import annotations

from typing import Any

from trustops.domain.opinion import AskedFor, CommanderOpinion, PlannedCall
from trustops.facts.asked import asks_of
from trustops.facts.nouns import Names
from trustops.facts.risk import declared_risk


def reply(payload: dict[str, Any], names: Names) -> CommanderOpinion:
    """The opinion on the question in the payload."""
    text = payload["question"]["text"]
    asks = asks_of(text, names)[:12]
    return CommanderOpinion(
        asks=tuple(AskedFor(text=ask.text[:4000], form="open" if ask.open else "yes_no") for ask in asks),
        risk=declared_risk(text),
        plan=(PlannedCall(seat="control", skill="list-controls", query=text[:400]),),
    )
