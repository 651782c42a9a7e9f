"""Synonyms as meanings: every spelling of one line of the terms file is indexed under one extra token, and searched by it.

A query for "2FA" so finds "multi-factor authentication" and 多因素认证, and a meaning weighs once however many spellings it has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import yaml

from trustops.retrieval.segments import HAN, normal, stem, tokens

_NONE = "none"


class Meanings:
    """The lines of a terms file. `digest` names the file's content, so that an index built with other synonyms is rebuilt."""

    def __init__(self, lines: Iterable[Sequence[str]], digest: str = _NONE) -> None:
        self.digest = digest
        self._lines = [tuple(normal(str(term)) for term in line) for line in lines]

    def of(self, text: str) -> list[str]:
        """The tokens of all meanings that the text names, each once, in the order of the file."""
        plain = normal(text)
        words = list(map(stem, tokens(plain)))
        there, spaced = set(words), ""
        found: set[int] = set()
        for first in self._phrases.keys() & there:
            for last, named in self._phrases[first].items():
                if last in there:  # most phrases end here: a search through the text costs more
                    spaced = spaced or f" {' '.join(words)} "
                    found.update(number for term, number in named if term in spaced)
        if not plain.isascii() and HAN.search(plain):
            found.update(number for term, number in self._chinese if term in plain)
        return [_token(number) for number in sorted(found)]

    @cached_property
    def _phrases(self) -> dict[str, dict[str, list[tuple[str, int]]]]:
        """The stems of each term, with a space before, between and behind them, and its meaning, by its first and its last stem."""
        made: dict[str, dict[str, list[tuple[str, int]]]] = {}
        for number, line in enumerate(self._lines):
            for term in line:
                words = tuple(stem(token) for token in tokens(term))
                if not words or HAN.search(term):
                    continue
                made.setdefault(words[0], {}).setdefault(words[-1], []).append((f" {' '.join(words)} ", number))
        return made

    @cached_property
    def _chinese(self) -> list[tuple[str, int]]:
        return [(term, number) for number, line in enumerate(self._lines) for term in line if HAN.search(term)]


def _token(number: int) -> str:
    """A token that no document writes and that the stemmer leaves as it is."""
    return f"zq{number}"


@cache
def shipped() -> Meanings:
    """The meanings of the catalogue's terms.yaml (`terms:` or `lines:`, one list a meaning); none without the file or in another shape."""
    source = files("trustops.catalogue") / "lexicon" / "terms.yaml"
    try:
        data = source.read_bytes()
        content = yaml.safe_load(data)
    except (OSError, yaml.YAMLError):
        return Meanings(())
    return Meanings(_lines(content), hashlib.sha256(data).hexdigest())


def _lines(content: Any) -> list[list[str]]:
    found = (content.get("terms") or content.get("lines") or []) if isinstance(content, dict) else []
    return [[str(term) for term in line] for line in found if isinstance(line, list)]
