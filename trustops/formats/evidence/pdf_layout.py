"""From positioned runs of text to lines: paragraphs unwrapped, cells of a row kept together, words joined across hyphens.

Runs come in the file's own order, which producers write cell by cell or line by line; the rules below hold for both.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

_BULLET = re.compile(r"[•◦▪●‣·–*-]")
_NUMBER = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]")
_OPEN = re.compile(r"(?:,|\b(?:a|an|and|are|be|by|for|from|in|is|of|on|or|that|the|to|was|were|which|with))$")
"""Ends of a line that no sentence and no item of a list has."""

_PREFIXES = "multi self non cross third two one single least need role real long short high low well end anti co sub"
_KEPT_HYPHEN = frozenset(_PREFIXES.split())
SOFT_HYPHEN = "\u00ad"
_SOFT_HYPHENS = "\x02\ufffe\u00ad"
_GRID = 4.0
"""Points within which two edges count as one."""

_LONGEST_CELL = 6
"""Lines from which on text beside other text is a column of the page and no cell of a table."""

_RAGGED = 0.08
"""Share of the line's length that may stay empty although the next word seemed to fit: words differ in width."""

_NEXT_LINE = 1.6
"""Line pitch in box heights below which a line goes on; the rows of a table and paragraphs stand further apart."""


@dataclass(frozen=True, slots=True)
class Run:
    """Some text of one font on one line. Coordinates in points, upwards; `height` is the font's, not the letters'."""

    text: str
    left: float
    right: float
    bottom: float
    height: float
    concealed: bool = False


@dataclass(slots=True)
class Cell:
    text: str
    left: float
    last: Run
    lines: int = 1


@dataclass(slots=True)
class Row:
    """One or more cells; a paragraph is a row of one."""

    cells: list[Cell] = field(default_factory=list)
    top: float = 0.0
    bottom: float = 0.0
    height: float = 0.0
    marker: str = ""

    @property
    def text(self) -> str:
        body = " | ".join(" ".join(cell.text.split()) for cell in self.cells)
        return f"{self.marker}{body}"


def rows_of(runs: Sequence[Run], words: Counter[str]) -> list[Row]:
    """The rows of one page. `words` counts the document's words, to tell a word cut at the line's end from a hyphenated one."""
    page = _Page(runs)
    rows: list[Row] = []
    for run in runs:
        if not (rows and _joined(rows[-1], run, page, words)):
            rows.append(_begun(run))
    return [row for row in rows if row.text.strip(" -|")]


