"""A suite: where its cases come from, and how one of them is played. The runner and pytest play them the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trustops.evaluation.case import Case
from trustops.evaluation.record import Step
from trustops.evaluation.score import Score
from trustops.evaluation.wire import Connect
from trustops.operations.office import Office

OpenOffice = Callable[..., Office]


@dataclass(frozen=True, slots=True)
class Bench:
    """What cases are played with. `scratch` is a folder that is removed afterwards; `open_office` and `connect` are assembly's."""

    open_office: OpenOffice
    connect: Connect
    scratch: Path
    tools: Mapping[str, object] = field(default_factory=dict)
    """What a suite keeps between its cases, and further parts of assembly by name."""

    def folder(self, case: Case) -> Path:
        """A fresh folder for one case."""
        made = self.scratch / f"{len(list(self.scratch.iterdir())):04d}-{case.case_id.replace('/', '-').replace(':', '-')}"
        made.mkdir(parents=True)
        return made


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of playing a case: it passed where there are steps and all are as expected."""

    steps: tuple[Step, ...]
    scores: tuple[Score, ...] = ()
    trace: str = ""
    dossier: Mapping[str, object] = field(default_factory=dict)
    skipped: str = ""
    """The reason, where the case was not to be played (a baseline that failed); it is told and never counted as passed."""

    @property
    def passed(self) -> bool:
        return bool(self.steps) and all(step.ok for step in self.steps)


@dataclass(frozen=True, slots=True)
class Suite:
    """`cases` loads or makes them; `play` may raise: the runner makes a failed case of it, with its cause."""

    name: str
    title: str
    cases: Callable[[], tuple[Case, ...]]
    play: Callable[[Case, Bench], Outcome]
