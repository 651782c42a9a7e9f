"""What lies on the desk of one attempt: the organisation's index, controls and names, the instant, the table of seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import JsonValue

from trustops.checks.disclosure import Confidential
from trustops.checks.drift import evaluate
from trustops.domain.control import Control, ControlReading, Snapshot
from trustops.domain.evidence import Passage
from trustops.facts.nouns import Names
from trustops.ports import EvidenceIndex
from trustops.roster import Roster
from trustops.skills.attach_figure import attach_figure
from trustops.skills.invoke import SkillDesk
from trustops.skills.list_controls import list_controls
from trustops.skills.read_control import read_control
from trustops.skills.read_passage import read_passage
from trustops.skills.search_answers import search_answers
from trustops.skills.search_evidence import search_evidence
from trustops.team.seat import Table


def _silent(kind: str, question: str, data: Mapping[str, JsonValue]) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is the same for all questions of a run: computed once, shared, never written."""

    index: EvidenceIndex
    controls: tuple[Control, ...]
    snapshots: Mapping[str, Snapshot]
    names: Names
    roster: Roster
    secret: Confidential
    withdrawn: frozenset[str]
    at: datetime
    gate_version: str
    style: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Desk:
    """One attempt at one question. `watch` hears seats start and end, findings and the decision."""

    shelf: Shelf
    table: Table
    watch: Callable[[str, str, Mapping[str, JsonValue]], None] = _silent

    def skills(self, seat: str, passages: Sequence[Passage] = ()) -> SkillDesk:
        """The seat's skills, with their functions bound to this organisation's index and controls, and to the dossier's passages."""
        shelf = self.shelf
        functions: dict[str, Callable[[str], Any]] = {
            "search-evidence": partial(search_evidence, shelf.index),
            "read-passage": partial(read_passage, shelf.index),
            "search-answers": partial(search_answers, shelf.index),
            "list-controls": partial(list_controls, shelf.controls),
            "read-control": partial(read_control, shelf.controls),
            "attach-figure": partial(attach_figure, passages, shelf.at.date()),
        }
        return SkillDesk(self.shelf.roster, seat, self.table.task(seat), self.table.trace, functions)

    def reading(self, control: Control) -> ControlReading:
        """The control judged on its newest snapshot at the run's instant."""
        return evaluate(control, self.shelf.snapshots.get(control.id), self.shelf.at)
