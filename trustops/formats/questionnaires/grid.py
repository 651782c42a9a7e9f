"""A sheet as the layout sees it: texts by row and column, and what may be known of a cell that is still empty.

`Transposed` is the same sheet turned, so that questions that run from left to right are found by the same rules.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field

from trustops.domain.errors import HostileFile
from trustops.formats.questionnaires import headers, limits, vocabulary
from trustops.formats.questionnaires.address import Area, address
from trustops.formats.questionnaires.sheet import Cell, Scan, Validation
from trustops.formats.questionnaires.styles import PLAIN, Style
from trustops.formats.questionnaires.workbook import SheetEntry, Workbook

MAX_COVERED = 2_000_000
NEAR = 8
SHARING = 3

Lines = dict[int, dict[int, str]]


@dataclass(slots=True)
class Grid:
    """Visible texts in `lines`, texts of hidden rows in `hidden`; columns that are hidden stand in neither."""

    name: str
    number: int
    lines: Lines = field(default_factory=dict)
    hidden: Lines = field(default_factory=dict)
    hidden_text_columns: int = 0

    def text(self, row: int, column: int) -> str:
        return self.lines.get(row, {}).get(column, "")

    def cell(self, row: int, column: int) -> str:
        """The cell's address in the file."""
        return address(row, column)

    def area(self, row: int, column: int) -> Area:
        """The merged range that covers the cell, or the cell alone."""
        return Area(row, column, row, column)

    def style(self, row: int, column: int) -> Style:
        return PLAIN

    def vocabulary(self, row: int, column: int) -> tuple[str, ...]:
        """The members of the drop-down list at a cell."""
        return ()

    def wants(self, row: int, column: int) -> str:
        """`date` or `number` where a validation asks for one."""
        return ""

    def longest(self, row: int, column: int) -> int:
        """The most characters that a validation of the cell takes; 0 where there is no such limit."""
        return 0

    def has_list(self, row: int, column: int) -> bool:
        """Whether a drop-down list stands at the cell, resolvable or not."""
        return False

    def listed(self, row: int) -> list[int]:
        """The columns of the row that have a drop-down list, from the left; a wide range counts only near its start."""
        return []

    def formula(self, row: int, column: int) -> bool:
        return False

    def written(self, row: int, column: int) -> bool:
        """Whether a program put the text there after the file was made."""
        return False

    def awaits(self, row: int, column: int) -> bool:
        """Whether an answer may stand in the cell: nothing is there, or a prompt, or what only answers say (an earlier answer, a tick, a
        member of the cell's list)."""
        text = self.text(row, column)
        held = not text or headers.is_prompt(text) or self.written(row, column) or headers.is_ticked(text)
        return held or text in self.vocabulary(row, column)

    def exists(self, row: int, column: int) -> bool:
        """Whether the file has an element for the cell, if only for its format."""
        return False

    def usable(self, row: int, column: int) -> bool:
        """Whether a person can see and reach the cell."""
        return True

    @property
    def protected(self) -> bool:
        return False

    @property
    def appendable(self) -> bool:
        """Whether an export may add a column for answers."""
        return True

    def last_column(self) -> int:
        return max((max(line) for line in self.lines.values() if line), default=0)

    def anchored(self, row: int, column: int) -> bool:
        """Whether the cell is its own, not covered by a merged range that begins elsewhere."""
        area = self.area(row, column)
        return (area.top, area.left) == (row, column)


@dataclass(slots=True)
class SheetGrid(Grid):
    """A scanned sheet of a workbook."""

    book: Workbook | None = None
    entry: SheetEntry | None = None
    scan: Scan = field(default_factory=Scan)
    covers: dict[int, list[Area]] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    shared: int = 0  # texts that stand in the workbook's table of shared strings

    def area(self, row: int, column: int) -> Area:
        for area in self.covers.get(row, ()):
            if area.left <= column <= area.right:
                return area
        return Area(row, column, row, column)

    def style(self, row: int, column: int) -> Style:
        cell = self.scan.cell(row, column)
        number = cell.style if cell else next((s for first, last, s in self.scan.column_styles if first <= column <= last), 0)
        return self.book.style(number) if self.book else PLAIN

    def validation(self, row: int, column: int, accept: Callable[[Validation], bool]) -> Validation | None:
        for known in self.scan.validations:
            if accept(known) and any(area.covers(row, column) for area in known.areas):
                return known
        return None

    def vocabulary(self, row: int, column: int) -> tuple[str, ...]:
        known = self.validation(row, column, lambda known: known.type == "list")
        if not known or not self.book or not self.entry:
            return ()
        if known.formula not in self.lists:
            self.lists[known.formula] = vocabulary.members(self.book, self.entry, known.formula)
        return self.lists[known.formula]

    def wants(self, row: int, column: int) -> str:
        known = self.validation(row, column, lambda known: known.type in ("date", "time", "whole", "decimal"))
        return "" if not known else "date" if known.type in ("date", "time") else "number"

    def longest(self, row: int, column: int) -> int:
        known = self.validation(row, column, lambda known: known.type == "textLength")
        return limits.longest(known) if known else 0

    def has_list(self, row: int, column: int) -> bool:
        return self.validation(row, column, lambda known: known.type == "list") is not None

    def listed(self, row: int) -> list[int]:
        found = set[int]()
        for known in self.scan.validations:
            for area in known.areas if known.type == "list" else ():
                if area.top <= row <= area.bottom:
                    found.update(range(area.left, min(area.right, area.left + NEAR) + 1))
        return sorted(found)

    def _cell(self, row: int, column: int) -> Cell | None:
        return self.scan.cell(row, column)

    def formula(self, row: int, column: int) -> bool:
        cell = self._cell(row, column)
        return bool(cell and cell.formula)

    def written(self, row: int, column: int) -> bool:
        """Spreadsheet programs share their strings; a text of its own among shared ones was put in by another, as our export does."""
        cell = self._cell(row, column)
        return self.shared >= SHARING and cell is not None and cell.type == "inlineStr"

    def exists(self, row: int, column: int) -> bool:
        return self._cell(row, column) is not None

    def usable(self, row: int, column: int) -> bool:
        return not self.hides(column)

    def hides(self, column: int) -> bool:
        return any(first <= column <= last for first, last in self.scan.hidden_columns)

    @property
    def protected(self) -> bool:
        return self.scan.protected


