"""CSV questionnaires (RFC 4180 and what programs make of it): read with field offsets, spliced field by field.

Byte order mark, encoding, delimiter, quoting and line ends of the customer's file stay as they are; only answer fields change.
Cells are named as a spreadsheet would: record 2, field 3 is C2. The one sheet is called `csv`.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from trustops.domain.errors import HostileFile, MalformedFile, Refused, UnknownName
from trustops.formats.questionnaires.address import position
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.intake import wide
from trustops.formats.questionnaires.typed import LONGEST, Value

SHEET = "csv"
MAX_FIELDS = 500_000
MAX_LENGTH = 200_000
DELIMITERS = ",;\t|"
MARKS = (("utf-8-sig", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"))
ANEW = "Save it as CSV UTF-8 and try again."


class Field(NamedTuple):
    """A field: its offsets in the text, quotes included, and its value."""

    start: int
    end: int
    value: str
    quoted: bool


@dataclass(slots=True)
class Document:
    """A decoded file. `mark` is its byte order mark; text and mark encode to exactly the bytes that were read."""

    file: str
    mark: bytes
    encoding: str
    text: str
    delimiter: str
    records: list[list[Field]] = field(default_factory=list)

    def grid(self) -> Grid:
        made = Grid(SHEET, 1)
        for number, record in enumerate(self.records, 1):
            line = {column: part.value.strip() for column, part in enumerate(record, 1) if part.value.strip()}
            if line:
                made.lines[number] = line
        return made

    def width(self, sheet: str) -> int:
        """The number of columns that hold text."""
        return self.grid().last_column()

    def spliced(self, values: list[Value]) -> bytes:
        """The file with the values in their fields. Raises Refused or UnknownName before anything is built."""
        return self.mark + _applied(self.text, self._edits(_admitted(self, values))).encode(self.encoding)

    def _edits(self, values: dict[tuple[int, int], Value]) -> list[tuple[int, int, str]]:
        edits, tails = [], dict[int, dict[int, str]]()
        for (row, column), value in values.items():
            record = self.records[row - 1]
            if column <= len(record):
                old = record[column - 1]
                edits.append((old.start, old.end, self._quoted(guarded(value.value), force=old.quoted)))
            else:
                tails.setdefault(row, {})[column] = self._quoted(guarded(value.value), force=bool(record) and record[-1].quoted)
        for row, added in tails.items():
            record, end = self.records[row - 1], self.records[row - 1][-1].end
            tail = "".join(self.delimiter + added.get(column, "") for column in range(len(record) + 1, max(added) + 1))
            edits.append((end, end, tail))
        return edits

    def _quoted(self, value: str, *, force: bool) -> str:
        special = force or any(sign in value for sign in (self.delimiter, '"', "\n", "\r")) or value != value.strip()
        return '"' + value.replace('"', '""') + '"' if special else value


def load(path: Path, like: Document | None = None) -> Document:
    """Decode and split a file, with the encoding and delimiter of `like` where that is given.

    Raises MalformedFile for text that no known encoding keeps, HostileFile above the cap.
    """
    data = path.read_bytes()
    mark, encoding = next(((mark, name) for name, mark in MARKS if data.startswith(mark)), (b"", ""))
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    body = data[len(mark) :]
    guesses = [encoding] if encoding else _unmarked(body)
    text, encoding = _decoded(body, guesses) if like is None else (_decoded(body, [like.encoding], sure=True)[0], like.encoding)
    if "\0" in text or text.encode(encoding) != body:
        raise MalformedFile("The text is in no encoding that can be kept.", where=path.name, remedy=ANEW)
    made = Document(path.name, mark, encoding, text, like.delimiter if like else _delimiter(text))
    made.records = split(text, made.delimiter)
    return made


def _unmarked(body: bytes) -> list[str]:
    """The encodings to try where no mark says it."""
    name = wide(body[:4_000]) if len(body) % 2 == 0 else ""
    return [name] if name else ["utf-8", "gb18030", "cp1252", "latin-1"]


def _decoded(body: bytes, encodings: list[str], *, sure: bool = False) -> tuple[str, str]:
    for name in encodings:
        try:
            text = body.decode(name)
        except UnicodeDecodeError:
            continue
        if name != "gb18030" or sure or _looks_chinese(text):
            return text, name
    raise MalformedFile("The text is in no encoding that can be kept.", where="csv", remedy=ANEW)


def _looks_chinese(text: str) -> bool:
    """Western text also decodes as GB 18030, but to rare signs between Latin letters."""
    wide = [character for character in text if ord(character) > 127]
    common = sum(
        1
        for character in wide
        if "\u4e00" <= character <= "\u9fa5" or "\u3000" <= character <= "\u303f" or "\uff00" <= character <= "\uffef"
    )
    return common >= 0.9 * len(wide) and any(a > "\u2fff" and b > "\u2fff" for a, b in pairwise(text))


def _delimiter(text: str) -> str:
    """The delimiter that splits the first records most evenly into more than one field; one that leaves a quote open comes after them."""
    sample = text[:20_000]

    def evenness(delimiter: str) -> tuple[float, int]:
        try:
            records = split(sample, delimiter, whole=sample == text)
        except MalformedFile:
            return (0.0, 1)  # before those that split nothing, so that a file with an open quote is refused and not read as one column
        widths = [len(record) for record in records[:50]]
        common = max(set(widths), key=widths.count) if widths else 1
        return (widths.count(common) / len(widths), common) if common > 1 else (0.0, 0)

    return max(DELIMITERS, key=evenness)


class _Ends:
    """Where the next delimiter, LF and CR stand. A file without CR is not searched for one again at each field."""

    def __init__(self, text: str, delimiter: str) -> None:
        self.text, self.delimiter = text, delimiter
        self.field = self.line = self.back = -1

    def after(self, start: int) -> int:
        text, length = self.text, len(self.text)
        if self.field < start:
            self.field = text.find(self.delimiter, start) % (length + 1)  # -1, for none, becomes the text's end
        if self.line < start:
            self.line = text.find("\n", start) % (length + 1)
        if self.back < start:
            self.back = text.find("\r", start) % (length + 1)
        return min(self.field, self.line, self.back)


def split(text: str, delimiter: str, *, whole: bool = True) -> list[list[Field]]:
    """Records of fields with their offsets. A quote inside an unquoted field is an ordinary character; `whole` is False for a sample."""
    records: list[list[Field]] = [[]]
    ends = _Ends(text, delimiter)
    place, count = 0, 0
    if whole and text.count(delimiter) > MAX_FIELDS and '"' not in text:
        raise _too_many()
    while place < len(text) or (records[-1] and text[place - 1 : place] == delimiter):
        part = _quoted_field(text, place, ends, whole=whole) if text[place : place + 1] == '"' else _plain_field(text, place, ends)
        records[-1].append(part)
        count, place = count + 1, part.end
        if count > MAX_FIELDS:
            raise _too_many()
        if whole and len(part.value) > MAX_LENGTH:
            raise HostileFile(f"A field has more than {MAX_LENGTH:,} characters.", where=f"csv, record {len(records)}", remedy=ANEW)
        if text[place : place + 1] == delimiter:
            place += 1
        elif place < len(text):
            place += 2 if text.startswith("\r\n", place) else 1
            records.append([])
            continue
        else:
            break
    return records if records[-1] else records[:-1]


def _too_many() -> HostileFile:
    return HostileFile(f"The file has more than {MAX_FIELDS:,} fields.", where="csv", remedy="Delete unused rows.")


def _plain_field(text: str, start: int, ends: _Ends) -> Field:
    end = ends.after(start)
    return Field(start, end, text[start:end], False)


def _quoted_field(text: str, start: int, ends: _Ends, *, whole: bool) -> Field:
    place = start + 1
    while True:
        place = text.find('"', place)
        if place < 0 and not whole:
            return Field(start, len(text), text[start + 1 :], True)
        if place < 0:
            raise MalformedFile("A quoted field has no end.", where=f"csv, character {start}", remedy=ANEW)
        if text[place + 1 : place + 2] != '"':
            break
        place += 2
    tail = _plain_field(text, place + 1, ends)
    return Field(start, tail.end, text[start + 1 : place].replace('""', '"') + tail.value, True)


def _admitted(document: Document, values: list[Value]) -> dict[tuple[int, int], Value]:
    found: dict[tuple[int, int], Value] = {}
    for value in values:
        check(document, value)
        place = position(value.cell)
        if place in found:
            raise Refused("Two answers are for one cell.", where=f"{document.file}, cell {value.cell}", remedy="Keep one of them.")
        found[place] = value
    return found


def check(document: Document, value: Value) -> None:
    """Raises Refused or UnknownName where the value may not stand in its cell."""
    where = f"{document.file}, cell {value.cell}"
    place = position(value.cell)
    if value.sheet != SHEET or place[0] > len(document.records) or place[1] > 1000:
        raise UnknownName("The file has no such record.", where=where, remedy=f"Its one sheet is called {SHEET!r}.")
    if len(value.value) > LONGEST:
        raise Refused(f"The answer has {len(value.value):,} characters; a cell takes {LONGEST:,}.", where=where, remedy="Shorten it.")
    if "\0" in value.value:
        raise Refused("The answer holds a NUL, which no CSV can.", where=where, remedy="Take it out of the answer.")
    try:
        value.value.encode(document.encoding)
    except UnicodeEncodeError as error:
        sign = value.value[error.start]
        raise Refused(
            f"The file is in {document.encoding}, which has no {sign!r} (U+{ord(sign):04X}).", where=where, remedy="Write it otherwise."
        ) from None


def guarded(value: str) -> str:
    """The value as no spreadsheet runs it: an apostrophe before = + - @ tab and CR, full-width forms too. Numbers stay numbers."""
    bare = unicodedata.normalize("NFKC", value.lstrip(" \u00a0\u3000"))
    risky = value[:1] in ("\t", "\r") or bare[:1] in ("=", "+", "-", "@", "\t", "\r")
    return "'" + value if risky and not _is_number(value) else value


def _is_number(value: str) -> bool:
    plain = value.strip().rstrip("%").strip()
    try:
        float(plain)
    except ValueError:
        return False
    return all(character in "+-.0123456789eE" for character in plain)


def _applied(text: str, edits: list[tuple[int, int, str]]) -> str:
    pieces, place = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[place:start], new]
        place = end
    return "".join([*pieces, text[place:]])


def compare(original: Document, exported: Document, places: set[tuple[int, int]]) -> dict[str, Any]:
    """Put the original's fields back at the places and get the original text. Raises Refused where that fails."""
    records = exported.records
    edits = []
    for row, column in places:
        if row > min(len(records), len(original.records)) or column > len(records[row - 1]):
            continue
        known, new = original.records[row - 1], records[row - 1][column - 1]
        if column <= len(known):
            edits.append((new.start, new.end, original.text[known[column - 1].start : known[column - 1].end]))
    for row in {row for row, _ in places if row <= len(records)}:
        tail, width = records[row - 1], len(original.records[row - 1])
        added = range(width + 1, len(tail) + 1)
        if added and all((row, column) in places or not tail[column - 1].value for column in added):
            edits.append((tail[width - 1].end, tail[-1].end, ""))
    if original.mark != exported.mark or _applied(exported.text, edits) != original.text:
        raise Refused("The file differs outside the answer cells.", where=exported.file, remedy="Export again from the original.")
    same = original.text == exported.text
    return {"identical": int(same), "changed": [] if same else [original.file]}
