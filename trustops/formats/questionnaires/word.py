"""The text of a Word document scanned once with expat: paragraphs, tables and content controls with their byte offsets.

The same scan serves the reader and the writer (ECMA-376 part 1, 17.3, 17.4, 17.5.2). Deleted and hidden text is not read; text
boxes are not looked into (`boxes` counts them). Old form fields (`w:ffData`) are read as the text that they show.
"""

from __future__ import annotations

from pathlib import Path

from trustops.domain.errors import HostileFile, MalformedFile
from trustops.formats.questionnaires import intake, markup
from trustops.formats.questionnaires.archive import Archive
from trustops.formats.questionnaires.markup import Attributes
from trustops.formats.questionnaires.wordparts import Cell, Control, Document, Paragraph, Table

MAX_TAGS = 3_000_000
MAX_DEPTH = 200
MAX_SPAN = 63  # as many columns as a Word table can have
ANEW = "Open it in its program, save it anew and try again."


def load(path: Path) -> Document:
    """Open an admitted docx file. Raises HostileFile or MalformedFile."""
    from trustops.formats.questionnaires.workbook import relations

    archive = intake.open_archive(path)
    parts = [target for kind, target in relations(archive, "").values() if kind == "officeDocument" and target in archive.entries]
    part = parts[0] if parts else "word/document.xml"
    if part not in archive.entries:
        raise MalformedFile("The zip file is not a Word document (it has no document part).", where=archive.file, remedy=ANEW)
    return scan(archive, part, archive.read(part))


def scan(archive: Archive, part: str, data: bytes) -> Document:
    """Scan the document part. Raises HostileFile above the limits."""
    if data.count(b"<") > MAX_TAGS:
        raise HostileFile("The document holds more elements than a questionnaire can.", where=archive.file, remedy=ANEW)
    return _Scanner(Document(archive, part, data)).run()


