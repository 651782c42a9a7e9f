"""Markdown: headings, paragraphs, items, rows and code lines with line anchors; a comment is kept, since it may speak to the agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from trustops.formats.evidence import front_matter
from trustops.formats.evidence.blocks import Block, Extraction, line_of, row_line, titled
from trustops.formats.evidence.html import blocks_of_fragment
from trustops.formats.evidence.text import decoded

_PARSER = MarkdownIt("commonmark").enable("table")


def read_markdown(path: Path) -> Extraction:
    """The blocks of a Markdown file; front matter is left to the register. Locator: lines of the source."""
    text, notices = decoded(path)
    _, length, more = front_matter.split(text)
    walk = _Walk(text.count("\n", 0, length))
    for token in _PARSER.parse(text[length:]):
        walk.take(token)
    return titled(walk.done(), [*notices, *more])


class _Walk:
    """Follows the flat token stream and keeps the item or row that is being filled."""

    def __init__(self, lines_above: int) -> None:
        self.above = lines_above
        self.blocks: list[Block] = []
        self.lists: list[int | None] = []
        self.item: list[str] = []
        self.here = self.span = (1, 1)
        self.cells: list[str] | None = None
        self.level = 0

    def take(self, token: Token) -> None:
        if token.map and token.type != "inline":
            self._moved(token)
        handler = getattr(self, f"_{token.type}", None)
        if handler:
            handler(token)

    def done(self) -> list[Block]:
        self._close_item()
        return self.blocks

    def _moved(self, token: Token) -> None:
        assert token.map is not None
        if token.type != "paragraph_open" or not self.item:
            self.here = (token.map[0] + 1 + self.above, token.map[1] + self.above)

    def _add(self, text: str, *, level: int = 0, concealed: bool = False) -> None:
        first, last = self.here
        self.blocks.append(Block(text=line_of(text), level=level, first=first, last=last, concealed=concealed))

    def _heading_open(self, token: Token) -> None:
        self._close_item()
        self.level = int(token.tag[1])

    def _heading_close(self, token: Token) -> None:
        self.level = 0

    def _bullet_list_open(self, token: Token) -> None:
        self._close_item()
        self.lists.append(None)

    def _ordered_list_open(self, token: Token) -> None:
        self._close_item()
        self.lists.append(int(token.attrGet("start") or 1))

    def _bullet_list_close(self, token: Token) -> None:
        self._close_item()
        self.lists.pop()

    _ordered_list_close = _bullet_list_close

    def _list_item_open(self, token: Token) -> None:
        self._close_item()
        number = self.lists[-1]
        self.item = ["-" if number is None else f"{number}."]
        self.span = self.here
        if number is not None:
            self.lists[-1] = number + 1

    def _list_item_close(self, token: Token) -> None:
        self._close_item()

    def _close_item(self) -> None:
        if len(self.item) > 1:
            first, last = self.span
            self.blocks.append(Block(text=line_of(" ".join(self.item)), first=first, last=last))
        self.item = []

    def _tr_open(self, token: Token) -> None:
        self._close_item()
        self.cells = []

    def _tr_close(self, token: Token) -> None:
        cells, self.cells = self.cells or [], None
        first, last = self.here
        self.blocks.append(Block(text=row_line(cells), first=first, last=last))

    def _inline(self, token: Token) -> None:
        seen, hidden = _text(token.children or [])
        if self.cells is not None:
            self.cells.append(seen)
        elif self.item:
            self.item.append(seen)
        else:
            self._add(seen, level=self.level)
        for comment in hidden:
            self._add(comment, concealed=True)

    def _fence(self, token: Token) -> None:
        self._close_item()
        top = self.here[0] + (1 if token.type == "fence" else 0)
        for number, line in enumerate(token.content.split("\n"), start=top):
            self.blocks.append(Block(text=line_of(line), first=number, last=number))

    _code_block = _fence

    def _html_block(self, token: Token) -> None:
        self._close_item()
        first, last = self.here
        for block in blocks_of_fragment(token.content):
            self.blocks.append(block.model_copy(update={"first": first, "last": last}))


def _text(children: Sequence[Token]) -> tuple[str, list[str]]:
    seen: list[str] = []
    hidden: list[str] = []
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            seen.append(" ")
        elif child.type == "html_inline" and child.content.startswith("<!--"):
            hidden.append(child.content[4:].removesuffix("-->"))
        elif child.type == "html_inline":
            seen.append(" " if child.content.lower().startswith("<br") else "")
        elif child.type == "code_inline":
            seen.append(f"{child.markup}{child.content}{child.markup}")
        else:
            seen.append(child.content)
    return "".join(seen), hidden
