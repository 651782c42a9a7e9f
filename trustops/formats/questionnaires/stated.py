"""Questions that a mapping file states cell by cell (`mapping.QuestionAt`)."""

from __future__ import annotations

from typing import Any

from trustops.domain.errors import UsageError
from trustops.formats.questionnaires.address import position
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.listing import Answer, Asked, Listing, kind_of


def read(grid: Grid, cells: list[dict[str, Any]]) -> Listing:
    """The listing of `[{question, id, answers: [{cell, part, kind}]}]`. Raises UsageError where no text stands at a question."""
    found = Listing()
    for stated in cells:
        row, column = position(stated["question"])
        text = grid.text(row, column)
        if not text:
            raise UsageError(
                "The mapping names a question where no visible text stands.",
                where=f"sheet {grid.name!r}, cell {stated['question']}",
                remedy="Correct it.",
            )
        label = grid.text(*position(stated["id"])) if stated.get("id") else ""
        found.asked.append(Asked(label, text, row, stated["question"], "", [_answer(grid, answer) for answer in stated["answers"]]))
    return found


def _answer(grid: Grid, stated: dict[str, Any]) -> Answer:
    row, column = position(stated["cell"])
    area = grid.area(row, column)
    members = grid.vocabulary(row, column)
    return Answer(stated["part"], grid.cell(area.top, area.left), stated.get("kind") or kind_of(stated["part"], members), members)
