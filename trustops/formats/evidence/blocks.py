"""What a reader takes out of one file before it becomes passages: blocks in reading order, plain enough to cross a process border."""

from __future__ import annotations

from collections.abc import Iterable

from trustops.domain.base import Noun
from trustops.domain.evidence import IngestionNotice

Notice = tuple[str, str, str]
"""Where, what, what to do; the file is added where the notice leaves this room."""


class Block(Noun):
    """One paragraph, list item, table row or heading, on one line.

    `level` is 0 for body text and 1 to 9 for a heading. `unit`, `first` and `last` say where it stands ("line", 10, 14; "page", 2, 2);
    `place` goes before that (a sheet's name). `concealed` marks what a reader of the file does not see.
    """

    text: str
    level: int = 0
    unit: str = "line"
    first: int = 1
    last: int = 1
    place: str = ""
    concealed: bool = False


class Extraction(Noun):
    """All blocks of a file, the title it gives itself, and what a person should know about it."""

    title: str = ""
    blocks: tuple[Block, ...] = ()
    notices: tuple[Notice, ...] = ()


def line_of(text: str) -> str:
    """The text on one line: runs of spaces and line breaks become one space. Invisible characters stay, a rule judges them later."""
    return " ".join(text.split())


def row_line(cells: Iterable[str]) -> str:
    """The cells of a row on one line, joined by " | ". An empty cell keeps its place, trailing empty ones go."""
    shown = [line_of(cell) for cell in cells]
    while shown and not shown[-1]:
        shown.pop()
    return " | ".join(shown)


def titled(blocks: list[Block], notices: list[Notice] | None = None, title: str = "") -> Extraction:
    """An extraction whose title is the given one, else the first visible heading; empty blocks are left out."""
    kept = tuple(block for block in blocks if block.text)
    first = next((block.text for block in kept if block.level and not block.concealed), "")
    return Extraction(title=title or first, blocks=kept, notices=tuple(notices or ()))


def noticed(file: str, notices: tuple[Notice, ...]) -> tuple[IngestionNotice, ...]:
    """The same notices as nouns of the domain, with the file's name."""
    return tuple(IngestionNotice(file=file, where=where, what=what, remedy=remedy) for where, what, remedy in notices)
