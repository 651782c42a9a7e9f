"""Text of models, documents and customers as a person must see it: no character hides, none changes the order of the others.

Every text that a template puts out goes through here, since the environment's `finalize` calls `plain`. What is visible stays as it is.
"""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup, escape

HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of Unicode that draw nothing by themselves: controls, format characters (bidirectional ones and tags among them), lone
surrogates, private use, line and paragraph separators."""
KEPT = frozenset("\n\t")
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters and marks that are drawn as nothing, whatever their category says."""
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
"""One variation selector chooses a form of the character before it; several in a row carry data."""


def hidden(character: str) -> bool:
    """Whether a reader would not see this character."""
    return character not in KEPT and (character in BLANK or unicodedata.category(character) in HIDING)


def plain(text: str) -> str:
    """The text with every hidden character as its number in brackets. For any place: attributes, titles, text."""
    shown = _newlines(text)
    if _open(shown):
        return shown
    forced = _selectors(shown)
    return "".join(f"[U+{ord(c):04X}]" if at in forced or hidden(c) else c for at, c in enumerate(shown))


def marked(text: str) -> Markup:
    """The same as markup for running text: the number stands out, and its name is the title."""
    shown = _newlines(text)
    if _open(shown):
        return escape(shown)
    forced, parts, start = _selectors(shown), [], 0
    for at, c in enumerate(shown):
        if at in forced or hidden(c):
            parts += [escape(shown[start:at]), _mark(c)]
            start = at + 1
    return Markup("").join([*parts, escape(shown[start:])])


def _open(text: str) -> bool:
    """Whether nothing in it can hide, found without a look at each character."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _selectors(text: str) -> frozenset[int]:
    """Where variation selectors stand in a row."""
    return frozenset(at for found in SELECTORS.finditer(text) for at in range(*found.span()))


def told(text: str) -> Markup:
    """Words of the house: the same, and what stands in backticks is shown as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick alone is a character
        return marked(text)
    return Markup("").join(Markup("<code>{}</code>").format(marked(part)) if at % 2 else marked(part) for at, part in enumerate(parts))


def _newlines(text: str) -> str:
    """Line ends of other systems are line ends."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def _mark(c: str) -> Markup:
    name = unicodedata.name(c, "CONTROL" if unicodedata.category(c) == "Cc" else "HIDDEN CHARACTER")
    return Markup('<span class="ghost" title="{}">{}</span>').format(name, f"U+{ord(c):04X}")
