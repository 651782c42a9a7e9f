"""Formulas of a sheet, read only where a question depends on one: the text of a cell's formula, what it tests, and what it would show.

Nothing is calculated but IF over plain comparisons, and texts that are a literal, a cell, or an exact VLOOKUP. Everything else is left as
words for a person (ECMA-376 part 1, 18.17).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trustops.formats.questionnaires import markup
from trustops.formats.questionnaires.address import address, area, column_number, position
from trustops.formats.questionnaires.grid import SheetGrid

LONGEST = 2_000
MAX_GROUPS = 32
MAX_UP = 2_000
REFERENCE = r"(?:(?:'(?P<quoted>(?:[^']|'')+)'|(?P<sheet>[\w.\u0080-\uffff]+))!)?\$?(?P<column>[A-Za-z]{1,3})\$?(?P<row>\d{1,7})"
CELL = re.compile(rf"\s*{REFERENCE}\s*$")
TEST = re.compile(r'\s*(?P<left>[^=<>]+?)\s*(?P<sign>=|<>)\s*(?P<right>"(?:[^"]|"")*"|[^=<>"]+?)\s*$')
RELATIVE = re.compile(r"(?<![\w$.])(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![\w(])")
CALL = re.compile(r"\s*(?:_xlfn\.)?(?P<name>[A-Z]+)\((?P<inside>.*)\)\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Need:
    """A comparison of a cell with a text, as in `domain.question.AnswerNeeded`."""

    sheet: str
    cell: str
    value: str
    negated: bool = False

    def turned(self) -> Need:
        return Need(self.sheet, self.cell, self.value, not self.negated)


Groups = tuple[tuple[Need, ...], ...]


class _TooMany(Exception):
    """A test with more alternatives than anybody writes; it is told in words only."""


class Formulas:
    """The formulas of one sheet, each read when it is asked for."""

    def __init__(self, grid: SheetGrid) -> None:
        self.grid = grid
        self.data = grid.book.archive.read(grid.entry.part) if grid.book and grid.entry else b""

    def text(self, row: int, column: int) -> str:
        """The formula without its equals sign; one that several cells share is moved to this cell. Empty where there is none."""
        text, shared = self._own(row, column)
        if text or not shared:
            return text[:LONGEST]
        for above in range(row - 1, max(0, row - MAX_UP), -1):
            master, name = self._own(above, column)
            if name == shared and master:
                return _moved(master, row - above)[:LONGEST]
        return ""

    def _own(self, row: int, column: int) -> tuple[str, str]:
        """(text, number of the shared formula) of the cell's own element."""
        cell = self.grid.scan.cell(row, column)
        found, shared = [""], [""]
        if not cell or not cell.formula:
            return "", ""

        def start(name: str, attributes: dict[str, str]) -> None:
            if name == "f" and attributes.get("t") == "shared":
                shared[0] = attributes.get("si", "")

        def end(name: str, text: str) -> None:
            if name == "f":
                found[0] = text.strip()

        markup.walk(self.data[cell.start : cell.end], self.grid.name, start, end)
        return found[0], shared[0]

    # -- what it means ------------------------------------------------------------------------------------------------

    def condition(self, text: str) -> tuple[Groups | None, str]:
        """(when the formula shows something, the expression that it then shows). None where it always does, or it cannot be told."""
        try:
            return self._condition(text)
        except (_TooMany, RecursionError):
            return None, text

    def _condition(self, text: str) -> tuple[Groups | None, str]:
        inner = _call(text, "IF")
        if inner is None or len(inner) not in (2, 3):
            return None, text
        test, then, other = inner[0], inner[1], inner[2] if len(inner) == 3 else '""'
        groups = self._groups(test)
        if groups is None or _blank(then) == _blank(other):
            return None, text
        taken, shown = (_turned(groups), other) if _blank(then) else (groups, then)
        deeper, shown = self._condition(shown)
        return (taken if deeper is None else _both(taken, deeper)), shown

    def _groups(self, test: str) -> Groups | None:
        """A test as alternatives of comparisons."""
        for name in ("AND", "OR"):
            inner = _call(test, name)
            if inner is not None:
                parts = [self._groups(part) for part in inner]
                if any(part is None for part in parts):
                    return None
                known = [part for part in parts if part is not None]
                return _every(known) if name == "AND" else tuple(group for part in known for group in part)
        inner = _call(test, "NOT")
        if inner is not None and len(inner) == 1:
            groups = self._groups(inner[0])
            return None if groups is None else _turned(groups)
        inner = _call(test, "ISBLANK")
        return self._comparison(f'{inner[0]}=""' if inner is not None and len(inner) == 1 else test)

    def _comparison(self, test: str) -> Groups | None:
        found = TEST.match(" ".join(test.split()))
        if not found:
            return None
        left, right = found["left"], found["right"]
        if not CELL.match(left):
            left, right = right, left
        where, value = self.place(left), literal(right)
        if where is None or value is None:
            return None
        return ((Need(*where, value, found["sign"] == "<>"),),)

    def place(self, reference: str) -> tuple[str, str] | None:
        """(sheet, cell) of a reference."""
        found = CELL.match(reference)
        if not found or not column_number(found["column"]):
            return None
        name = (found["quoted"] or "").replace("''", "'") or found["sheet"] or self.grid.name
        return name, address(int(found["row"]), column_number(found["column"]))

    def shown(self, expression: str) -> str:
        """The text that an expression gives, where that needs no calculation."""
        value = literal(expression) if expression.strip().startswith('"') else None
        if value is not None:
            return value
        where = self.place(expression)
        if where:
            return self.value(*where)
        inner = _call(expression, "VLOOKUP")
        return self._looked_up(inner) if inner is not None and len(inner) == 4 else ""

    def value(self, sheet: str, cell: str) -> str:
        """What a cell of the workbook shows."""
        entry = self.grid.book.entry(sheet) if self.grid.book else None
        if not entry or not self.grid.book or entry.state == "chart":
            return ""
        found = self.grid.book.scan(entry).cell(*position(cell))
        return found.text.strip() if found else ""

    def _looked_up(self, inner: list[str]) -> str:
        key, place = self.place(inner[0]), inner[2].strip()
        sheet, _, reference = inner[1].strip().rpartition("!")
        name = sheet.strip("'").replace("''", "'") or self.grid.name
        entry = self.grid.book.entry(name) if self.grid.book else None
        if not key or not entry or not self.grid.book or not place.isdigit() or inner[3].strip().upper() not in ("FALSE", "0"):
            return ""
        try:
            where = area(reference)
        except ValueError:
            return ""
        wanted = self.value(*key).casefold()
        for row in self.grid.book.scan(entry).rows.values():
            first, found = row.cells.get(where.left), row.cells.get(where.left + int(place) - 1)
            if wanted and first and found and where.top <= row.number <= where.bottom and first.text.strip().casefold() == wanted:
                return found.text.strip()
        return ""


