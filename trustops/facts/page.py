"""A text made ready for the finders: one code point for one code point, so that offsets stay those of the original."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from trustops.facts.nouns import Fact, Language, Names

_CJK = re.compile(r"[㐀-鿿豈-﫿]")
_LATIN = re.compile(r"[A-Za-z]+")
_FULL = {code: chr(code - 0xFEE0) for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
_TABLE = {**_FULL, 0xFF05: "%", 0xFF0E: ".", 0xFF0F: "/", 0xFF0D: "-", 0x00A0: " ", 0x202F: " ", 0x3000: " ",
          0x2019: "'", 0x2018: "'", 0x2010: "-", 0x2011: "-", 0x2013: "-", 0x2212: "-", 0x2014: "-"}  # fmt: skip


def normalise(text: str) -> str:
    """Full-width digits and letters, odd blanks, quotes and dashes in their plain form; the length never changes."""
    return text if text.isascii() else text.translate(_TABLE)


def language(text: str) -> Language:
    """`zh` where Chinese characters outweigh Latin words, else `en`."""
    chinese = len(_CJK.findall(text))
    return "zh" if chinese and chinese >= len(_LATIN.findall(text)) else "en"


@dataclass(frozen=True, slots=True)
class Page:
    """What a finder sees: the normalised text, the original, the language, the names and the kind of document."""

    text: str
    original: str
    language: Language
    names: Names
    doc: str

    @classmethod
    def of(cls, text: str, names: Names, doc: str) -> Page:
        """A page of a text."""
        return cls(normalise(text), text, language(text), names, doc)

    def surface(self, start: int, end: int) -> str:
        """The original characters of a span."""
        return self.original[start:end]


def free(start: int, end: int, taken: Iterable[Fact]) -> bool:
    """Whether a span touches none of the facts: the outer fact wins, a number is read once."""
    return all(end <= fact.start or start >= fact.end for fact in taken)
