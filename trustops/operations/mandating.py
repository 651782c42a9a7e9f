"""Mandating: what became of mandates that agents were given elsewhere (PACT and its like) comes in as evaluations of our own.

A line says what a person vouches for; nothing here can prove it. So such evaluations count as TEST, never as live work, and name who took
them in. A file is taken in whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from trustops.domain.authenticity import ExecutionMode
from trustops.domain.base import Noun
from trustops.operations.editing import editor
from trustops.operations.federating import AHEAD, broken, lines_of
from trustops.operations.grading import Task, Told, keep, shipped
from trustops.operations.office import Office

RUBRIC, ORIGIN = "mandate", "STATED"


class Outcome(StrEnum):
    """How a mandate ended. VIOLATED: the agent did what it was forbidden to do."""

    FULFILLED = "fulfilled"
    PARTIAL = "partial"
    FAILED = "failed"
    VIOLATED = "violated"


SCORES = {
    Outcome.FULFILLED: {"fulfilled": 1.0, "within_mandate": 1.0},
    Outcome.PARTIAL: {"fulfilled": 0.5, "within_mandate": 1.0},
    Outcome.FAILED: {"fulfilled": 0.0, "within_mandate": 1.0},
    Outcome.VIOLATED: {"fulfilled": 0.0, "within_mandate": 0.0},
}
"""A violation is the protocol's constitutional one: 0 on the criterion that it breaks, and nothing is fulfilled by breaking it."""


class Mandate(Noun):
    """One line of a file: whose mandate it was (`issuer`), who was to fulfil it, how it ended and when."""

    mandate: str = Field(min_length=1, max_length=200)
    issuer: str = Field(min_length=1, max_length=200)
    agent: str = Field(min_length=1, max_length=200)
    outcome: Outcome
    completed_at: AwareDatetime
    model: str = Field(default="", max_length=200)

    def task(self, by: str) -> Task:
        """What is to be graded. The same mandate of the same issuer is the same evaluation, whoever takes it in."""
        return Task(
            agent=self.agent,
            rubric=shipped()[RUBRIC],
            scores=SCORES[self.outcome],
            about=f"mandate/{self.issuer}/{self.mandate}",
            run="",
            at=self.completed_at.astimezone(UTC),
            mode=ExecutionMode.TEST.value,
            origin=ORIGIN,
            model=self.model,
            by=by,
        )


def take_mandates(office: Office, source: Path, *, by: str) -> Told:
    """Grades every mandate of a file of JSON lines, in the name of somebody who may edit. The same file again appends nothing.

    Raises RuleBroken with rule and line: `form`, `future` (not ended yet), `replay` (ended in another way than is on record, or twice in
    the file). Nothing is changed then.
    """
    person = editor(office, by)
    tasks = dict[str, Task]()
    for number, mandate in _mandates(source, office.clock.now()):
        task = mandate.task(person)
        id = task.id(office.organisation)
        if id in tasks or _ended_otherwise(office, id, task):
            raise broken("replay", source, number, f"the mandate {mandate.mandate!r} of {mandate.issuer!r} ended already, and otherwise")
        tasks[id] = task
    if not tasks:
        raise broken("form", source, 0, "there is no mandate in it")
    return keep(office, list(tasks.values()))


def _mandates(source: Path, now: datetime) -> Iterator[tuple[int, Mandate]]:
    for number, text in lines_of(source, "Name a file of JSON lines, a mandate each (docs/scoring.md)."):
        try:
            mandate = Mandate.model_validate_json(text)
        except ValidationError as bad:
            first = bad.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise broken("form", source, number, f"{where}: {first['msg']}" if where else first["msg"]) from bad
        if mandate.completed_at > now + AHEAD:
            raise broken("future", source, number, f"it ended at {mandate.completed_at.isoformat()}, which has not come yet")
        yield number, mandate


def _ended_otherwise(office: Office, id: str, task: Task) -> bool:
    kept = office.ledger.get_evaluation(id)
    if kept is None:
        return False
    named = {criterion.id: task.scores[criterion.name] for criterion in task.rubric.criteria}
    return kept.body.get("scores") != named
