"""A customer's file as what carries answers back: check one value, make the answered bytes, prove them. One class a format."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from trustops.domain.errors import Refused, UnknownName, UsageError
from trustops.formats.questionnaires import (
    csvfile,
    headers,
    intake,
    jsonfile,
    jsonforms,
    jsonsplice,
    pdffile,
    reading,
    splice,
    unsplice,
    word,
    wordgrid,
    wordparts,
    wordsplice,
    workbook,
)
from trustops.formats.questionnaires.address import address, position
from trustops.formats.questionnaires.archive import rewrite
from trustops.formats.questionnaires.typed import LONGEST, Value

DIFFERS = "The file differs outside the answer cells."


class Carrier(Protocol):
    """What `writing` asks of a format."""

    def check(self, value: Value) -> None:
        """Raises Refused or UnknownName where the value may not stand in its cell."""

    def place(self, value: Value) -> object:
        """The place that the value would take; two values for one place are one too many."""

    def replaced(self, value: Value) -> str:
        """What the customer's file says in the cell, which the value would replace."""

    def spliced(self, values: list[Value]) -> bytes:
        """The answered file. Raises Refused or UnknownName before anything is built."""

    def compare(self, exported: Path, values: list[Value]) -> dict[str, Any]:
        """`{identical, changed}`. Raises Refused for any difference outside the values' cells."""


def open_file(path: Path) -> Carrier:
    """The carrier of an admitted file."""
    made: Carrier = CARRIERS[intake.admit(path)](path)
    return made


def _addressed(values: Sequence[Value]) -> None:
    for value in values:
        try:
            position(value.cell)
        except ValueError:
            raise UnknownName(f"{value.cell!r} is no cell.", where=f"sheet {value.sheet!r}", remedy="Give it as in B7.") from None


def _headers(path: Path, values: list[Value], beyond: set[str]) -> list[Value]:
    """Headers for answer columns that the file does not have yet, where a value stands in such a column."""
    if not beyond:
        return []
    try:
        made = reading.parse({"path": str(path)})["tables"]
    except UsageError:  # a mapping by hand found what structure does not
        return []
    word_ = str(headers.catalogue()["appended_header"])
    places = [
        (t["sheet"], address(t["header"], t["answers"][0]["column"]))
        for t in made
        if t.get("appended") and t.get("header") and t["sheet"] in beyond
    ]
    return [Value(sheet, cell, word_) for sheet, cell in places if not any((v.sheet, v.cell) == (sheet, cell) for v in values)]


class XlsxCarrier:
    """A workbook."""

    def __init__(self, path: Path) -> None:
        self.path, self.book = path, workbook.load(path)

    def check(self, value: Value) -> None:
        _addressed([value])
        splice.check(self.book, value)

    def place(self, value: Value) -> object:
        entry = self.book.entry(value.sheet)
        return value.sheet, splice.anchor(self.book.scan(entry), *position(value.cell)) if entry else value.cell

    def replaced(self, value: Value) -> str:
        entry = self.book.entry(value.sheet)
        scan = self.book.scan(entry) if entry else None
        cell = scan.cell(*splice.anchor(scan, *position(value.cell))) if scan else None
        return cell.text.strip() if cell else ""

    def spliced(self, values: list[Value]) -> bytes:
        _addressed(values)
        return splice.workbook_bytes(self.book, values + self._headers(values))[0]

    def compare(self, exported: Path, values: list[Value]) -> dict[str, Any]:
        _addressed(values)
        targets = {(value.sheet, *position(value.cell)) for value in values + self._headers(values)}
        identical, changed = unsplice.compare(self.book, intake.open_archive(exported), targets)
        return {"identical": identical, "changed": changed}

    def _headers(self, values: list[Value]) -> list[Value]:
        widths = {name: self._width(name) for name in {value.sheet for value in values}}
        return _headers(self.path, values, {v.sheet for v in values if position(v.cell)[1] > widths[v.sheet]})

    def _width(self, name: str) -> int:
        entry = self.book.entry(name)
        rows = self.book.scan(entry).rows.values() if entry and entry.state != "chart" else ()
        return max((column for row in rows for column, cell in row.cells.items() if cell.text), default=0)


class CsvCarrier:
    """A text file of records."""

    def __init__(self, path: Path) -> None:
        self.path, self.document = path, csvfile.load(path)

    def check(self, value: Value) -> None:
        _addressed([value])
        csvfile.check(self.document, value)

    def place(self, value: Value) -> object:
        return position(value.cell)

    def replaced(self, value: Value) -> str:
        row, column = position(value.cell)
        return self.document.grid().text(row, column)

    def spliced(self, values: list[Value]) -> bytes:
        _addressed(values)
        return self.document.spliced(values + self._headers(values))

    def compare(self, exported: Path, values: list[Value]) -> dict[str, Any]:
        _addressed(values)
        places = {position(value.cell) for value in values + self._headers(values)}
        return csvfile.compare(self.document, csvfile.load(exported, like=self.document), places)

    def _headers(self, values: list[Value]) -> list[Value]:
        width = self.document.width(csvfile.SHEET)
        return _headers(self.path, values, {v.sheet for v in values if position(v.cell)[1] > width})


