"""Where quotes stand in their passage, and what differs between two texts: pieces for a page to mark, never markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import NamedTuple

LONGEST = 1_600
"""Words of two texts together that are compared; longer ones are shown whole, one as gone and one as new."""
WORDS = re.compile(r"\s+|[^\s]+")


class Piece(NamedTuple):
    """A stretch of text; `kind` is empty, quote, gone or new."""

    text: str
    kind: str = ""


def quoted(text: str, quotes: Iterable[str]) -> tuple[Piece, ...]:
    """The text in pieces, those that a quote covers marked. Overlapping quotes are one piece; a quote that is not there marks nothing."""
    spans = sorted(span for quote in quotes for span in _places(text, quote))
    pieces: list[Piece] = []
    at = 0
    for start, end in spans:
        start = max(start, at)
        if end <= start:
            continue
        if start > at:
            pieces.append(Piece(text[at:start]))
        if start == at and pieces and pieces[-1].kind == "quote":
            start, pieces[-1:] = start - len(pieces[-1].text), []
        pieces.append(Piece(text[start:end], "quote"))
        at = end
    return (*pieces, Piece(text[at:])) if at < len(text) else tuple(pieces)


def _places(text: str, quote: str) -> list[tuple[int, int]]:
    """Every place of a quote; white space may differ, as it does between a quote and the lines of its passage."""
    words = quote.split()
    if not words:
        return []
    return [found.span() for found in re.finditer(r"\s+".join(re.escape(word) for word in words), text)]


def compared(before: str, after: str) -> tuple[Piece, ...]:
    """The later text in pieces, with what is gone and what is new, word by word."""
    left, right = WORDS.findall(before), WORDS.findall(after)
    if len(left) + len(right) > LONGEST:
        return (Piece(before, "gone"), Piece(after, "new"))
    pieces: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(Piece("".join(right[c:d])))
            continue
        pieces += [Piece("".join(left[a:b]), "gone")] if b > a else []
        pieces += [Piece("".join(right[c:d]), "new")] if d > c else []
    return tuple(pieces)
