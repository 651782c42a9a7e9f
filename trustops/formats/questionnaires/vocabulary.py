"""The members of a drop-down list: a literal list, a range, a defined name or a table column (ECMA-376 part 1, 18.3.1.32)."""

from __future__ import annotations

from trustops.formats.questionnaires.address import Area, area
from trustops.formats.questionnaires.workbook import SheetEntry, Workbook

MAX_MEMBERS = 500
TICKS = frozenset(["x", "1", "true", "yes", "y", "on", "checked", "\u2713", "\u2714", "\u2611", "\u2612"])


def ticked(value: str) -> bool:
    """Whether a value says that a box is ticked."""
    return value.strip().casefold() in TICKS


def members(book: Workbook, home: SheetEntry, formula: str, depth: int = 0) -> tuple[str, ...]:
    """The list's members in order, or nothing where the formula cannot be resolved without calculating (INDIRECT, OFFSET)."""
    plain = formula.strip().lstrip("=")
    if plain.startswith('"') and plain.endswith('"') and len(plain) > 1:
        return tuple(word.strip() for word in plain[1:-1].replace('""', '"').split(",") if word.strip())
    if not plain or depth > 5:
        return ()
    where = _range(book, home, plain)
    if where:
        return _values(book, *where)
    for scope in (home.number, None):
        named = book.names.get((scope, plain.rpartition("!")[2].lower()))
        if named:
            return members(book, home, named, depth + 1)
    return _table(book, plain)


def _range(book: Workbook, home: SheetEntry, plain: str) -> tuple[SheetEntry, Area] | None:
    sheet, _, reference = plain.rpartition("!")
    name = sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet
    entry = book.entry(name) if sheet else home
    try:
        return (entry, area(reference)) if entry else None
    except ValueError:
        return None


def _values(book: Workbook, entry: SheetEntry, where: Area) -> tuple[str, ...]:
    """The texts of the cells that exist in the range; its size does not matter."""
    if entry.state == "chart":
        return ()
    rows = book.scan(entry).rows
    found = [
        cell.text.strip()
        for number, row in rows.items()
        if where.top <= number <= where.bottom
        for column, cell in row.cells.items()
        if where.left <= column <= where.right and cell.text.strip()
    ]
    return tuple(found) if len(found) <= MAX_MEMBERS else ()


def _table(book: Workbook, plain: str) -> tuple[str, ...]:
    name, _, column = plain.replace('INDIRECT("', "").replace('")', "").partition("[")
    known = book.tables.get(name.lower())
    if not known:
        return ()
    sheet, reference, columns = known
    place = columns.index(column.rstrip("]")) if column.rstrip("]") in columns else 0
    entry, whole = book.entry(sheet), area(reference)
    if not entry:
        return ()
    return _values(book, entry, Area(whole.top + 1, whole.left + place, whole.bottom, whole.left + place))
