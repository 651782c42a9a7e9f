"""One sheet part, scanned once with expat: every cell with its byte offsets, and what the layout needs to know around them.

The same scan serves the reader and the writer (ECMA-376 part 1, 18.3.1). `<dimension>` is noted for the writer and never
believed; ranges are kept as rectangles and never walked.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field

from trustops.domain.errors import HostileFile, MalformedFile
from trustops.formats.questionnaires import markup
from trustops.formats.questionnaires.address import MAX_COLUMN, MAX_ROW, Area, address, areas, column_number

MAX_CELLS = 500_000
MAX_TAGS = 2_500_000
MAX_AREAS = 50_000
AFTER = b"> \t\r\n"
COLUMNS: dict[str, int] = {}  # column names met so far; bounded by the 16,384 that there are
ANEW = "Open it in its program, save it anew and try again."


@dataclass(slots=True)
class Cell:
    """A `<c>` element. `start` and `end` are its byte offsets in the part."""

    start: int
    style: int = 0
    type: str = "n"
    end: int = 0
    text: str = ""
    formula: bool = False


@dataclass(slots=True)
class Row:
    """A `<row>` element: `start` to `head` is its start tag, `head` to `tail` its content, `tail` to `end` its end tag."""

    number: int
    start: int
    hidden: bool = False
    spans: str = ""
    head: int = 0
    tail: int = 0
    end: int = 0
    cells: dict[int, Cell] = field(default_factory=dict)


@dataclass(slots=True)
class Validation:
    """A data validation, classic or of the 2009 extension (x14)."""

    type: str
    areas: tuple[Area, ...]
    formula: str
    operator: str = "between"
    second: str = ""


@dataclass(slots=True)
class Scan:
    """What one sheet part holds."""

    prefix: str = ""
    rows: dict[int, Row] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    validations: list[Validation] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    column_styles: list[tuple[int, int, int]] = field(default_factory=list)
    protected: bool = False
    dimension: tuple[int, int, str] | None = None
    data: tuple[int, int, int] = (0, 0, 0)  # <sheetData> tag start, content start, content end

    def cell(self, row: int, column: int) -> Cell | None:
        line = self.rows.get(row)
        return line.cells.get(column) if line else None


def scan(data: bytes, part: str, strings: list[str]) -> Scan:
    """Scan a sheet part. Raises HostileFile above the limits and MalformedFile where cells repeat or run backwards."""
    if data.count(b"<") > MAX_TAGS or data.count(b"<c ") + data.count(b"<c/") + data.count(b"<c>") > MAX_CELLS:
        raise HostileFile("The sheet holds more elements than a questionnaire can.", where=part, remedy="Delete unused rows and columns.")
    collecting = gc.isenabled()
    gc.disable()  # a hundred thousand small objects that all stay: looking for garbage among them costs a third of the time
    try:
        return _Scanner(data, part, strings).run()
    finally:
        if collecting:
            gc.enable()


class _Scanner:
    def __init__(self, data: bytes, part: str, strings: list[str]) -> None:
        self.bytes, self.part, self.strings = data, part, strings
        self.found = Scan()
        self.row: Row | None = None
        self.cell: Cell | None = None
        self.number = self.column = self.cells = self.phonetic = 0
        self.text: list[str] = []
        self.collect = False
        self.digits, self.cut = "", 0
        self.validation: Validation | None = None
        self.parser = markup.parser(part)

    def run(self) -> Scan:
        parser = self.parser
        parser.StartElementHandler = self._root
        parser.CharacterDataHandler = self._characters
        markup.run(parser, self.bytes, self.part)
        return self.found

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        if markup.local(name) not in ("worksheet", "chartsheet", "dialogsheet", "macrosheet"):
            raise MalformedFile("The part is no sheet.", where=self.part, remedy=ANEW)
        self.found.prefix = p = name[: -len(markup.local(name))]
        self.starts = {
            p + "row": self._start_row,
            p + "v": self._gather,
            p + "t": self._gather,
            p + "f": self._formula,
        }
        self.ends = {p + "row": self._end_row, p + "v": self._value, p + "t": self._value}
        self.others = {
            "mergeCell": self._merge, "dataValidation": self._start_validation, "col": self._col, "sheetProtection": self._protection,
            "dimension": self._dimension, "sheetData": self._sheet_data, "rPh": self._phonetic,
            "formula1": self._gather, "formula2": self._gather, "sqref": self._gather,
        }  # fmt: skip
        self.other_ends = {
            "dataValidation": self._end_validation, "formula1": self._formula1, "formula2": self._formula2, "sqref": self._sqref,
            "sheetData": self._end_data,
            "rPh": self._end_phonetic, "dimension": self._end_dimension,
        }  # fmt: skip
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._on_start(), self._on_end()

    def _on_start(self) -> Callable[[str, dict[str, str]], None]:
        """The handler of start tags. Nine of ten elements are cells, so cells come first and without a call more than needed."""
        name_of_cell, known, parser = self.found.prefix + "c", COLUMNS, self.parser
        starts, others, local = self.starts, self.others, markup.local

        def start(name: str, attributes: dict[str, str]) -> None:
            if name != name_of_cell:
                handler = starts.get(name) or others.get(local(name))
                if handler:
                    handler(attributes)
                return
            row, given = self.row, attributes.get("r", "")
            if row is None or self.cell is not None:
                raise self._fail("A cell stands outside a row, or within another cell.")
            column = known.get(given[: self.cut], 0) if given[self.cut :] == self.digits else 0
            column = column or self._place(given)
            if not self.column < column <= MAX_COLUMN:
                raise self._fail("A cell stands twice or out of order.", address(self.number, column))
            style = attributes.get("s", "0")
            self.cell = row.cells[column] = cell = Cell(parser.CurrentByteIndex, int(style) if style.isdigit() else 0)
            if "t" in attributes:
                cell.type = attributes["t"]
            self.column = column
            if self.text:
                self.text.clear()

        return start

    def _on_end(self) -> Callable[[str], None]:
        """The handler of end tags."""
        name_of_cell, closing = self.found.prefix + "c", b"</" + self.found.prefix.encode() + b"c"
        parser, data, ends, other_ends, local = self.parser, self.bytes, self.ends, self.other_ends, markup.local

        def end(name: str) -> None:
            if name != name_of_cell:
                handler = ends.get(name) or other_ends.get(local(name))
                if handler:
                    handler()
                return
            cell, place = self.cell, parser.CurrentByteIndex
            if cell is not None:
                paired = data.startswith(closing, place) and data[place + len(closing)] in AFTER
                cell.end = data.index(b">", place) + 1 if paired else place
                if cell.text:
                    cell.text = self._resolve(cell)
                self.cell = None

        return end

    def _characters(self, text: str) -> None:
        if self.collect:
            self.text.append(text)

    def _gather(self, attributes: dict[str, str]) -> None:
        self.text.clear()
        self.collect = self.phonetic == 0

    def _tag_end(self, start: int) -> int:
        """The offset behind the start tag at `start`; a `>` inside a quoted attribute does not count."""
        place, quote = start, 0
        while True:
            byte = self.bytes[place]
            if quote:
                quote = 0 if byte == quote else quote
            elif byte in b"\"'":
                quote = byte
            elif byte == 62:
                return place + 1
            place += 1

    def _element_end(self, name: str) -> tuple[int, int]:
        """Start and end of the end tag. For `<c/>` expat points behind it, for a pair at the start of `</c>`."""
        place = self.parser.CurrentByteIndex
        tag = b"</" + (self.found.prefix + name).encode()
        if self.bytes.startswith(tag, place) and self.bytes[place + len(tag) : place + len(tag) + 1] in (b">", b" ", b"\t", b"\r", b"\n"):
            return place, self.bytes.index(b">", place) + 1
        return place, place

    def _fail(self, what: str, cell: str = "") -> MalformedFile:
        return MalformedFile(what, where=f"{self.part}{', ' + cell if cell else ''}", remedy=ANEW)

    def _start_row(self, attributes: dict[str, str]) -> None:
        given = attributes.get("r", "")
        number = int(given) if given.isascii() and given.isdigit() and len(given) < 8 else (0 if given else self.number + 1)
        if not self.number < number <= MAX_ROW or self.row is not None:
            raise self._fail(f"Row {given or number} stands twice, out of order, within another, or is none.")
        start = self.parser.CurrentByteIndex
        self.number, self.column, self.digits = number, 0, str(number)
        self.cut = -len(self.digits)
        hidden = attributes.get("hidden", "0") in ("1", "true")
        self.row = Row(number, start, hidden, attributes.get("spans", ""), self._tag_end(start))
        self.found.rows[number] = self.row

    def _end_row(self) -> None:
        if self.row:
            self.cells += len(self.row.cells)
            if self.cells > MAX_CELLS:
                raise HostileFile(
                    f"The sheet has more than {MAX_CELLS:,} cells.", where=self.part, remedy="Delete unused rows and columns."
                )
            self.row.tail, self.row.end = self._element_end("row")
            self.row = None

    def _place(self, given: str) -> int:
        if not given:
            return self.column + 1
        name = given.rstrip("0123456789")
        column = column_number(name)
        if not column or given[len(name) :] != str(self.number):
            raise self._fail(f"A cell calls itself {given[:20]!r} in row {self.number}.")
        if name.isupper():
            COLUMNS[name] = column
        return column

    def _formula(self, attributes: dict[str, str]) -> None:
        if self.cell:
            self.cell.formula = True

    def _value(self) -> None:
        self.collect = False
        cell = self.cell
        if cell and not self.phonetic:
            cell.text += "".join(self.text)
        self.text.clear()

    def _resolve(self, cell: Cell) -> str:
        if cell.type == "s":
            index = int(cell.text) if cell.text.strip().isdigit() else -1
            if not 0 <= index < len(self.strings):
                raise self._fail("A cell points to a shared string that is not there.", address(self.number, self.column))
            return self.strings[index]
        if cell.type == "n":
            return _number(cell.text)
        if cell.type == "b":
            return "TRUE" if cell.text.strip() == "1" else "FALSE"
        return markup.unescape(cell.text)

    def _phonetic(self, attributes: dict[str, str]) -> None:
        self.phonetic += 1

    def _end_phonetic(self) -> None:
        self.phonetic -= 1

    def _merge(self, attributes: dict[str, str]) -> None:
        self.found.merges += areas(attributes.get("ref", ""))
        if len(self.found.merges) > MAX_AREAS:
            raise HostileFile("The sheet merges more cells than a questionnaire can.", where=self.part, remedy=ANEW)

    def _col(self, attributes: dict[str, str]) -> None:
        first, last = int(attributes.get("min", "1")), int(attributes.get("max", "1"))
        if attributes.get("hidden", "0") in ("1", "true"):
            self.found.hidden_columns.append((first, last))
        if attributes.get("style", "0").isdigit():
            self.found.column_styles.append((first, last, int(attributes.get("style", "0"))))

    def _protection(self, attributes: dict[str, str]) -> None:
        self.found.protected = attributes.get("sheet", "0") in ("1", "true")

    def _dimension(self, attributes: dict[str, str]) -> None:
        start = self.parser.CurrentByteIndex
        self.found.dimension = (start, self._tag_end(start), attributes.get("ref", ""))

    def _end_dimension(self) -> None:
        if self.found.dimension:
            start, _, reference = self.found.dimension
            self.found.dimension = (start, self._element_end("dimension")[1], reference)

    def _sheet_data(self, attributes: dict[str, str]) -> None:
        start = self.parser.CurrentByteIndex
        self.found.data = (start, self._tag_end(start), 0)

    def _end_data(self) -> None:
        self.found.data = (*self.found.data[:2], self._element_end("sheetData")[0])

    def _start_validation(self, attributes: dict[str, str]) -> None:
        self.validation = Validation(attributes.get("type", "none"), areas(attributes.get("sqref", "")), "")
        self.validation.operator = attributes.get("operator", "between")

    def _formula1(self) -> None:
        self.collect = False
        if self.validation and not self.validation.formula:
            self.validation.formula = "".join(self.text).strip()

    def _formula2(self) -> None:
        self.collect = False
        if self.validation and not self.validation.second:
            self.validation.second = "".join(self.text).strip()

    def _sqref(self) -> None:
        self.collect = False
        if self.validation:
            self.validation.areas = areas("".join(self.text))

    def _end_validation(self) -> None:
        if self.validation:
            self.found.validations.append(self.validation)
        self.validation = None
        if sum(len(known.areas) for known in self.found.validations[-200:]) > MAX_AREAS or len(self.found.validations) > MAX_AREAS:
            raise HostileFile("The sheet has more validation ranges than a questionnaire can.", where=self.part, remedy=ANEW)


def _number(text: str) -> str:
    """A number as a person reads it: 1.1000000000000001 is 1.1 and 3.0 is 3."""
    try:
        value = float(text)
    except ValueError:
        return text.strip()
    short = repr(value)
    return short[:-2] if short.endswith(".0") and abs(value) < 1e15 else short