class _Scanner:
    def __init__(self, made: Document) -> None:
        self.made, self.data = made, made.data
        self.parser = markup.parser(f"{made.archive.file}, {made.part}")
        self.path: list[str] = []
        self.tables: list[Table] = []
        self.cells: list[list[Cell]] = []
        self.open_cells: list[Cell] = []
        self.paragraph: Paragraph | None = None
        self.controls: list[Control] = []
        self.text: list[str] = []
        self.length = self.off = self.silent = 0
        self.vanish = self.collect = self.run_bold = False
        self.bolds: list[bool] = []
        self.deleted_row = False

    def run(self) -> Document:
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._characters
        markup.run(self.parser, self.data, f"{self.made.archive.file}, {self.made.part}")
        return self.made

    # -- elements -----------------------------------------------------------------------------------------------------

    def _start(self, name: str, attributes: Attributes) -> None:
        local = markup.local(name)
        if not self.path:
            if local != "document":
                raise MalformedFile("The part is no Word document.", where=self.made.archive.file, remedy=ANEW)
            self.made.prefix = name[: -len(local)]
        self.path.append(local)
        if len(self.path) > MAX_DEPTH:
            raise HostileFile("The document nests its elements too deeply.", where=self.made.archive.file, remedy=ANEW)
        if local in ("txbxContent", "Fallback"):
            self.made.boxes += local == "txbxContent" and not self.off
            self.off += 1
        if self.off:
            return
        handler = STARTS.get(local)
        if handler and (name.startswith(self.made.prefix) or local in ("checked", "checkbox", "checkedState")):
            plain = {markup.local(key): value for key, value in attributes.items()}
            handler(self, plain)

    def _end(self, name: str) -> None:
        local = markup.local(name)
        handler = ENDS.get(local)
        if handler and not self.off and name.startswith(self.made.prefix):
            handler(self)
        if local in ("txbxContent", "Fallback"):
            self.off -= 1
        self.path.pop()

    def _characters(self, text: str) -> None:
        if self.collect and not self.off:
            self._say(text)

    def _say(self, text: str) -> None:
        if self.silent:
            return
        if self.vanish:
            self.made.hidden += bool(text.strip())
            return
        if self.paragraph:
            self.text.append(text)
            self.length += len(text)
            self.bolds.append(self.run_bold) if text.strip() else None

    def _tag_end(self, start: int) -> int:
        place, quote = start, 0
        while True:
            byte = self.data[place]
            if quote:
                quote = 0 if byte == quote else quote
            elif byte in b"\"'":
                quote = byte
            elif byte == 62:
                return place + 1
            place += 1

    def _span(self, name: str) -> tuple[int, int]:
        """Start and end of the end tag that is being handled; twice the end for an element that closes itself."""
        place = self.parser.CurrentByteIndex
        tag = b"</" + (self.made.prefix + name).encode()
        return (place, self.data.index(b">", place) + 1) if self.data.startswith(tag, place) else (place, place)

    def _here(self) -> tuple[int, int]:
        start = self.parser.CurrentByteIndex
        return start, self._tag_end(start)

    # -- paragraphs ---------------------------------------------------------------------------------------------------

    def _start_paragraph(self, _: Attributes) -> None:
        if self.paragraph:
            raise MalformedFile("A paragraph stands within another.", where=self.made.archive.file, remedy=ANEW)
        start, head = self._here()
        self.paragraph = made = Paragraph(start, head, head)
        self.text, self.bolds, self.length = [], [], 0
        made.around = next((control for control in reversed(self.controls) if control.block), None)
        if self.open_cells:
            self.open_cells[-1].paragraphs.append(made)
        else:
            self.made.paragraphs.append(made)
            self.made.flow.append(made)
            made.number = len(self.made.paragraphs)

    def _end_paragraph(self) -> None:
        made = self.paragraph
        if made:
            made.tail, made.end = self._span("p")
            made.text = "".join(self.text)
            made.bold = bool(self.bolds) and all(self.bolds)
        self.paragraph = None

    def _end_properties(self) -> None:
        if self.paragraph and self.path[-2] == "p":
            self.paragraph.body = self._span("pPr")[1]

    def _style(self, given: Attributes) -> None:
        if self.paragraph:
            self.paragraph.style = given.get("val", "")

    def _numbered(self, given: Attributes) -> None:
        if self.paragraph and given.get("val", "1") != "0":
            self.paragraph.numbered = True

    def _start_run_properties(self, _: Attributes) -> None:
        start, head = self._here()
        if self.paragraph and self.path[-2:] == ["pPr", "rPr"] and self.data[head - 2 : head] != b"/>":
            self.paragraph.mark = (start, 0)
        if self.controls and self.path[-2:] == ["r", "rPr"] and self.controls[-1].style == (0, 0) and self.controls[-1].inner[0]:
            self.controls[-1].style = (start, 0)

    def _end_run_properties(self) -> None:
        end = self._span("rPr")[1]
        if self.paragraph and self.path[-2:] == ["pPr", "rPr"] and self.paragraph.mark[0]:
            self.paragraph.mark = (self.paragraph.mark[0], end)
        if self.controls and self.path[-2:] == ["r", "rPr"] and self.controls[-1].style[0] and not self.controls[-1].style[1]:
            self.controls[-1].style = (self.controls[-1].style[0], end)

    def _start_run(self, _: Attributes) -> None:
        self.vanish = self.run_bold = False

    def _end_run(self) -> None:
        self.vanish = self.run_bold = False

    def _vanish(self, given: Attributes) -> None:
        self.vanish = self.path[-3:-1] == ["r", "rPr"] and given.get("val", "1") not in ("0", "false", "off")

    def _bold(self, given: Attributes) -> None:
        if self.path[-3:-1] == ["r", "rPr"]:
            self.run_bold = given.get("val", "1") not in ("0", "false", "off")

    def _start_text(self, _: Attributes) -> None:
        self.collect = True

    def _end_text(self) -> None:
        self.collect = False

    def _tab(self, _: Attributes) -> None:
        if self.path[-2] == "r":
            self._say("\t")

    def _break(self, _: Attributes) -> None:
        self._say("\n")

    def _gone(self, _: Attributes) -> None:
        """Deleted or moved away: as an element around runs, or as the mark of a deleted row."""
        self.made.tracked += 1
        if self.path[-2] == "trPr":
            self.deleted_row = True
        elif self.path[-2] != "rPr":
            self.silent += 1

    def _end_gone(self) -> None:
        if self.path[-2] not in ("trPr", "rPr"):
            self.silent -= 1

    def _came(self, _: Attributes) -> None:
        self.made.tracked += 1

    # -- tables -------------------------------------------------------------------------------------------------------

    def _start_table(self, _: Attributes) -> None:
        outer = self.tables[-1].number if self.tables else 0
        before = next((p.text.strip() for p in reversed(self.made.paragraphs) if p.text.strip()), "") if not outer else ""
        made = Table(len(self.made.tables) + 1, outer=outer, heading=before)
        self.made.tables.append(made)
        self.made.flow.append(made)
        self.tables.append(made)

    def _end_table(self) -> None:
        self.tables.pop()

    def _start_row(self, _: Attributes) -> None:
        self.cells.append([])

    def _end_row(self) -> None:
        row = self.cells.pop()
        if self.deleted_row:
            self.made.deleted_rows += 1
        elif self.tables:
            self.tables[-1].rows.append(row)
        self.deleted_row = False

    def _before(self, given: Attributes) -> None:
        if self.cells:
            self.cells[-1].append(Cell(1, _small(given.get("val")), "before"))

    def _start_cell(self, _: Attributes) -> None:
        if not self.cells:
            raise MalformedFile("A cell stands outside a row.", where=self.made.archive.file, remedy=ANEW)
        row = self.cells[-1]
        made = Cell(row[-1].column + row[-1].span if row else 1)
        row.append(made)
        self.open_cells.append(made)

    def _end_cell(self) -> None:
        self.open_cells.pop()

    def _grid_span(self, given: Attributes) -> None:
        if self.open_cells:
            self.open_cells[-1].span = max(1, _small(given.get("val")))

    def _merge(self, given: Attributes) -> None:
        if self.open_cells:
            self.open_cells[-1].merge = given.get("val", "continue")

    def _fill(self, given: Attributes) -> None:
        if self.open_cells and self.path[-2] == "tcPr" and given.get("fill", "auto").lower() not in ("auto", "ffffff"):
            self.open_cells[-1].fill = given["fill"].upper()

    # -- content controls ---------------------------------------------------------------------------------------------

    def _start_control(self, _: Attributes) -> None:
        self.controls.append(Control(self.parser.CurrentByteIndex, block=self.paragraph is None, at=(self.length, self.length)))

    def _end_control(self) -> None:
        made = self.controls.pop()
        made.end = self._span("sdt")[1]
        made.at = (made.at[0], self.length)
        if self.paragraph and not made.block:
            self.paragraph.controls.append(made)

    def _start_content(self, _: Attributes) -> None:
        if self.controls:
            self.controls[-1].inner = (self._here()[1], 0)

    def _end_content(self) -> None:
        if self.controls:
            self.controls[-1].inner = (self.controls[-1].inner[0], self._span("sdtContent")[0])

    def _control_kind(self, _: Attributes) -> None:
        if self.controls and self.path[-2] == "sdtPr":
            self.controls[-1].kind = {"checkbox": "tick", "date": "date", "picture": "other", "group": "other"}.get(self.path[-1], "choice")

    def _member(self, given: Attributes) -> None:
        word = given.get("displayText", given.get("value", "")).strip()
        if self.controls and word and given.get("value", word).strip() and len(self.controls[-1].members) < 500:
            self.controls[-1].members.append(word)

    def _placeholder(self, given: Attributes) -> None:
        if self.controls and given.get("val", "1") not in ("0", "false", "off"):
            self.controls[-1].placeholder = self._here()

    def _checked(self, given: Attributes) -> None:
        if self.controls:
            self.controls[-1].checked, self.controls[-1].on = self._here(), given.get("val", "1") in ("1", "true", "on")

    def _checked_state(self, given: Attributes) -> None:
        code = given.get("val", "2612")
        if self.controls and len(code) <= 5 and all(sign in "0123456789abcdefABCDEF" for sign in code):
            self.controls[-1].sign, self.controls[-1].font = chr(int(code, 16)), given.get("font", "")

    def _lock(self, given: Attributes) -> None:
        if self.controls:
            self.controls[-1].locked = given.get("val", "") in ("contentLocked", "sdtContentLocked")