class DocxCarrier:
    """A Word document."""

    def __init__(self, path: Path) -> None:
        self.document = word.load(path)

    def check(self, value: Value) -> None:
        self._signed()
        wordsplice.admit(self.document, self._slot(self.document, value), value)

    def place(self, value: Value) -> object:
        slot = self._slot(self.document, value)
        return slot.control.start if slot.control else slot.paragraph.start

    def replaced(self, value: Value) -> str:
        return self._slot(self.document, value).known

    def spliced(self, values: list[Value]) -> bytes:
        self._signed()
        for value in values:
            self._slot(self.document, value)
        part = wordsplice.spliced(self.document, values)
        changed = {self.document.part: part} if part != self.document.data else {}
        return rewrite(self.document.archive, changed)

    def compare(self, exported: Path, values: list[Value]) -> dict[str, Any]:
        before, after = self.document, word.load(exported)
        names = before.archive.names()
        changed = [name for name in names if name not in after.archive.entries or before.archive.read(name) != after.archive.read(name)]
        raw = all(before.archive.raw(name) == after.archive.raw(name) for name in names if name not in changed)
        if names != after.archive.names() or not raw or set(changed) - {before.part}:
            raise Refused(DIFFERS, where=exported.name, remedy="Export again from the original.")
        if changed and wordsplice.undone(before, after, [(value.sheet, value.cell) for value in values]) != before.data:
            raise Refused(DIFFERS, where=f"{exported.name}, {before.part}", remedy="Export again from the original.")
        return {"identical": len(names) - len(changed), "changed": changed}

    def _slot(self, document: wordparts.Document, value: Value) -> wordsplice.Slot:
        try:
            wordgrid.split(value.cell)
        except ValueError:
            raise UnknownName(f"{value.cell!r} is no cell.", where=value.sheet, remedy="Give it as in B7.") from None
        return wordsplice.slot(document, value.sheet, value.cell)

    def _signed(self) -> None:
        splice.refuse_signed(self.document.archive)


class JsonCarrier:
    """A JSON questionnaire."""

    def __init__(self, path: Path) -> None:
        self.document = jsonfile.load(path)
        self.form = jsonforms.read(self.document)

    def check(self, value: Value) -> None:
        jsonsplice.target(self.document, self.form, value)

    def place(self, value: Value) -> object:
        return value.cell

    def replaced(self, value: Value) -> str:
        return ""

    def spliced(self, values: list[Value]) -> bytes:
        return jsonsplice.spliced(self.document, self.form, values)

    def compare(self, exported: Path, values: list[Value]) -> dict[str, Any]:
        after = jsonfile.load(exported)
        if not jsonsplice.undone(self.document, self.form, after, values):
            raise Refused(DIFFERS, where=exported.name, remedy="Export again from the original.")
        same = after.text == self.document.text
        return {"identical": int(same), "changed": [] if same else [self.document.file]}


class PdfCarrier:
    """A PDF: never written; a companion workbook carries the answers."""

    def __init__(self, path: Path) -> None:
        self.listed = pdffile.read(path)
        self.cells = {asked.answers[0].cell for asked in self.listed.asked}

    def check(self, value: Value) -> None:
        if value.sheet != pdffile.SHEET or value.cell not in self.cells:
            raise UnknownName("The companion workbook has no such answer cell.", where=value.cell, remedy="Parse the file anew.")
        if len(value.value) > LONGEST:
            raise Refused(
                f"The answer has {len(value.value):,} characters; a cell takes {LONGEST:,}.", where=value.cell, remedy="Shorten it."
            )

    def place(self, value: Value) -> object:
        return value.cell

    def replaced(self, value: Value) -> str:
        return ""

    def spliced(self, values: list[Value]) -> bytes:
        for value in values:
            self.check(value)
        return pdffile.companion(self.listed, values)

    def compare(self, exported: Path, values: list[Value]) -> dict[str, Any]:
        """Everything but the answers' cells is what a companion without answers would hold."""
        places = {value.cell for value in values}
        plain, found = (self._cells(book) for book in (_loaded(pdffile.companion(self.listed, []), exported), workbook.load(exported)))
        if {cell: text for cell, text in found.items() if cell not in places} != plain:
            raise Refused(DIFFERS, where=exported.name, remedy="Export again from the original.")
        return {"identical": 0, "changed": [exported.name]}

    def _cells(self, book: workbook.Workbook) -> dict[str, str]:
        rows = book.scan(book.sheets[0]).rows.items()
        return {address(number, column): cell.text for number, row in rows for column, cell in row.cells.items()}


def _loaded(data: bytes, beside: Path) -> workbook.Workbook:
    with tempfile.NamedTemporaryFile(dir=beside.parent, suffix=".xlsx") as scratch:
        scratch.write(data)
        scratch.flush()
        return workbook.load(Path(scratch.name))


CARRIERS: dict[str, type[Any]] = {"xlsx": XlsxCarrier, "csv": CsvCarrier, "docx": DocxCarrier, "json": JsonCarrier, "pdf": PdfCarrier}