class _Page:
    """Answers questions about a run's neighbours without going through the whole page, which may hold thousands."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._right = max((run.right for run in runs), default=0.0)
        self._lines: dict[int, list[Run]] = defaultdict(list)
        self._columns: dict[int, float] = defaultdict(float)
        for run in runs:
            self._lines[round(run.bottom / _GRID)].append(run)
            column = round(run.left / _GRID)
            self._columns[column] = max(self._columns[column], run.right)

    def margin(self, run: Run) -> float:
        """How far right a line at this place may reach: its column's longest line where something stands beside it, else the page's."""
        line, column = round(run.bottom / _GRID), round(run.left / _GRID)
        beside = any(each.left >= run.right for near in (line - 1, line, line + 1) for each in self._lines.get(near, ()))
        return max(self._columns.get(near, 0.0) for near in (column - 1, column, column + 1)) if beside else self._right


def _begun(run: Run) -> Row:
    mark = run.text.strip()
    row = Row(top=run.bottom + run.height, bottom=run.bottom, height=run.height)
    if _BULLET.fullmatch(mark):
        row.marker = "- "
    elif _NUMBER.fullmatch(mark):
        row.marker = f"{mark} "
    else:
        found = re.match(r"[•◦▪●‣]\s*", run.text)
        row.marker = "- " if found else ""
        text = run.text[found.end() :] if found else run.text
        row.cells.append(Cell(text, run.left, run))
        return row
    row.cells.append(Cell("", run.left, run))
    return row


def _joined(row: Row, run: Run, page: _Page, words: Counter[str]) -> bool:
    """Adds the run to the row where it belongs to it; says whether it did."""
    cell = row.cells[-1]
    if _same_line(cell.last, run) and run.left >= cell.last.left:
        gap = run.left - cell.last.right
        if not cell.text or gap < 0.8 * run.height:
            _append(cell, run, " " if gap > 0.1 * run.height else "", words)
            cell.left = cell.left if cell.text != run.text else run.left
            return True
    if _new_cell(row, run):
        row.cells.append(Cell(run.text, run.left, run))
        return True
    wrapped = _wrapped(row, run, page)
    if wrapped:
        _append(wrapped, run, " ", words)
        wrapped.lines += 1
        row.bottom = min(row.bottom, run.bottom)
    return wrapped is not None


def _same_line(last: Run, run: Run) -> bool:
    return abs(last.bottom - run.bottom) < 0.35 * max(last.height, run.height)


def _new_cell(row: Row, run: Run) -> bool:
    if row.cells[-1].lines > _LONGEST_CELL:
        return False
    inside = run.bottom >= row.bottom - 0.35 * run.height and run.bottom + run.height <= row.top + 0.35 * run.height
    return inside and run.left > max(cell.last.right for cell in row.cells) and run.left > row.cells[-1].left + run.height


def _wrapped(row: Row, run: Run, page: _Page) -> Cell | None:
    """The cell that this run continues on its next line, if any.

    Back at the first cell of a row of several, a new row is the safer reading: a row cut in two loses a neighbour, two rows in one
    would mix their subjects.
    """
    for position, cell in enumerate(row.cells):
        pitch = cell.last.bottom - run.bottom
        near = 0 < pitch <= _NEXT_LINE * max(cell.last.height, run.height)
        alike = abs(cell.last.height - run.height) <= 0.08 * run.height and cell.last.concealed == run.concealed
        aligned = abs(cell.left - run.left) < (0.5 if len(row.cells) > 1 else 2.5) * run.height
        if near and alike and aligned and not (position == 0 and len(row.cells) > 1):
            return cell if len(row.cells) > 1 or _goes_on(cell, run, page) else None
    return None


def _goes_on(cell: Cell, run: Run, page: _Page) -> bool:
    """A line was broken because the next word did not fit; where it would have fitted, the author ended the line."""
    ended = cell.text.rstrip()
    if not ended or ended[-1] in _SOFT_HYPHENS or (re.match(r"[a-z]", run.text) and ended[-1] not in ".!?:;"):
        return True
    numbered = _NUMBER.match(run.text) and abs(run.left - cell.left) < run.height / 2
    if numbered or (_BULLET.match(run.text) and run.text[0] not in "–-"):
        return False
    if _OPEN.search(ended):
        return True
    first = run.text.split()[0] if run.text.split() else ""
    margin = page.margin(cell.last)
    slack = margin - cell.last.right - (run.right - run.left) / max(len(run.text), 1) * (len(first) + 1)
    return slack <= (0 if ended[-1] in ".!?:;" else _RAGGED * (margin - cell.left))


def _append(cell: Cell, run: Run, space: str, words: Counter[str]) -> None:
    cell.text = joined(cell.text, run.text, space, words)
    cell.last = run


def joined(above: str, below: str, space: str, words: Counter[str]) -> str:
    """Two pieces of a sentence; a word cut by a hyphen is put together again, a hyphenated one keeps its hyphen."""
    head = above.rstrip()
    soft = bool(head) and head[-1] in _SOFT_HYPHENS
    cut = re.search(r"([^\W\d_]+)[-\x02\ufffe\u00ad]$", head)
    tail = re.match(r"[a-z]+", below)
    if cut and tail:
        whole, hyphenated = (cut[1] + tail[0]).lower(), f"{cut[1]}-{tail[0]}".lower()
        keep = words[hyphenated] > words[whole] or (words[whole] == 0 and (cut[1].lower() in _KEPT_HYPHEN))
        return head[:-1] + ("-" if keep else "") + below
    if soft:
        return head[:-1] + "-" + below
    if cut:
        return head + below
    return f"{above}{space}{below}"


def unwrapped(lines: Sequence[str], words: Counter[str]) -> list[str]:
    """Paragraphs out of bare lines, for text without positions: a long line that ends no sentence goes on."""
    longest = max((len(line) for line in lines), default=0)
    made: list[str] = []
    open_line = False
    for line in (each.strip() for each in lines):
        if made and line and open_line:
            made[-1] = joined(made[-1], line, " ", words)
        elif line:
            made.append(line)
        open_line = bool(line) and len(line) > 0.7 * longest and line[-1] not in ".!?:;"
    return made
