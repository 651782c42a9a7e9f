"""A suite: where its cases come from, and how one of them is played. The runner and pytest play them the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from trustops.domain.authenticity import EntryPoint
from trustops.evaluation.case import Case
from trustops.evaluation.listening import Heard, Listening, answering
from trustops.evaluation.record import Step
from trustops.evaluation.score import Score
from trustops.evaluation.wire import Connect
from trustops.operations.grading import Task
from trustops.operations.office import Office
from trustops.ports import EvidenceReader, ModelClient

OpenOffice = Callable[..., Office]


@dataclass(frozen=True, slots=True)
class Bench:
    """What cases are played with. `scratch` is a folder that is removed afterwards; `open_office` and `connect` are assembly's. `model`
    makes the client that is judged; None leaves it to the workspace, which is the offline one without a profile."""

    open_office: OpenOffice
    connect: Connect
    scratch: Path
    model: Callable[[], ModelClient] | None = None
    kept: dict[str, Any] = field(default_factory=dict)
    """What a suite keeps between its cases in one process."""
    _numbers: Iterator[int] = field(default_factory=count)

    def folder(self, name: str) -> Path:
        """A fresh folder, named after a case so that a person can find it."""
        made = self.scratch / f"{next(self._numbers):04d}-{''.join(c if c.isalnum() else '-' for c in name)}"
        made.mkdir(parents=True)
        return made

    @contextmanager
    def office(self, workspace: Path) -> Iterator[Office]:
        """An office of an evaluation, with the model that is judged. Raises ModelGone at the end where that model did not answer."""
        heard = Heard()
        office = self.open_office(workspace, client=self.model() if self.model else None, entry=EntryPoint.EVALUATION)
        try:
            yield replace(office, client=Listening(office.client, heard))
        finally:
            close(office)
        answering(heard)


class ReadOnce:
    """The reader of evidence of a workspace that nobody changes: each folder is read one time."""

    def __init__(self, reader: EvidenceReader) -> None:
        self.read_folder = cache(reader.read_folder)
        self.read_answers = cache(reader.read_answers)


def close(office: Office) -> None:
    """Closes what an office holds open, where it can be closed."""
    for held in (office.ledger, office.index):
        shut = getattr(held, "close", None)
        if shut is not None:
            shut()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of playing a case: it passed where there are steps and all are as expected."""

    steps: tuple[Step, ...]
    scores: tuple[Score, ...] = ()
    trace: str = ""
    dossier: Mapping[str, object] = field(default_factory=dict)
    skipped: str = ""
    """The reason, where the case was not to be played (a baseline that failed); it is told and never counted as passed."""
    grades: tuple[Task, ...] = ()
    """What honest seats and skills proved of themselves; the caller may keep it. Scripted seats are never in it."""

    @property
    def passed(self) -> bool:
        """Whether every expectation was met, and there was one."""
        return bool(self.steps) and all(step.ok for step in self.steps)


@dataclass(frozen=True, slots=True)
class Suite:
    """`cases` loads or makes them; `play` may raise: the runner makes a failed case of it, with its cause.

    `play` must be a function at the top of its module, so that another process can play it.
    """

    name: str
    title: str
    cases: Callable[[], tuple[Case, ...]]
    play: Callable[[Case, Bench], Outcome]


def step(name: str, expected: object, actual: object) -> Step:
    """One expectation that is met by equality."""
    return Step(name, str(expected), str(actual), str(expected) == str(actual))