def of_sheet(book: Workbook, entry: SheetEntry) -> SheetGrid:
    """The grid of one sheet of a workbook."""
    scan = book.scan(entry)
    made = SheetGrid(entry.name, entry.number, book=book, entry=entry, scan=scan)
    hidden_columns = set[int]()
    for number, row in scan.rows.items():
        line: dict[int, str] = {}
        for column, cell in row.cells.items():
            text = cell.text.strip()
            if text and made.hides(column):
                hidden_columns.add(column)
            elif text and cell.type != "e":
                line[column] = text
                made.shared += cell.type == "s"
        if line:
            (made.hidden if row.hidden else made.lines)[number] = line
    made.hidden_text_columns = len(hidden_columns)
    _index_merges(made)
    return made


def _index_merges(made: SheetGrid) -> None:
    used, total = sorted(made.lines), 0
    for area in made.scan.merges:
        reached = used[bisect_left(used, area.top) : bisect_left(used, area.bottom + 1)]
        total += len(reached)
        if total > MAX_COVERED:
            raise HostileFile(
                "The merged ranges of the sheet overlap without end.", where=f"sheet {made.name!r}", remedy="Save the file anew."
            )
        for row in reached:
            made.covers.setdefault(row, []).append(area)
            if area.bottom > row >= area.top and row != area.top:
                # What Excel keeps below a merged cell is not shown, so it is not read either.
                for column in [c for c in made.lines[row] if area.left <= c <= area.right]:
                    del made.lines[row][column]
            elif row == area.top:
                for column in [c for c in made.lines[row] if area.left < c <= area.right]:
                    del made.lines[row][column]


class Strip(Grid):
    """Some columns of a grid, where two lists stand side by side."""

    def __init__(self, base: Grid, first: int, last: int) -> None:
        super().__init__(base.name, base.number, hidden=base.hidden)
        self.base, self.first, self.last = base, first, last
        for row, line in base.lines.items():
            mine = {column: text for column, text in line.items() if first <= column <= last}
            if mine:
                self.lines[row] = mine
        for name in ("area", "style", "vocabulary", "longest", "wants", "has_list", "formula", "written", "exists", "usable"):
            setattr(self, name, getattr(base, name))

    def listed(self, row: int) -> list[int]:
        return [column for column in self.base.listed(row) if self.first <= column <= self.last]

    @property
    def protected(self) -> bool:
        return self.base.protected

    @property
    def appendable(self) -> bool:
        return False


class Transposed(Grid):
    """A grid turned about its diagonal; `cell` still gives the address in the file."""

    def __init__(self, base: Grid) -> None:
        super().__init__(base.name, base.number)
        self.base = base
        for row, line in base.lines.items():
            for column, text in line.items():
                self.lines.setdefault(column, {})[row] = text
        self.lines = {key: self.lines[key] for key in sorted(self.lines)}

    def cell(self, row: int, column: int) -> str:
        return self.base.cell(column, row)

    def area(self, row: int, column: int) -> Area:
        area = self.base.area(column, row)
        return Area(area.left, area.top, area.right, area.bottom)

    def style(self, row: int, column: int) -> Style:
        return self.base.style(column, row)

    def vocabulary(self, row: int, column: int) -> tuple[str, ...]:
        return self.base.vocabulary(column, row)

    def has_list(self, row: int, column: int) -> bool:
        return self.base.has_list(column, row)

    def listed(self, row: int) -> list[int]:
        return []

    def longest(self, row: int, column: int) -> int:
        return self.base.longest(column, row)

    def wants(self, row: int, column: int) -> str:
        return self.base.wants(column, row)

    def formula(self, row: int, column: int) -> bool:
        return self.base.formula(column, row)

    def written(self, row: int, column: int) -> bool:
        return self.base.written(column, row)

    def exists(self, row: int, column: int) -> bool:
        return self.base.exists(column, row)

    def usable(self, row: int, column: int) -> bool:
        return self.base.usable(column, row)

    @property
    def protected(self) -> bool:
        return self.base.protected

    @property
    def appendable(self) -> bool:
        return False
