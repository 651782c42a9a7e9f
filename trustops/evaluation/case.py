"""The case model: what is given, what must come of it, with which groups and faults (evaluation.md, "Capability dimensions").

A file holds one case or a list under `cases`. An unknown key is a refusal that names file, line, key and what to do. What `input` and
`expect` hold depends on the kind; the suite that plays a kind validates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, Self, get_args

import yaml
from pydantic import Field, ValidationError, model_validator

from trustops.domain.authenticity import SEATS
from trustops.domain.base import Noun
from trustops.domain.errors import MalformedFile, UsageError
from trustops.evaluation.lined import first_error, line_of, parsed

Kind = Literal["golden", "adversarial", "fault", "authenticity", "ab", "rubric", "parse", "unit"]
KINDS: tuple[str, ...] = get_args(Kind)
LEVELS = {1: "unit", 2: "skill contract", 3: "agent", 4: "workflow integration", 5: "LIVE_AI end to end", 6: "human product evaluation"}
Set = Literal["golden", "regression", "adversarial", "online"]


class Group(Noun):
    """One side of a comparison. `active_skills` are names; empty with `skill_enabled` means every skill there is."""

    skill_enabled: bool = False
    active_skills: tuple[str, ...] = ()


class Fault(Noun):
    """What fails in a case: a seat by its name or another place (skill, collector, stream, approval, export, judge, disk), and how.

    `at` counts the steps of the place from one; 0 means each time.
    """

    place: str = Field(min_length=1)
    kind: str = Field(min_length=1)
    at: int = Field(default=0, ge=0)

    @property
    def seat(self) -> str:
        """The seat that fails; empty where the fault is of another place."""
        return self.place if self.place in SEATS else ""


class Judge(Noun):
    """Which model opinion a case asks for: a prompt by name, and what it is asked about. A judge only advises."""

    prompt: str
    metric: str
    at_most: int = Field(default=5, ge=1)
    """The best score; the worst is 0 or 1, as the prompt says."""
    runs: int = Field(default=1, ge=1, le=3)


class Case(Noun):
    """One case, whatever its kind."""

    case_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$", max_length=120)
    title: str = ""
    level: int = Field(ge=1, le=6)
    dimension: str = Field(min_length=1)
    kind: Kind
    group_a: Group | None = None
    group_b: Group | None = None
    input: dict[str, Any] = {}
    expect: dict[str, Any] = {}
    faults: tuple[Fault, ...] = ()
    judge: Judge | None = None
    epochs: int = Field(default=1, ge=1, le=100)
    weight: Decimal = Field(default=Decimal(1), gt=0)
    source: str = Field(min_length=1)
    set: Set = "golden"
    skills: tuple[str, ...] = ()
    """Skills that the case exercises: when one of them changes, the case is stale."""

    def stale_by(self, skills: frozenset[str]) -> bool:
        """Whether one of these skills, when it changes, makes the case stale. A case that plays the whole machine uses them all."""
        return bool(skills) and (bool(skills & set(self.skills)) if self.skills else self.kind not in ("unit", "parse", "authenticity"))

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.kind == "ab" and (self.group_a is None or self.group_b is None):
            raise ValueError("a case of kind ab needs group_a and group_b")
        if not self.expect and self.kind != "rubric":
            raise ValueError(f"a case of kind {self.kind} needs expect: without it nothing could fail")
        return self


def load_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file, or of every YAML file beneath a folder in the order of their names.

    Raises UsageError where there is none, MalformedFile with the place of the first thing that is wrong.
    """
    if path.is_dir():
        found = tuple(case for file in sorted(path.rglob("*.yaml")) for case in load_cases(file))
        if not found:
            raise UsageError("there is no case", where=str(path), remedy="A case is a YAML file with case_id, kind, input and expect.")
        return unique(found, where=str(path))
    node, data = parsed(path)
    many = isinstance(data, Mapping) and set(data) == {"cases"}
    items = data["cases"] if many else [data]
    if not isinstance(items, list) or not items:
        raise MalformedFile("cases: no list of cases", where=path.name, remedy="Write `cases:` and a list, or one case.")
    prefix: tuple[int | str, ...] = ("cases",) if many else ()
    return unique((_case(path, node, item, (*prefix, at) if many else ()) for at, item in enumerate(items)), where=path.name)


def _case(path: Path, node: yaml.Node, item: Any, at: tuple[int | str, ...]) -> Case:
    try:
        return Case.model_validate(item)
    except ValidationError as bad:
        place, told = first_error(bad)
        key = ".".join(map(str, place)) or "the case"
        where = f"{path.name}, line {line_of(node, (*at, *place))}"
        remedy = f"The keys of a case are {', '.join(Case.model_fields)}." if told == "unknown key" else "docs/evaluation.md shows a case."
        raise MalformedFile(f"{key}: {told}", where=where, remedy=remedy) from bad


def unique(cases: Iterable[Case], *, where: str) -> tuple[Case, ...]:
    """The cases, each id once; of two with one id one would be lost in silence."""
    found: dict[str, Case] = {}
    for case in cases:
        if case.case_id in found:
            raise MalformedFile(f"case_id {case.case_id!r} stands twice", where=where, remedy="Give each case an id of its own.")
        found[case.case_id] = case
    return tuple(found.values())
