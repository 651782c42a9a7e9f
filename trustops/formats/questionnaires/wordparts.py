"""The parts of a Word document as the scanner finds them: content controls, paragraphs, cells, tables, each with its byte offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trustops.formats.questionnaires.archive import Archive


@dataclass(slots=True)
class Control:
    """A content control (`w:sdt`). `inner` is the content between its `sdtContent` tags; `block` where that holds paragraphs."""

    start: int
    end: int = 0
    inner: tuple[int, int] = (0, 0)
    kind: str = "text"
    members: list[str] = field(default_factory=list)
    placeholder: tuple[int, int] = (0, 0)  # the `showingPlcHdr` element
    checked: tuple[int, int] = (0, 0)  # the `checked` element of a check box
    sign: str = "\u2612"
    font: str = ""
    on: bool = False
    block: bool = False
    locked: bool = False
    at: tuple[int, int] = (0, 0)  # where its text stands in the paragraph's text
    style: tuple[int, int] = (0, 0)  # the run properties of its first run


@dataclass(slots=True)
class Paragraph:
    """A `w:p`: `start` to `head` is its start tag, `body` to `tail` its content behind the properties, `tail` to `end` its end tag."""

    start: int
    head: int
    body: int
    tail: int = 0
    end: int = 0
    text: str = ""
    style: str = ""
    numbered: bool = False
    bold: bool = False
    mark: tuple[int, int] = (0, 0)  # the run properties of the paragraph mark, which a new run takes over
    controls: list[Control] = field(default_factory=list)
    around: Control | None = None
    number: int = 0

    @property
    def rooms(self) -> list[Control]:
        """The control around the paragraph, then those inside, in order."""
        return [*([self.around] if self.around else []), *self.controls]


@dataclass(slots=True)
class Cell:
    """A `w:tc`, by the grid columns that it covers."""

    column: int
    span: int = 1
    merge: str = ""
    fill: str = ""
    paragraphs: list[Paragraph] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(p.text for p in self.paragraphs if p.text.strip()).strip()

    @property
    def controls(self) -> list[Control]:
        found: list[Control] = []
        for paragraph in self.paragraphs:
            found += [control for control in paragraph.rooms if not any(control is known for known in found)]
        return found


@dataclass(slots=True)
class Table:
    """A `w:tbl`; `rows` holds the cells that stand, without deleted rows. Nested tables are tables of their own."""

    number: int
    rows: list[list[Cell]] = field(default_factory=list)
    outer: int = 0
    heading: str = ""


@dataclass(slots=True)
class Document:
    """A scanned document: its paragraphs outside tables in order, its tables in order of their beginnings."""

    archive: Archive
    part: str
    data: bytes
    prefix: str = "w:"
    paragraphs: list[Paragraph] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    flow: list[Paragraph | Table] = field(default_factory=list)
    hidden: int = 0
    deleted_rows: int = 0
    tracked: int = 0
    boxes: int = 0
    grids: Sequence[object] = ()  # the tables as `wordgrid` sees them
