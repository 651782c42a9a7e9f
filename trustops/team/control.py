"""Control: which readings speak to which ask. The values are code's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trustops.domain.control import ControlReading
from trustops.domain.opinion import ControlOpinion
from trustops.domain.question import Question
from trustops.team.material import question_view, reading_view
from trustops.team.seat import Sitting, Table, sit


async def read_controls(
    table: Table, question: Question, asks: Sequence[str], offered: Sequence[ControlReading], worked: Sequence[dict[str, Any]] = ()
) -> Sitting[ControlOpinion]:
    """The seat sees every control that rules or plan brought up, with code's evaluation; it adds mappings and removes none."""
    payload: dict[str, Any] = {"question": question_view(question), "asks": list(asks), "controls": [reading_view(r) for r in offered]}
    if worked:
        payload["skill_results"] = list(worked)
    return await sit(table, "control", ControlOpinion, payload)
