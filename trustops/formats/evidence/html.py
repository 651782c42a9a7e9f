"""HTML: what a reader sees as headings, paragraphs, items and rows; what the page hides as concealed blocks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lxml import etree, html

from trustops.domain.errors import MalformedFile
from trustops.formats.evidence.blocks import Block, Extraction, line_of, row_line, titled

_NO_TEXT = frozenset({"script", "style", "template", "head", "object", "svg", "iframe"})
_INLINE_TAGS = """
a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr
"""
_INLINE = frozenset(_INLINE_TAGS.split())
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0"
    r"|(?<![-\w])color\s*:\s*(?:#fff(?:fff)?\b|white\b|transparent\b)|text-indent\s*:\s*-\d{3,}|(?:left|top)\s*:\s*-\d{4,}",
    re.IGNORECASE,
)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"[.#][\w-]+")


def read_html(path: Path) -> Extraction:
    """The blocks of a page. Locator: lines of the source. Raises MalformedFile where nothing can be parsed."""
    data = path.read_bytes()
    try:
        tree = html.document_fromstring(
            data if b"charset" in data[:2048].lower() else data.decode("utf-8", "replace").encode(),
            parser=html.HTMLParser(huge_tree=True),
        )
    except (etree.ParserError, ValueError):
        raise MalformedFile("The page is empty or is not HTML.", where=path.name, remedy="Save the page again.") from None
    blocks = _Walk(_hidden_names(tree)).blocks_of(tree)
    return titled(blocks, title="" if any(block.level for block in blocks) else line_of(tree.findtext(".//title") or ""))


def blocks_of_fragment(source: str) -> list[Block]:
    """The blocks of HTML that stands inside another document (Markdown); empty where there is nothing in it."""
    try:
        tree = html.fragment_fromstring(source.replace("\x00", ""), create_parent="div")
    except (etree.ParserError, ValueError):
        return []
    return _Walk(_hidden_names(tree)).blocks_of(tree)


def _hidden_names(tree: etree._Element) -> frozenset[str]:
    """Classes and ids (".note", "#x") that a style sheet of the page hides. Other selectors are not read."""
    names: set[str] = set()
    for style in tree.iter("style"):
        for selectors, rules in _RULE.findall(style.text or ""):
            if re.search(r"display\s*:\s*none|visibility\s*:\s*hidden", rules, re.IGNORECASE):
                names.update(each.strip() for each in selectors.split(",") if _SIMPLE.fullmatch(each.strip()))
    return frozenset(names)


class _Walk:
    """One pass over start and end events, without recursion: the depth of the page is its author's choice."""

    def __init__(self, hidden_names: frozenset[str]) -> None:
        self.hidden_names = hidden_names
        self.blocks: list[Block] = []
        self.buffer: list[str] = []
        self.cells: list[str] | None = None
        self.counters: list[int | None] = []
        self.aside: tuple[list[str], list[str] | None] = ([], None)
        self.prefix = ""
        self.item_open = False
        self.muted = self.hidden = self.level = 0
        self.line = 1

    def blocks_of(self, tree: etree._Element) -> list[Block]:
        for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
            if event in ("comment", "pi"):
                self._comment(element)
            elif event == "start":
                self._start(element)
            else:
                self._end(element)
        self._flush()
        return self.blocks

    def _comment(self, element: etree._Element) -> None:
        note = line_of(element.text or "") if not self.muted else ""
        if note:
            line = _line(element, self.line)
            self.blocks.append(Block(text=note, concealed=True, first=line, last=line))
        self._say(element.tail)

    def _say(self, text: str | None) -> None:
        if text and not self.muted:
            self.buffer.append(text)

    def _start(self, element: etree._Element) -> None:
        tag = str(element.tag)
        if self.muted or tag in _NO_TEXT:
            self.muted += 1
            return
        if self.hidden or self._hides(element):
            if not self.hidden:
                self.aside, self.buffer, self.cells = (self.buffer, self.cells), [], None
            self.hidden += 1
        if tag not in _INLINE:
            self._open(tag)
            self.line = _line(element, self.line)
        self._say(element.text if tag != "img" else element.get("alt"))

    def _open(self, tag: str) -> None:
        in_cell = self.cells is not None and tag not in ("td", "th")
        if in_cell or tag == "br" or (self.item_open and tag in ("p", "div")):
            self.buffer.append(" ")
        else:
            self._flush()
        if tag in ("ul", "ol"):
            self.counters.append(0 if tag == "ol" else None)
        elif tag == "li":
            self.prefix, self.item_open = self._marker(), True
        elif tag == "tr":
            self.cells = []
        elif re.fullmatch(r"h[1-6]", tag):
            self.level = int(tag[1])

    def _marker(self) -> str:
        number = self.counters[-1] if self.counters else None
        if number is None:
            return "- "
        self.counters[-1] = number + 1
        return f"{number + 1}. "

    def _end(self, element: etree._Element) -> None:
        tag = str(element.tag)
        if self.muted:
            self.muted -= 1
        else:
            self._close(tag)
            if self.hidden:
                self._leave_hidden()
        self._say(element.tail)

    def _leave_hidden(self) -> None:
        """The sentence around a hidden stretch goes on as if the stretch were not there, as its reader sees it."""
        if self.hidden == 1:
            self._flush()
            self.buffer, self.cells = self.aside
        self.hidden -= 1

    def _close(self, tag: str) -> None:
        if tag in ("td", "th") and self.cells is not None:
            self.cells.append("".join(self.buffer))
            self.buffer = []
        elif tag == "tr" and self.cells is not None:
            row, self.cells, self.buffer = row_line(self.cells), None, []
            self._add(row)
        elif tag in _INLINE or tag == "br" or (self.item_open and tag in ("p", "div")) or self.cells is not None:
            self.buffer.append("" if tag in _INLINE else " ")
        else:
            self._flush()
        if tag in ("ul", "ol") and self.counters:
            self.counters.pop()
        elif tag == "li":
            self.item_open, self.prefix = False, ""
        elif re.fullmatch(r"h[1-6]", tag):
            self.level = 0

    def _flush(self) -> None:
        if self.cells is not None:
            return
        text = line_of("".join(self.buffer))
        self.buffer = []
        self._add(text)

    def _add(self, text: str) -> None:
        if text:
            shown = text if self.hidden else self.prefix + text
            self.blocks.append(Block(text=shown, level=self.level, first=self.line, last=self.line, concealed=bool(self.hidden)))
            self.prefix = self.prefix if self.hidden else ""

    def _hides(self, element: etree._Element) -> bool:
        names = {f".{name}" for name in (element.get("class") or "").split()} | {f"#{element.get('id')}"}
        style = element.get("style") or ""
        unseen = bool(_HIDING.search(style)) and not ("background" in style and "display" not in style)
        return element.get("hidden") is not None or unseen or bool(names & self.hidden_names)


def _line(element: Any, otherwise: int) -> int:
    """The source line, which some elements do not know."""
    return int(element.sourceline or otherwise)
