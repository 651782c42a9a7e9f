"""Whether a text reads like something that is asked, in any script, and whether one reads like an id."""

from __future__ import annotations

from functools import lru_cache

from trustops.formats.questionnaires.headers import is_wide, tokens

QUESTION_MARKS = ("?", "？", "؟")


def asks(text: str) -> bool:
    """A question mark at the end of a sentence."""
    return any(mark in text for mark in QUESTION_MARKS)


@lru_cache(maxsize=65_536)
def is_sentence(text: str) -> bool:
    """A question or a statement: at least four words, six wide characters, or a question mark after some word."""
    words = tokens(text)
    wide = sum(1 for word in words if len(word) == 1 and is_wide(word))
    letters = [word for word in words if any(character.isalpha() for character in word)]
    return (asks(text) and len(letters) >= 2) or wide >= 6 or (len(letters) - wide >= 4 and len(text) >= 20)


def is_identifier(text: str) -> bool:
    """Short, without inner blanks but one, and with a digit or a single letter: Q-001, 1.2.3, A.5 (2), IV."""
    short = text.strip()
    return 0 < len(short) <= 24 and short.count(" ") <= 1 and (any(c.isdigit() for c in short) or len(short) <= 3)
