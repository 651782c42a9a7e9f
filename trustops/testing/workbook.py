"""Workbooks written from scratch for tests: layouts, x14 drop-downs, hidden parts, and files that mean harm.

`Book` writes plain zip and XML (ECMA-376 part 1), so that it can make what no library makes. `hostile()` gives the files that
have brought other readers down, each with the reason it must be refused or survived.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from xml.sax.saxutils import escape, quoteattr

PLAIN, BOLD, OPEN, DATE, HOURS, FILLED, OPEN_DATE = range(7)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
XM = "http://schemas.microsoft.com/office/excel/2006/main"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
STYLES = (
    HEAD + f'<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0&quot; h&quot;"/></numFmts>'
    '<fonts count="2"><font><sz val="11"/></font><font><b/><sz val="11"/></font></fonts>'
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FFE9EDF4"/></patternFill></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="7">'
    '<xf numFmtId="0" fontId="0" fillId="0"/><xf numFmtId="0" fontId="1" fillId="0"/>'
    '<xf numFmtId="0" fontId="0" fillId="0"><protection locked="0"/></xf><xf numFmtId="14" fontId="0" fillId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0"/><xf numFmtId="0" fontId="1" fillId="2"/>'
    '<xf numFmtId="14" fontId="0" fillId="0"><protection locked="0"/></xf></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


@dataclass(frozen=True)
class Formula:
    """A formula and the value that the customer's program cached."""

    text: str
    cached: str = ""


@dataclass(frozen=True)
class Rich:
    """A text in runs of different formats."""

    runs: tuple[str, ...]


Content = str | int | float | Formula | Rich | None


def split(cell: str) -> tuple[int, int]:
    """B7 -> (7, 2)."""
    name = cell.rstrip("0123456789")
    column = 0
    for letter in name:
        column = column * 26 + ord(letter) - 64
    return int(cell[len(name) :]), column


@dataclass
class Sheet:
    """One sheet to be written. Cells are given by address; `rows` fills a block."""

    name: str
    state: str = "visible"
    cells: dict[str, tuple[Content, int]] = field(default_factory=dict)
    merges: list[str] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[int] = field(default_factory=list)
    lists: list[tuple[str, str]] = field(default_factory=list)
    x14_lists: list[tuple[str, str]] = field(default_factory=list)
    limits: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    protected: bool = False
    dimension: str = ""
    spans: str = ""
    prefix: str = ""
    shared: bool = False

    def put(self, cell: str, content: Content, style: int = PLAIN) -> Self:
        self.cells[cell] = (content, style)
        return self

    def rows(self, first: int, lines: list[list[Content]], styles: Mapping[int, int] | None = None) -> Self:
        """Lines from row `first`, column A. None leaves no cell, "" leaves an empty one."""
        for number, line in enumerate(lines, first):
            for column, content in enumerate(line, 1):
                if content is not None:
                    self.put(f"{letters(column)}{number}", content, (styles or {}).get(column, PLAIN))
        return self

    def merge(self, *areas: str) -> Self:
        self.merges += areas
        return self

    def choose(self, where: str, formula: str) -> Self:
        """A drop-down list, classic."""
        self.lists.append((where, formula))
        return self

    def choose_x14(self, where: str, formula: str) -> Self:
        """A drop-down list of the 2009 extension, which openpyxl drops."""
        self.x14_lists.append((where, formula))
        return self

    def limit(self, where: str, kind: str, operator: str, first: str, second: str = "") -> Self:
        """A validation of another kind than a list: textLength, whole, decimal."""
        self.limits.append((where, kind, operator, first, second))
        return self

    def xml(self, strings: list[str]) -> str:
        p = f"{self.prefix}:" if self.prefix else ""
        space = f"xmlns{':' + self.prefix if self.prefix else ''}={quoteattr(MAIN)}"
        dimension = f'<{p}dimension ref="{self.dimension}"/>' if self.dimension else ""
        columns = "".join(f'<{p}col min="{c}" max="{c}" hidden="1"/>' for c in self.hidden_columns)
        lines: dict[int, list[tuple[int, str]]] = {number: [] for number in self.hidden_rows}
        for cell in self.cells:
            row, column = split(cell)
            lines.setdefault(row, []).append((column, cell))
        body = "".join(self._row(number, sorted(lines[number]), p, strings) for number in sorted(lines))
        protection = f'<{p}sheetProtection sheet="1"/>' if self.protected else ""
        merges = "".join(f'<{p}mergeCell ref="{area}"/>' for area in self.merges)
        return (
            f"{HEAD}<{p}worksheet {space}>{dimension}" + (f"<{p}cols>{columns}</{p}cols>" if columns else "")
            + f"<{p}sheetData>{body}</{p}sheetData>{protection}"
            + (f"<{p}mergeCells>{merges}</{p}mergeCells>" if merges else "") + self._validations(p) + f"</{p}worksheet>"
        )  # fmt: skip

    def _row(self, number: int, cells: list[tuple[int, str]], p: str, strings: list[str]) -> str:
        hidden = ' hidden="1"' if number in self.hidden_rows else ""
        spans = f' spans="{self.spans}"' if self.spans else ""
        inner = "".join(self._cell(cell, p, strings) for _, cell in cells)
        return f'<{p}row r="{number}"{spans}{hidden}>{inner}</{p}row>' if inner else f'<{p}row r="{number}"{spans}{hidden}/>'

    def _cell(self, cell: str, p: str, strings: list[str]) -> str:
        content, style = self.cells[cell]
        head = f'<{p}c r="{cell}"' + (f' s="{style}"' if style else "")
        if content is None or content == "":
            return head + "/>"
        if isinstance(content, Formula):
            return f'{head} t="str"><{p}f>{escape(content.text)}</{p}f><{p}v>{escape(content.cached)}</{p}v></{p}c>'
        if isinstance(content, Rich):
            runs = "".join(f'<{p}r><{p}rPr><{p}b/></{p}rPr><{p}t xml:space="preserve">{escape(run)}</{p}t></{p}r>' for run in content.runs)
            return f'{head} t="inlineStr"><{p}is>{runs}</{p}is></{p}c>'
        if not isinstance(content, str):
            return f"{head}><{p}v>{content}</{p}v></{p}c>"
        if self.shared:
            strings.append(content)
            return f'{head} t="s"><{p}v>{len(strings) - 1}</{p}v></{p}c>'
        return f'{head} t="inlineStr"><{p}is><{p}t xml:space="preserve">{escape(content)}</{p}t></{p}is></{p}c>'

    def _validations(self, p: str) -> str:
        classic = "".join(
            f'<{p}dataValidation type="list" sqref="{where}"><{p}formula1>{escape(formula)}</{p}formula1></{p}dataValidation>'
            for where, formula in self.lists
        )
        classic += "".join(
            f'<{p}dataValidation type="{kind}" operator="{operator}" sqref="{where}"><{p}formula1>{escape(first)}</{p}formula1>'
            + (f"<{p}formula2>{escape(second)}</{p}formula2>" if second else "") + f"</{p}dataValidation>"
            for where, kind, operator, first, second in self.limits
        )  # fmt: skip
        extended = "".join(
            f'<x14:dataValidation type="list"><x14:formula1><xm:f>{escape(formula)}</xm:f></x14:formula1>'
            f"<xm:sqref>{where}</xm:sqref></x14:dataValidation>"
            for where, formula in self.x14_lists
        )
        text = f"<{p}dataValidations>{classic}</{p}dataValidations>" if classic else ""
        if extended:
            text += (
                f'<{p}extLst><{p}ext uri="{{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}}" xmlns:x14="{X14}">'
                f'<x14:dataValidations xmlns:xm="{XM}">{extended}</x14:dataValidations></{p}ext></{p}extLst>'
            )
        return text


