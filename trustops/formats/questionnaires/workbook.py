"""The workbook around its sheets: names, order, states, defined names, tables, shared strings, styles (ECMA-376 part 1, 18.2)."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from pathlib import Path

from trustops.domain.errors import HostileFile, MalformedFile
from trustops.formats.questionnaires import intake, markup, sheet
from trustops.formats.questionnaires import styles as formats
from trustops.formats.questionnaires.archive import Archive

MAX_STRINGS = 1_000_000
MAX_CELLS = 600_000
ANEW = "Open it in its program, save it anew and try again."


@dataclass(slots=True)
class SheetEntry:
    """A sheet as the workbook lists it. `number` counts from 1 in the order of the tabs."""

    name: str
    number: int
    state: str
    part: str


@dataclass(slots=True)
class Workbook:
    """An admitted workbook, its sheets scanned on demand."""

    archive: Archive
    part: str
    sheets: list[SheetEntry]
    names: dict[tuple[int | None, str], str] = field(default_factory=dict)
    tables: dict[str, tuple[str, str, list[str]]] = field(default_factory=dict)
    strings: list[str] = field(default_factory=list)
    styles: list[formats.Style] = field(default_factory=list)
    scans: dict[str, sheet.Scan] = field(default_factory=dict)
    since_1904: bool = False

    def entry(self, name: str) -> SheetEntry | None:
        return next((entry for entry in self.sheets if entry.name == name), None)

    def scan(self, entry: SheetEntry) -> sheet.Scan:
        """The sheet's scan, made once. Raises HostileFile when the sheets together hold too many cells."""
        if entry.name not in self.scans:
            where = f"{self.archive.file}, sheet {entry.name!r}"
            self.scans[entry.name] = sheet.scan(self.archive.read(entry.part), where, self.strings)
            if sum(len(row.cells) for known in self.scans.values() for row in known.rows.values()) > MAX_CELLS:
                raise HostileFile(f"The workbook has more than {MAX_CELLS:,} cells.", where=self.archive.file, remedy="Delete unused rows.")
        return self.scans[entry.name]

    def style(self, number: int) -> formats.Style:
        return self.styles[number] if 0 <= number < len(self.styles) else formats.PLAIN


def load(path: Path) -> Workbook:
    """Open an admitted xlsx file. Raises HostileFile or MalformedFile."""
    archive = intake.open_archive(path)
    part = _main_part(archive)
    targets = relations(archive, part)
    made = Workbook(archive, part, [])
    _read_main(archive.read(part), part, made, targets)
    for kind, target in targets.values():
        if kind == "sharedStrings" and target in archive.entries:
            made.strings = shared_strings(archive.read(target))
        elif kind == "styles" and target in archive.entries:
            made.styles = formats.read(archive.read(target))
    if not made.sheets:
        raise MalformedFile("The workbook has no sheet.", where=archive.file, remedy=ANEW)
    _read_tables(made)
    return made


def relations(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """Relations of a part by id: kind (last step of the type) and the member's name. External targets are left out."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", name + ".rels")
    found: dict[str, tuple[str, str]] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            member = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found[attributes.get("Id", "")] = (attributes.get("Type", "").rpartition("/")[2], member)

    if path in archive.entries:
        markup.walk(archive.read(path), path, start)
    return found


def _main_part(archive: Archive) -> str:
    for kind, target in relations(archive, "").values():
        if kind == "officeDocument" and target in archive.entries:
            return target
    if "xl/workbook.xml" in archive.entries:
        return "xl/workbook.xml"
    raise MalformedFile("The zip file is not a workbook (it has no workbook part).", where=archive.file, remedy=intake.SUPPORTED)


def _read_main(data: bytes, part: str, made: Workbook, targets: dict[str, tuple[str, str]]) -> None:
    pending: list[tuple[int | None, str]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet":
            _add_sheet(made, attributes, targets)
        elif tag == "workbookPr":
            made.since_1904 = attributes.get("date1904", "0") in ("1", "true")
        elif tag == "definedName":
            scope = attributes.get("localSheetId", "")
            pending.append((int(scope) + 1 if scope.isdigit() else None, attributes.get("name", "").lower()))

    def end(tag: str, text: str) -> None:
        if tag == "definedName" and pending:
            made.names[pending.pop()] = text.strip()

    markup.walk(data, part, start, end)


def _add_sheet(made: Workbook, attributes: dict[str, str], targets: dict[str, tuple[str, str]]) -> None:
    name, state = attributes.get("name", ""), attributes.get("state", "visible")
    kind, part = targets.get(attributes.get("id", ""), ("", ""))
    if part not in made.archive.entries:
        raise MalformedFile("A sheet points outside the file or to nothing.", where=f"{made.archive.file}, sheet {name!r}", remedy=ANEW)
    if any(entry.name.lower() == name.lower() or entry.part == part for entry in made.sheets):
        raise HostileFile("Two sheets share a name or a part.", where=f"{made.archive.file}, sheet {name!r}", remedy=ANEW)
    made.sheets.append(SheetEntry(name, len(made.sheets) + 1, state if kind == "worksheet" else "chart", part))


def _read_tables(made: Workbook) -> None:
    """Tables by name, so that a list such as Choices[Answer] can be resolved."""
    for entry in made.sheets:
        for kind, target in relations(made.archive, entry.part).values():
            if kind != "table" or target not in made.archive.entries:
                continue
            columns: list[str] = []
            head: dict[str, str] = {}

            def start(tag: str, attributes: dict[str, str], columns: list[str] = columns, head: dict[str, str] = head) -> None:
                if tag == "table":
                    head.update(attributes)
                elif tag == "tableColumn":
                    columns.append(attributes.get("name", ""))

            markup.walk(made.archive.read(target), target, start)
            made.tables[head.get("displayName", head.get("name", "")).lower()] = (entry.name, head.get("ref", ""), columns)


def shared_strings(data: bytes) -> list[str]:
    """The shared strings in order, rich text joined and phonetic hints left out (18.4)."""
    found: list[str] = []
    text: list[str] = []
    phonetic = [0]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "si":
            text.clear()
        elif tag == "rPh":
            phonetic[0] += 1

    def end(tag: str, content: str) -> None:
        if tag == "t" and not phonetic[0]:
            text.append(markup.unescape(content))
        elif tag == "rPh":
            phonetic[0] -= 1
        elif tag == "si":
            found.append("".join(text))

    if data.count(b"<") > 6 * MAX_STRINGS:
        raise HostileFile("The workbook has more than a million texts.", where="shared strings", remedy="Delete unused rows.")
    markup.walk(data, "shared strings", start, end)
    return found
