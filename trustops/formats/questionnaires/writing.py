"""What runs in the limited child to write and to compare: paths and values in, names of changed parts out (`confine.call`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from trustops.domain.errors import UnknownName
from trustops.formats.questionnaires import csvfile, headers, intake, reading, splice, unsplice, workbook
from trustops.formats.questionnaires.address import address, position
from trustops.formats.questionnaires.typed import Value
from trustops.formats.questionnaires.workbook import Workbook


def write(argument: dict[str, Any]) -> dict[str, Any]:
    """`{original, target, values}`: write the answered file to `target` and prove it. Gives `{identical, changed}`.

    Raises Refused before anything is written where one value may not stand in its cell.
    """
    original, target = Path(argument["original"]), Path(argument["target"])
    values = [Value(**value) for value in argument["values"]]
    _check_cells(values)
    if intake.admit(original) == "csv":
        document = csvfile.load(original)
        values += _headers(original, document.width, values)
        _store(target, document.spliced(values))
        return csvfile.compare(document, csvfile.load(target), _csv_places(values))
    book = workbook.load(original)
    values += _headers(original, partial(_width, book), values)
    _store(target, splice.workbook_bytes(book, values)[0])
    return _compare(book, workbook.load(target), values)


def compare(argument: dict[str, Any]) -> dict[str, Any]:
    """`{original, exported, cells: [[sheet, cell], ...]}` to `{identical, changed}`. Raises Refused for any other difference."""
    original, exported = Path(argument["original"]), Path(argument["exported"])
    values = [Value(sheet, cell, "") for sheet, cell in argument["cells"]]
    _check_cells(values)
    if intake.admit(original) == "csv":
        document = csvfile.load(original)
        values += _headers(original, document.width, values)
        return csvfile.compare(document, csvfile.load(exported), _csv_places(values))
    book = workbook.load(original)
    return _compare(book, workbook.load(exported), values + _headers(original, partial(_width, book), values))


def _check_cells(values: list[Value]) -> None:
    for value in values:
        try:
            position(value.cell)
        except ValueError:
            raise UnknownName(f"{value.cell!r} is no cell.", where=f"sheet {value.sheet!r}", remedy="Give it as in B7.") from None


def _compare(book: Workbook, exported: Workbook, values: list[Value]) -> dict[str, Any]:
    targets = {(value.sheet, *position(value.cell)) for value in values}
    identical, changed = unsplice.compare(book, exported, targets)
    return {"identical": identical, "changed": changed}


def _csv_places(values: list[Value]) -> set[tuple[int, int]]:
    return {position(value.cell) for value in values}


def _headers(original: Path, width: Callable[[str], int], values: list[Value]) -> list[Value]:
    """Headers for answer columns that the file does not have yet, where a value stands in such a column."""
    beyond = {value.sheet for value in values if position(value.cell)[1] > width(value.sheet)}
    if not beyond:
        return []
    made = reading.parse({"path": str(original)})["tables"]
    word = str(headers.catalogue()["appended_header"])
    places = [(t["sheet"], address(t["header"], t["answers"][0]["column"])) for t in made if t.get("appended") and t["sheet"] in beyond]
    return [Value(sheet, cell, word) for sheet, cell in places]


def _width(book: Workbook, name: str) -> int:
    entry = book.entry(name)
    return (
        max((column for row in book.scan(entry).rows.values() for column, cell in row.cells.items() if cell.text), default=0)
        if entry
        else 0
    )


def _store(target: Path, data: bytes) -> None:
    """Write and reach the disk before the caller renames."""
    with target.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
