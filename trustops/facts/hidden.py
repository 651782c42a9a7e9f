"""Characters that a reader does not see, or sees in another order than they are stored."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
"""Zero-width, bidirectional control and tag characters (Unicode TR36), and variation selectors in a row, which vary nothing. Soft
hyphens and a single selector (behind a pictograph or an ideograph) are ordinary typography and stay."""


def invisible(text: str) -> tuple[int, ...]:
    """Offsets of every such character."""
    return tuple(found.start() for found in INVISIBLE.finditer(text))


_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LOOKALIKE = re.compile("[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff]")
"""Greek, Cyrillic, Armenian and Cherokee: alphabets with letters that look Latin. "µs" and "Ω" stand alone and are no word."""


def mixed_alphabets(text: str) -> tuple[str, ...]:
    """Words spelled in Latin letters and in those of an alphabet that looks like it."""
    found = (match.group() for match in _WORD.finditer(text))
    return tuple(word for word in found if len(word) > 2 and _LATIN.search(word) and _LOOKALIKE.search(word))


def visible(text: str) -> str:
    """The text without them, for comparing words."""
    return INVISIBLE.sub("", text)


_DRESS = re.compile("[\u00ad\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f]")
_LATIN_FOR = str.maketrans("аеорсхуіјѕһԁԛԝАВЕКМНОРСТХУІЈЅοαερντυικχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcxyijshdqwABEKMHOPCTXYIJSoaepvtuikxABEZHIKMNOPTYX")
_SPACED = re.compile(r"(?<!\S)\S(?: \S){7,}(?!\S)|(?<!\S)\S(?: \S| {3}\S){11,}(?!\S)")


def undressed(text: str) -> str:
    """The text as a model reads it: no invisible characters, marks or soft hyphens, look-alike and mathematical letters as plain ones,
    letters that stand apart put together, character references resolved. For comparing words only."""
    seen = visible(unescape(text) if "&" in text else text)
    if not seen.isascii():
        seen = _DRESS.sub("", unicodedata.normalize("NFKC", seen))
        seen = seen.translate(_LATIN_FOR) if mixed_alphabets(seen) else seen
    return _SPACED.sub(lambda found: "".join(word.replace(" ", "") + " " for word in found.group().split("   ")).strip(), seen)