@dataclass
class Book:
    """A workbook to be written."""

    sheets: list[Sheet]
    names: dict[str, str] = field(default_factory=dict)
    extra: dict[str, bytes] = field(default_factory=dict)
    calculation: str = ""

    def members(self) -> dict[str, bytes]:
        """The zip members by name."""
        strings: list[str] = []
        made = {f"xl/worksheets/sheet{n}.xml": sheet.xml(strings).encode() for n, sheet in enumerate(self.sheets, 1)}
        made["xl/sharedStrings.xml"] = (
            HEAD + f'<sst xmlns="{MAIN}">' + "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in strings) + "</sst>"
        ).encode()
        made["xl/styles.xml"], made["xl/workbook.xml"] = STYLES.encode(), self._workbook().encode()
        made["xl/_rels/workbook.xml.rels"] = self._relations().encode()
        made["_rels/.rels"] = (
            f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
            f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ).encode()
        made["[Content_Types].xml"] = self._types().encode()
        return made | self.extra

    def bytes(self) -> bytes:
        return pack(self.members())

    def save(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path

    def _workbook(self) -> str:
        sheets = "".join(
            f'<sheet name={quoteattr(sheet.name)} sheetId="{n}" state="{sheet.state}" r:id="rId{n}"/>'
            for n, sheet in enumerate(self.sheets, 1)
        )
        names = "".join(f"<definedName name={quoteattr(name)}>{escape(value)}</definedName>" for name, value in self.names.items())
        named = f"<definedNames>{names}</definedNames>" if names else ""
        return f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{sheets}</sheets>{named}{self.calculation}</workbook>'

    def _relations(self) -> str:
        kinds = [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(self.sheets) + 1)]
        kinds += [("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")]
        body = "".join(f'<Relationship Id="rId{n}" Type="{OFFICE}/{kind}" Target="{target}"/>' for n, (kind, target) in enumerate(kinds, 1))
        return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{body}</Relationships>'

    def _types(self) -> str:
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
        parts = [(f"worksheets/sheet{n}", "worksheet") for n in range(1, len(self.sheets) + 1)]
        parts += [("workbook", "sheet.main"), ("styles", "styles"), ("sharedStrings", "sharedStrings")]
        body = "".join(f'<Override PartName="/xl/{part}.xml" ContentType="{kind}.{name}+xml"/>' for part, name in parts)
        return (
            f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{body}</Types>'
        )


