"""Workbooks as evidence: every sheet a table; a hidden sheet is concealed, for its reader does not see it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import python_calamine

from trustops.domain.errors import MalformedFile
from trustops.formats.evidence.blocks import Block, Extraction, row_line, titled
from trustops.formats.evidence.table import rows_under_header
from trustops.formats.evidence.unseen import Unseen, unseen_cells

MOST_CELLS = 2_000_000


def sheets(path: Path) -> list[tuple[str, bool, list[list[str]]]]:
    """Name, visibility and cell texts of every sheet. Raises MalformedFile for what is no workbook or too large.

    The library aborts the process on some hostile files, so call this in the limited child only.
    """
    try:
        book = python_calamine.CalamineWorkbook.from_path(str(path))
        return [(each.name, each.visible == python_calamine.SheetVisibleEnum.Visible, _rows(book, each.name)) for each in _tables(book)]
    except python_calamine.CalamineError as error:
        raise MalformedFile(f"The workbook cannot be read: {error}.", where=path.name, remedy="Save it again as .xlsx.") from None


def _tables(book: python_calamine.CalamineWorkbook) -> list[python_calamine.SheetMetadata]:
    return [each for each in book.sheets_metadata if each.typ == python_calamine.SheetTypeEnum.WorkSheet]


def _rows(book: python_calamine.CalamineWorkbook, name: str) -> list[list[str]]:
    sheet = book.get_sheet_by_name(name)
    if sheet.total_height * sheet.total_width > MOST_CELLS:
        raise MalformedFile(f"The sheet {name} spans too many cells.", where=name, remedy="Delete its empty rows and columns.")
    return [[_shown(value) for value in row] for row in sheet.to_python(skip_empty_area=False)]


def _shown(value: Any) -> str:
    """A cell as its reader would say it: whole numbers without ".0", dates in ISO form."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    return str(value)


def read_sheets(path: Path) -> Extraction:
    """One block a row; the sheet's name and its header row are the heading. Locator: sheet and row. What the reader of a visible sheet
    does not see stands in concealed blocks of its own."""
    blocks: list[Block] = []
    notices = []
    hidden = unseen_cells(path)
    for name, visible, rows in sheets(path):
        place = f"sheet {name}"
        blocks.append(Block(text=name, level=1, unit="row", place=place, concealed=not visible))
        seen, aside = _parted(rows, hidden.get(name))
        blocks.extend(rows_under_header(seen, level=2, place=place, concealed=not visible))
        blocks.extend(Block(text=text, unit="row", first=n, last=n, place=place, concealed=True) for n, text in aside)
        if not visible or aside:
            what = "The sheet is hidden" if not visible else "The sheet has hidden rows, hidden columns or white letters"
            notices.append((place, f"{what}; that text supports nothing.", "Show it if it is meant as evidence."))
    return titled(blocks, notices, title=path.stem)


def _parted(rows: list[list[str]], unseen: Unseen | None) -> tuple[list[list[str]], list[tuple[int, str]]]:
    """The rows without the cells that nobody sees, and those cells as lines by row number."""
    if unseen is None:
        return rows, []
    seen, aside = [], []
    for number, row in enumerate(rows, start=1):
        marks = [bool(cell) and unseen(number, column) for column, cell in enumerate(row, start=1)]
        seen.append(["" if mark else cell for mark, cell in zip(marks, row, strict=True)])
        text = row_line([cell for mark, cell in zip(marks, row, strict=True) if mark])
        aside += [(number, text)] if text else []
    return seen, aside
