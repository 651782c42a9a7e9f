"""Cell addresses and ranges in A1 notation (ECMA-376 part 1, 18.18.7 and 18.18.63). Rows and columns count from 1."""

from __future__ import annotations

from typing import NamedTuple

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384


class Area(NamedTuple):
    """A rectangle of cells, ends included. It is compared and cut, never walked: N1:XFD1048576 has 17 thousand million cells."""

    top: int
    left: int
    bottom: int
    right: int

    def covers(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right


def letters(column: int) -> str:
    """28 -> AB."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def address(row: int, column: int) -> str:
    """(7, 28) -> AB7."""
    return f"{letters(column)}{row}"


def column_number(name: str) -> int:
    """AB -> 28; 0 for what is no column."""
    number = 0
    for letter in name.upper():
        if not "A" <= letter <= "Z" or number > MAX_COLUMN:
            return 0
        number = number * 26 + ord(letter) - 64
    return number if number <= MAX_COLUMN else 0


def position(cell: str) -> tuple[int, int]:
    """AB7 or $AB$7 -> (7, 28). Raises ValueError for anything else."""
    plain = cell.replace("$", "")
    digits = plain.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    column = column_number(plain[: len(plain) - len(digits)])
    row = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 8 else 0
    if not column or not 1 <= row <= MAX_ROW:
        raise ValueError(f"{cell!r} is no cell")
    return row, column


def area(reference: str) -> Area:
    """B3:B6, $B$3, B:B or 3:6 as a rectangle. Raises ValueError for anything else."""
    first, _, last = reference.replace("$", "").partition(":")
    last = last or first
    if column_number(first) and column_number(last):
        return Area(1, column_number(first), MAX_ROW, column_number(last))
    if first.isdigit() and last.isdigit():
        return Area(int(first), 1, int(last), MAX_COLUMN)
    (top, left), (bottom, right) = position(first), position(last)
    return Area(min(top, bottom), min(left, right), max(top, bottom), max(left, right))


def areas(sqref: str) -> tuple[Area, ...]:
    """The rectangles of a `sqref` (ECMA-376 part 1, 18.18.76); a part that is no range is left out."""
    found = []
    for part in sqref.split():
        try:
            found.append(area(part))
        except ValueError:
            continue
    return tuple(found)
