"""Scenarios of a comparison: a customer's reviewer with preferences, an opening message, a goal and a manner of following up.

The fields of a scenario are those of the public format (scoring.md, section 3). `expected_swarm_agent` names the augmentation that should
fire, `should_trigger_swarm` whether one should at all: in scenarios of category similar it should, in different ones it must not.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from trustops.domain.base import Noun
from trustops.domain.errors import MalformedFile, UnknownName, UsageError
from trustops.evaluation.lined import first_error, line_of, parsed
from trustops.roster import shipped

Strategy = Literal["clarify", "deep_dive", "pivot", "correct"]
MOST_TURNS = 6


class Scenario(Noun):
    """One conversation to be had."""

    scenario_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)
    category: Literal["similar", "different"]
    intent: str = Field(min_length=1)
    expected_swarm_agent: str | None
    should_trigger_swarm: bool
    goal_definition: str = Field(min_length=1)
    opening_message: str = Field(min_length=1, max_length=2000)
    follow_up_strategy: Strategy
    max_turns: int = Field(default=MOST_TURNS, ge=1, le=MOST_TURNS)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.should_trigger_swarm != (self.category == "similar"):
            raise ValueError("should_trigger_swarm is true in similar scenarios and false in different ones")
        if self.should_trigger_swarm and not self.expected_swarm_agent:
            raise ValueError("expected_swarm_agent must name what should fire")
        return self


class Person(Noun):
    """Whom the simulated customer plays."""

    user_id: str = Field(pattern=r"^[a-z0-9-]+$")
    role: str = Field(min_length=1)
    preferences: tuple[str, ...] = Field(min_length=1)


class Cast(Noun):
    """One file: a person and the scenarios that are theirs."""

    user: Person
    scenarios: tuple[Scenario, ...] = Field(min_length=1)


def load_scenarios(folder: Path | None = None) -> tuple[Cast, ...]:
    """Every file of a folder (golden/scenarios). Raises UsageError where there is none, MalformedFile with the line."""
    folder = folder or shipped("golden") / "scenarios"
    found = tuple(_cast(path) for path in sorted(folder.glob("*.yaml")))
    if not found:
        raise UsageError("there is no scenario", where=str(folder), remedy="A file holds `user` and `scenarios`.")
    ids = [scenario.scenario_id for cast in found for scenario in cast.scenarios]
    if repeated := sorted({name for name in ids if ids.count(name) > 1}):
        raise MalformedFile(f"scenario_id {repeated[0]!r} stands twice", where=folder.name, remedy="Give each scenario an id of its own.")
    return found


def _cast(path: Path) -> Cast:
    node, data = parsed(path, yaml.SafeLoader)
    try:
        return Cast.model_validate(data)
    except ValidationError as bad:
        place, told = first_error(bad)
        where = f"{path.name}, line {line_of(node, place)}"
        remedy = f"The keys of a scenario are {', '.join(Scenario.model_fields)}."
        raise MalformedFile(f"{'.'.join(map(str, place)) or 'the file'}: {told}", where=where, remedy=remedy) from bad


def chosen(casts: Iterable[Cast], *, n: int | None, seed: int, users: Sequence[str] = ()) -> tuple[tuple[Person, Scenario], ...]:
    """The scenarios to play: of some users, and at most n of them, drawn by the seed so that both categories keep their share."""
    known = tuple(casts)
    if missing := set(users) - {cast.user.user_id for cast in known}:
        told = ", ".join(cast.user.user_id for cast in known)
        raise UnknownName(f"there is no user {sorted(missing)[0]!r}", remedy=f"There are {told}.")
    pairs = [(cast.user, scenario) for cast in known if not users or cast.user.user_id in users for scenario in cast.scenarios]
    if n is None or n >= len(pairs):
        return tuple(pairs)
    if n < 1:
        raise UsageError(f"{n} scenarios are none", where="-n", remedy="Give at least 1.")
    drawn: list[tuple[Person, Scenario]] = []
    for category in ("similar", "different"):
        mine = [pair for pair in pairs if pair[1].category == category]
        share = round(n * len(mine) / len(pairs)) if category == "similar" else n - len(drawn)
        drawn += random.Random(f"{seed}:{category}").sample(mine, min(share, len(mine)))
    return tuple(pair for pair in pairs if pair in drawn)
