"""What a Word document adds to the lists found in its tables: content controls as answer cells, and the questions of its running text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trustops.formats.questionnaires import stated, wordgrid, wordtext
from trustops.formats.questionnaires.listing import Answer, Listing, distinct
from trustops.formats.questionnaires.wordgrid import TableGrid
from trustops.formats.questionnaires.wordparts import Document

if TYPE_CHECKING:
    from trustops.formats.questionnaires.reading import _Found


def rest(document: Document, found: _Found) -> None:
    """Refine the tables' answers and add the questions of the text."""
    for grid, listed in found.listings:
        base = getattr(grid, "base", grid)
        if isinstance(base, TableGrid):
            for asked in listed.asked:
                asked.answers = _controlled(base, asked.answers)
    grid = wordgrid.text_grid(document, len(document.tables) + 1)
    given = found.mapping.get(wordgrid.TEXT, "")
    if given is None:
        found.skipped.append((wordgrid.TEXT, "text", "the mapping leaves it out"))
        return
    text: Listing
    if given:
        text = stated.read(grid, [cell for table in given for cell in table.get("cells", [])])
    else:
        text = wordtext.read(document, others=any(listed.asked for _, listed in found.listings))
    found.skipped += text.skipped
    if text.asked:
        found.listings.append((grid, text))
        cells = [
            {"question": asked.cell, "answers": [{"cell": answer.cell, "part": answer.part} for answer in asked.answers]}
            for asked in text.asked
        ]
        found.tables.append({"sheet": wordgrid.TEXT, "cells": cells})


def _controlled(grid: TableGrid, answers: list[Answer]) -> list[Answer]:
    """Each check box of a cell is an answer of its own; a cell with one control is answered in that control."""
    made: list[Answer] = []
    for answer in answers:
        row, column, number = wordgrid.split(answer.cell)
        cell = None if number else grid.at(row, column)
        controls = [(n, control) for n, control in enumerate(cell.controls, 1) if control.kind != "other"] if cell else []
        if not cell or not any(control.kind == "tick" for _, control in controls) or answer.part.startswith("tick_"):
            made.append(answer)
            continue
        paragraphs = {id(control): p for p in cell.paragraphs for control in p.rooms}
        for n, control in controls:
            one = wordtext.control_answer(paragraphs[id(control)], n, control, row, column)
            one.part = distinct(one.part, [known.part for known in made])
            made.append(one)
    return made