def literal(text: str) -> str | None:
    """The value of a constant, as a cell would show it; None for anything else."""
    plain = text.strip()
    if len(plain) > 1 and plain[0] == plain[-1] == '"' and '"' not in plain[1:-1].replace('""', ""):
        return plain[1:-1].replace('""', '"')
    if plain.upper() in ("TRUE", "FALSE"):
        return plain.upper()
    return plain if plain.replace(".", "", 1).isdigit() else None


def _blank(expression: str) -> bool:
    return (literal(expression) or "").strip() == "" and literal(expression) is not None


def _call(text: str, name: str) -> list[str] | None:
    """The arguments of a call of the function that is the whole expression."""
    found = CALL.match(text.strip().lstrip("="))
    if not found or found["name"] != name:
        return None
    return _arguments(found["inside"])


def _arguments(inside: str) -> list[str] | None:
    """Split at commas outside brackets and quotes; None where the brackets do not close in order."""
    found, depth, quote = [""], 0, ""
    for sign in inside:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        else:
            depth += (sign in "({") - (sign in ")}")
            if depth < 0:
                return None
            if sign in ",;" and not depth:
                found.append("")
                continue
        found[-1] += sign
    return found if not depth and not quote else None


def _both(one: Groups, other: Groups) -> Groups:
    if len(one) * len(other) > MAX_GROUPS:
        raise _TooMany
    return tuple((*a, *b) for a in one for b in other)


def _every(parts: list[Groups]) -> Groups:
    made: Groups = ((),)
    for part in parts:
        made = _both(made, part)
    return made


def _turned(groups: Groups) -> Groups:
    """The opposite of the alternatives (De Morgan)."""
    return _every([tuple((need.turned(),) for need in group) for group in groups])


def _moved(text: str, rows: int) -> str:
    """A shared formula as it stands `rows` below its master, in the same column."""
    pieces = text.split('"')
    for place in range(0, len(pieces), 2):  # between quotes nothing is a reference
        pieces[place] = RELATIVE.sub(lambda m: m[0] if m[3] else f"{m[1]}{m[2]}{int(m[4]) + rows}", pieces[place])
    return '"'.join(pieces)
