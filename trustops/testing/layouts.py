"""Layouts of questionnaires as text (tests/data/questionnaires/layouts.yaml), made into workbooks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trustops.testing.workbook import Book, Content, Formula, Sheet


def book(layout: Mapping[str, Any]) -> Book:
    """The workbook that a layout describes."""
    return Book([_sheet(sheet) for sheet in layout["sheets"]], layout.get("names", {}))


def _sheet(given: Mapping[str, Any]) -> Sheet:
    options = {key: given[key] for key in ("state", "protected", "prefix", "shared", "spans", "merges") if key in given}
    lists: dict[str, Any] = {key: [(where, formula) for where, formula in given.get(key, [])] for key in ("lists", "x14_lists")}
    made = Sheet(given["name"], **options, **lists, hidden_rows=set(given.get("hidden_rows", [])))
    for number, line in given["rows"].items():
        made.rows(number, [[_content(text) for text in re.split(r" ?\| ?", line)]])
    for style, cells in given.get("styles", {}).items():
        for cell in cells.split():
            made.cells[cell] = (made.cells[cell][0] if cell in made.cells else "", int(style))
    return made


def _content(text: str) -> Content:
    formula = re.fullmatch(r"=(.*) -> (.*)", text)
    return None if text == "~" else Formula(formula[1], formula[2]) if formula else text.strip()