def _small(value: str | None) -> int:
    return min(int(value), MAX_SPAN) if value and value.isascii() and value.isdigit() and len(value) < 6 else 0


S = _Scanner
STARTS = {
    "p": S._start_paragraph, "pStyle": S._style, "numId": S._numbered, "rPr": S._start_run_properties, "r": S._start_run,
    "vanish": S._vanish, "b": S._bold, "t": S._start_text, "tab": S._tab, "br": S._break, "cr": S._break, "del": S._gone,
    "moveFrom": S._gone, "ins": S._came, "tbl": S._start_table, "tr": S._start_row, "tc": S._start_cell, "gridBefore": S._before,
    "gridSpan": S._grid_span, "vMerge": S._merge, "shd": S._fill, "sdt": S._start_control, "sdtContent": S._start_content,
    "dropDownList": S._control_kind, "comboBox": S._control_kind, "date": S._control_kind, "picture": S._control_kind,
    "group": S._control_kind, "checkbox": S._control_kind, "listItem": S._member, "showingPlcHdr": S._placeholder,
    "checked": S._checked, "checkedState": S._checked_state, "lock": S._lock,
}  # fmt: skip
ENDS = {
    "p": S._end_paragraph, "pPr": S._end_properties, "rPr": S._end_run_properties, "r": S._end_run, "t": S._end_text, "del": S._end_gone,
    "moveFrom": S._end_gone, "tbl": S._end_table, "tr": S._end_row, "tc": S._end_cell, "sdt": S._end_control,
    "sdtContent": S._end_content,
}  # fmt: skip
