"""Reputations: the time-weighted mean of what is on record of an agent. Modes and organisations are never mixed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from trustops.domain.scores import EVALUATION, OWN
from trustops.operations.office import Office
from trustops.operations.sealing import holds
from trustops.scoring.score import Reputation, Weighing


@dataclass(slots=True)
class Standing:
    """One agent's reputation in one mode, by the evaluations of one organisation (`source` is empty for our own). `model` is empty unless
    models are told apart. `forged` counts evaluations whose seal does not fit: they are left out."""

    source: str
    agent: str
    mode: str
    model: str
    weighing: Weighing
    rubrics: set[str] = field(default_factory=set)
    forged: int = 0

    @property
    def reputation(self) -> Reputation:
        """What its evaluations come to."""
        return self.weighing.reputation(self.agent)


def reputations(office: Office, agent: str = "", *, models: bool = False, as_of: datetime | None = None) -> tuple[Standing, ...]:
    """Of one agent or of all, by source, agent and mode; with `models` also apart by the model that served, to compare them."""
    at, secret, found = as_of or office.clock.now(), office.seal.text().encode(), dict[tuple[str, str, str, str], Standing]()
    for each in office.ledger.composites(agent):
        name = (each.source, each.agent, each.mode, each.model if models else "")
        standing = found.get(name)
        if standing is None:
            standing = found[name] = Standing(*name, Weighing(as_of=at))
        if holds(each, secret):
            standing.rubrics.add(each.rubric)
            standing.weighing.add(each.composite, each.at)
        else:
            standing.forged += 1
    return tuple(found[name] for name in sorted(found))


def in_evaluations(office: Office, agent: str) -> tuple[Standing, ...]:
    """What our own evaluations graded of an agent, by model. It is in no trust profile: the cases are known ones."""
    return tuple(each for each in reputations(office, agent, models=True) if (each.source, each.mode) == (OWN, EVALUATION))


def reputation_row(each: Standing) -> dict[str, Any]:
    """A standing as a machine reads it, with the field names of the protocol."""
    named = {"mode": each.mode, "source": each.source or None, "rubrics": sorted(each.rubrics), "forged": each.forged}
    return {**each.reputation.json_form(), **named, **({"model": each.model} if each.model else {})}
