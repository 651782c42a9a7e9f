"""Word documents, read from their XML: python-docx alone misses content controls and tracked inserts, and shows hidden text as normal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile

import docx
from docx.opc.exceptions import PackageNotFoundError
from lxml import etree

from trustops.domain.errors import MalformedFile
from trustops.formats.evidence.blocks import Block, Extraction, Notice, line_of, row_line, titled
from trustops.formats.evidence.word_styles import Styles, W

_BLOCK_CONTAINERS = frozenset(W + tag for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_SKIPPED = frozenset(W + tag for tag in ("del", "moveFrom", "instrText", "delText", "pPr", "rPr", "sdtPr", "sdtEndPr")) | {
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
}
_AS_SPACE = frozenset({W + "tab", W + "br", W + "cr"})

Piece = tuple[str, bool]
"""Some characters, and whether a reader sees them."""


def read_word(path: Path) -> Extraction:
    """Paragraphs, items, rows and footnotes in reading order; hidden, white or tiny pale runs become concealed blocks.

    Locator: paragraphs, counted over the document (a table row counts as one). Raises MalformedFile for what is no document.
    """
    try:
        document = docx.Document(str(path))
        styles = Styles(document)
    except (PackageNotFoundError, KeyError, ValueError, BadZipFile, etree.XMLSyntaxError) as error:
        raise MalformedFile(f"The document cannot be read: {error}.", where=path.name, remedy="Save it again as .docx.") from None
    walk = _Walk(styles)
    walk.through(document.element.body)
    for part in document.part.package.iter_parts():
        if str(part.partname) in ("/word/footnotes.xml", "/word/endnotes.xml"):
            walk.through(etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True)))
    return titled(walk.blocks, list(_flags(walk)))


def _flags(walk: _Walk) -> Iterator[Notice]:
    if any(block.concealed for block in walk.blocks):
        yield "", "The document holds hidden, white or tiny text; it supports nothing.", "Remove it, or make it visible."
    if walk.deletions:
        yield "", "The document holds tracked deletions; they were left out.", "Accept or reject the changes."


class _Walk:
    def __init__(self, styles: Styles) -> None:
        self.styles = styles
        self.blocks: list[Block] = []
        self.number = 0
        self.counters: dict[str, int] = {}
        self.deletions = False

    def through(self, container: etree._Element) -> None:
        for child in container.iterchildren(tag=etree.Element):
            if child.tag == W + "p":
                self._paragraph(child)
            elif child.tag == W + "tbl":
                self._table(child)
            elif child.tag in _BLOCK_CONTAINERS or child.tag in (W + "footnote", W + "endnote"):
                self.through(child)

    def _add(self, pieces: list[Piece], *, prefix: str = "", level: int = 0) -> None:
        seen = line_of("".join(text for text, visible in pieces if visible))
        self._add_line(prefix + seen if seen else "", pieces, level)

    def _add_line(self, line: str, pieces: list[Piece], level: int = 0) -> None:
        """The line as one block, and what nobody sees in the pieces as another."""
        self.number += 1
        hidden = line_of("".join(text for text, visible in pieces if not visible))
        for text, concealed in ((line, False), (hidden, True)):
            place = {"unit": "paragraph", "first": self.number, "last": self.number}
            self.blocks.extend([Block(text=text, level=0 if concealed else level, concealed=concealed, **place)] if text else [])

    def _paragraph(self, paragraph: etree._Element) -> None:
        self._add(list(self._pieces(paragraph)), prefix=self._prefix(paragraph), level=self.styles.level(paragraph))
        for box in self._boxes(paragraph):
            self.through(box)

    def _prefix(self, paragraph: etree._Element) -> str:
        listed = self.styles.listed(paragraph)
        if listed is None or self.styles.level(paragraph):
            return ""
        name, numbered = listed
        if not numbered:
            return "- "
        self.counters[name] = self.counters.get(name, 0) + 1
        return f"{self.counters[name]}. "

    def _boxes(self, paragraph: etree._Element) -> Iterator[etree._Element]:
        for box in paragraph.iter(W + "txbxContent"):
            if not any(str(each.tag).endswith("}Fallback") for each in box.iterancestors()):
                yield box

    def _pieces(self, paragraph: etree._Element) -> Iterator[Piece]:
        """The paragraph's own characters in order; a text box inside it is read after it."""
        waiting = [child for child in reversed(paragraph) if isinstance(child.tag, str)]
        while waiting:
            node = waiting.pop()
            if node.tag in (W + "del", W + "moveFrom"):
                self.deletions = True
            if node.tag in _SKIPPED or node.tag == W + "txbxContent":
                continue
            if node.tag == W + "r":
                waiting.extend(child for child in reversed(node) if isinstance(child.tag, str))
            elif node.tag in (W + "t", W + "noBreakHyphen") or node.tag in _AS_SPACE:
                yield _characters(node), self.styles.visible(node.getparent(), paragraph)
            else:
                waiting.extend(child for child in reversed(node) if isinstance(child.tag, str))

    def _table(self, table: etree._Element) -> None:
        above: dict[int, list[Piece]] = {}
        for row in table.iter(W + "tr"):
            if next(row.iterancestors(W + "tbl")) is table:
                self._row(row, above)

    def _row(self, row: etree._Element, above: dict[int, list[Piece]]) -> None:
        """A cell merged downwards says its text in every row that it spans: the first cell is the row's subject."""
        cells: list[str] = []
        hidden: list[Piece] = []
        column = 0
        for cell in (each for each in row.iter(W + "tc") if next(each.iterancestors(W + "tr")) is row):
            merge = cell.find(f"{W}tcPr/{W}vMerge")
            own = list(self._cell(cell))
            continues = merge is not None and merge.get(W + "val", "continue") == "continue"
            shown = above.get(column, []) if continues else own
            above[column] = shown
            cells.append("".join(text for text, visible in shown if visible))
            hidden.extend(piece for piece in own if not piece[1])
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            column += int(span.get(W + "val", "1")) if span is not None else 1
        self._add_line(row_line(cells), hidden)

    def _cell(self, cell: etree._Element) -> Iterator[Piece]:
        for paragraph in cell.iter(W + "p"):
            yield from self._pieces(paragraph)
            yield " ", True


def _characters(node: etree._Element) -> str:
    if node.tag == W + "noBreakHyphen":
        return "-"
    return " " if node.tag in _AS_SPACE else node.text or ""