def pack(members: Mapping[str, bytes]) -> bytes:
    """Members as a zip file with fixed dates."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as container:
        for name, data in members.items():
            container.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def letters(column: int) -> str:
    """28 -> AB."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def plain(questions: int = 5) -> Book:
    """The simplest questionnaire: Ref, Question, Response with a list, Comment."""
    sheet = Sheet("Security").rows(1, [["Ref", "Question", "Response", "Comment"]], {1: BOLD, 2: BOLD, 3: BOLD, 4: BOLD})
    for number in range(1, questions + 1):
        question = f"Do you protect the data of customers in way number {number}?"
        sheet.rows(number + 1, [[f"Q{number}", question, "", ""]], {3: OPEN, 4: OPEN})
    return Book([sheet.choose(f"C2:C{questions + 1}", '"Yes,No,N/A"')])


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'


def hostile() -> dict[str, Callable[[], bytes]]:
    """Files by the harm they do, made on demand; each must be refused with one clear sentence, in seconds."""
    part = "xl/worksheets/sheet1.xml"
    rows = (b"<row>" + b"<c/>" * 16_000 + b"</row>") * 60
    words = Book([Sheet("Notes").rows(1, [["Colour", "Size"], ["red", "large"], ["blue", "small"]])])
    return {
        "corner cells only": lambda: corner().bytes(),
        "not a zip": lambda: b"this is not a workbook at all",
        "encrypted": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 512,
        "empty": lambda: b"",
        "truncated": lambda: plain().bytes()[:900],
        "zip of something else": lambda: pack({"a.txt": b"hello"}),
        "zip bomb": lambda: pack(plain().members() | {"xl/media/zeros.bin": bytes(70 * 1024 * 1024)}),
        "whitespace bomb": lambda: _altered(part, b"<sheetData>", b" " * (63 * 1024 * 1024) + b"<sheetData>"),
        "endless text": lambda: _altered(part, b"Question", b"Which? " * 7_000_000),
        "cell flood": lambda: _altered(part, b"</sheetData>", rows + b"</sheetData>"),
        "entity bomb": lambda: _altered(part, HEAD.encode(), BOMB),
        "entity bomb in relations": lambda: _altered("_rels/.rels", HEAD.encode(), BOMB),
        "entity bomb in types": lambda: _altered("[Content_Types].xml", HEAD.encode(), BOMB),
        "member twice": lambda: pack(plain().members() | {part.replace("sheet1", "SHEET1"): b"<worksheet/>"}),
        "name leads outside": lambda: pack(plain().members() | {"../../evil.xml": b"<a/>"}),
        "bad utf-8": lambda: _altered(part, b"Question", b"Quest\xffion"),
        "nul": lambda: _altered(part, b"Question", b"Quest\0ion"),
        "utf-16": lambda: pack(plain().members() | {part: plain().members()[part].decode().replace("UTF-8", "UTF-16").encode("utf-16")}),
        "dangling string": lambda: _altered(part, b'r="B2" t="inlineStr"', b'r="B2" t="s"'),
        "row zero": lambda: _altered(part, b'<row r="1"', b'<row r="0"'),
        "row twice": lambda: _altered(part, b'<row r="3"', b'<row r="2"'),
        "no question": words.bytes,
        "sheet outside": lambda: _altered("xl/_rels/workbook.xml.rels", b"worksheets/sheet1", b"../../etc/x"),
    }


def _altered(name: str, old: bytes, new: bytes) -> bytes:
    """The plain questionnaire with one change in one member."""
    members = plain().members()
    return pack(members | {name: members[name].replace(old, new)})


def corner() -> Book:
    """Two cells, a thousand million square kilometres apart."""
    return Book([Sheet("S", dimension="A1:XFD1048576").put("A1", "x").put("XFD1048576", "y")])


def survivable() -> dict[str, Book]:
    """Odd but honest files, in which the five questions of `plain` must be found."""
    far = plain()
    far.sheets[0].put("XFD1048576", "", FILLED)
    lie = plain()
    lie.sheets[0].dimension = "A1:L1048576"
    short = plain()
    short.sheets[0].dimension = "A1:A1"
    wide = plain()
    wide.sheets[0].choose("N1:XFD1048576", '"a,b"')
    merged = plain()
    merged.sheets[0].merge("H1:XFD1048576")
    return {"far cell": far, "dimension lie": lie, "dimension too small": short, "wide validation": wide, "wide merge": merged}
