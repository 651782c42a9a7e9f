"""Figures: nobody reads the picture here. Its title and file name are the only words by which it is found."""

from __future__ import annotations

import re
from pathlib import Path

from trustops.domain.evidence import Document
from trustops.formats.evidence.blocks import Block, Extraction, line_of

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".svg"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def words_of(path: str) -> str:
    """The words in a file name: "data-flow_Diagram2.png" gives "data flow Diagram2"."""
    return line_of(_CAMEL.sub(" ", re.sub(r"[-_.]+", " ", Path(path).stem)))


def read_figure(document: Document) -> Extraction:
    """One passage: the registered title, and the words of the file name where they add something."""
    words = words_of(document.path)
    text = document.title if words.lower() in document.title.lower() else f"{document.title} ({words})"
    return Extraction(title=document.title, blocks=(Block(text=text, unit="figure"),))
