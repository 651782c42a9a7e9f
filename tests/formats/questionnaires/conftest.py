"""Files that the tests of this folder share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from trustops.testing.workbook import Book, Content, Formula, Sheet

DATA = Path(__file__).parents[2] / "data" / "questionnaires"


@pytest.fixture
def demo() -> Path:
    return DATA / "harborview.xlsx"


def layouts() -> list[dict[str, Any]]:
    """The layouts of `layouts.yaml`."""
    return list(yaml.load((DATA / "layouts.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader))


def book(layout: dict[str, Any]) -> Book:
    """The workbook that a layout describes."""
    return Book([_sheet(sheet) for sheet in layout["sheets"]], layout.get("names", {}))


def _sheet(given: dict[str, Any]) -> Sheet:
    options = {key: given[key] for key in ("state", "protected", "prefix", "shared", "spans", "merges") if key in given}
    lists = {key: [(where, formula) for where, formula in given.get(key, [])] for key in ("lists", "x14_lists")}
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
