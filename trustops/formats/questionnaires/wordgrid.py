"""A Word document as grids: each table is a sheet `table 1`, ...; the paragraphs outside tables are column A of the sheet `text`.

So a cell is named as in a spreadsheet (`table 2`, D5), and the fourth paragraph is A4 of `text`. A content control among several
of one cell or paragraph has its number behind a point: D5.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trustops.formats.questionnaires.address import Area, address, position
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.styles import PLAIN, Style
from trustops.formats.questionnaires.wordparts import Cell, Control, Document, Paragraph, Table

TEXT = "text"


@dataclass(slots=True)
class TableGrid(Grid):
    """A table of a document."""

    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    areas: dict[tuple[int, int], Area] = field(default_factory=dict)

    @property
    def appendable(self) -> bool:
        return False

    def at(self, row: int, column: int) -> Cell | None:
        area = self.areas.get((row, column))
        return self.cells.get((area.top, area.left)) if area else None

    def area(self, row: int, column: int) -> Area:
        return self.areas.get((row, column), Area(row, column, row, column))

    def style(self, row: int, column: int) -> Style:
        cell = self.at(row, column)
        if not cell:
            return PLAIN
        date = any(control.kind == "date" for control in cell.controls)
        return Style(date=date, bold=bool(cell.text) and all(p.bold for p in cell.paragraphs if p.text.strip()), fill=cell.fill)

    def vocabulary(self, row: int, column: int) -> tuple[str, ...]:
        cell = self.at(row, column)
        return next((tuple(control.members) for control in cell.controls if control.kind == "choice"), ()) if cell else ()

    def has_list(self, row: int, column: int) -> bool:
        cell = self.at(row, column)
        return bool(cell) and any(control.kind == "choice" for control in cell.controls) if cell else False

    def listed(self, row: int) -> list[int]:
        return sorted({column for (line, column) in self.cells if line == row and self.has_list(row, column)})

    def wants(self, row: int, column: int) -> str:
        cell = self.at(row, column)
        return "date" if cell and any(control.kind == "date" for control in cell.controls) else ""

    def exists(self, row: int, column: int) -> bool:
        return (row, column) in self.areas

    def usable(self, row: int, column: int) -> bool:
        cell = self.at(row, column)
        return cell is not None and not any(control.locked for control in cell.controls)

    def last_column(self) -> int:
        return max((column for _, column in self.areas), default=0)


def of_table(table: Table, number: int) -> TableGrid:
    """The grid of one table. Cells merged downwards belong to the cell on top."""
    made = TableGrid(f"table {table.number}", number)
    for row, line in enumerate(table.rows, 1):
        for cell in (cell for cell in line if cell.merge != "before"):
            area = Area(row, cell.column, row, cell.column + cell.span - 1)
            above = made.areas.get((row - 1, cell.column))
            if cell.merge == "continue" and above and (above.left, above.right) == (area.left, area.right):
                area = Area(above.top, above.left, row, above.right)
                _cover(made, Area(above.top, area.left, row - 1, area.right), area)
            else:
                made.cells[row, cell.column] = cell
            _cover(made, Area(row, area.left, row, area.right), area)
    for (row, column), cell in made.cells.items():
        text = shown(cell)
        if text:
            made.lines.setdefault(row, {})[column] = text
    return made


def _cover(made: TableGrid, where: Area, area: Area) -> None:
    for row in range(where.top, where.bottom + 1):
        for column in range(where.left, where.right + 1):
            made.areas[row, column] = area


def shown(cell: Cell) -> str:
    """The cell's text without what its content controls show, unless somebody filled them in."""
    return "\n".join(text for paragraph in cell.paragraphs if (text := bare(paragraph))).strip()


def bare(paragraph: Paragraph) -> str:
    """A paragraph's text without the prompts of its content controls, and without its check boxes and their labels."""
    if paragraph.around and paragraph.around.placeholder[1]:
        return ""
    text, place = "", 0
    ticks = [control for control in paragraph.controls if control.kind == "tick"]
    for control in paragraph.controls:
        text += paragraph.text[place : control.at[0]]
        empty = control.placeholder[1] or control.kind == "tick"
        text += "" if empty else paragraph.text[control.at[0] : control.at[1]]
        place = control.at[1] if control.kind != "tick" else label(paragraph, control)[1]
    text += paragraph.text[place:]
    return text.strip() if not ticks or any(sign.isalnum() for sign in text) else ""


def label(paragraph: Paragraph, control: Control) -> tuple[str, int]:
    """The text behind a check box up to the next control, and where it ends."""
    later = [other.at[0] for other in paragraph.controls if other.at[0] >= control.at[1] and other is not control]
    end = min(later, default=len(paragraph.text))
    return paragraph.text[control.at[1] : end].strip(" \t\n\xa0/,;|"), end


def text_grid(document: Document, number: int) -> Grid:
    """The paragraphs outside tables, one a row."""
    made = Grid(TEXT, number)
    for paragraph in document.paragraphs:
        text = bare(paragraph)
        if text:
            made.lines[paragraph.number] = {1: text}
    return made


def grids(document: Document) -> list[TableGrid]:
    """The grids of all tables, in order; made once for a document."""
    if not document.grids:
        document.grids = [of_table(table, table.number) for table in document.tables]
    return [grid for grid in document.grids if isinstance(grid, TableGrid)]


def table_grid(document: Document, sheet: str) -> TableGrid | None:
    """The grid of one table by its sheet name."""
    place = sheet.removeprefix("table ")
    found = grids(document)
    return found[int(place) - 1] if place != sheet and place.isdecimal() and 0 < int(place) <= len(found) else None


def split(name: str) -> tuple[int, int, int]:
    """D5.2 -> (5, 4, 2); the last number is 0 for the cell itself. Raises ValueError for what is no cell."""
    cell, _, rest = name.partition(".")
    if rest and not (rest.isascii() and rest.isdigit() and len(rest) < 4):
        raise ValueError(f"{name!r} is no cell")
    return *position(cell), int(rest or 0)


def named(row: int, column: int, control: int = 0) -> str:
    """(5, 4, 2) -> D5.2."""
    return address(row, column) + (f".{control}" if control else "")
