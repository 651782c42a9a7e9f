"""Content words: stems that carry a claim, synonyms of one line of the terms file counted as one word.

Chinese words are the bigrams of a run of characters, plus the terms in it, so that 多因素认证 and MFA share a word.
Source: specification "How a decision is made", Support.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

import snowballstemmer

from trustops.facts.lexicon import alternation, load, words_of
from trustops.facts.nouns import Names
from trustops.facts.page import normalise

Anchors = tuple[tuple[int, str], ...]
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[.'&/+-][A-Za-z0-9]+)*|[㐀-鿿]+|\d+")
_RUN = re.compile(r"[㐀-鿿]+")


@cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of an English word (Porter 2)."""
    return str(_stemmer().stemWord(word.lower()))


@cache
def _terms() -> tuple[re.Pattern[str], dict[str, str]]:
    """Pattern of all terms and phrase -> id of its line; the longest phrase wins."""
    ids: dict[str, str] = {}
    for line in load("terms")["lines"]:
        for phrase in line:
            ids.setdefault(str(phrase).lower(), f"={str(line[0]).lower()}")
    latin = [phrase for phrase in ids if not _RUN.search(phrase)]
    chinese = [phrase for phrase in ids if _RUN.search(phrase)]
    pattern = rf"(?<![A-Za-z0-9])(?:{alternation(latin)})(?![A-Za-z0-9])|{alternation(chinese)}"
    return re.compile(pattern, re.IGNORECASE), ids


@cache
def _ignored() -> frozenset[str]:
    names = ("stop", "en"), ("frame",), ("units",)
    words = frozenset[str]().union(*(words_of("words", *path) for path in names))
    numbers = words_of("numbers", "en", "units") | words_of("numbers", "en", "tens") | words_of("numbers", "en", "magnitudes")
    return words | numbers | frozenset(load("dates")["roles"]) - frozenset(["data"])


@cache
def _ignored_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in words_of("words", "frame"))


@cache
def _chinese_stop() -> re.Pattern[str]:
    return re.compile(alternation(load("words")["stop"]["zh"]))


@cache
def _own(names: Names) -> re.Pattern[str]:
    own = sorted(names.own, key=len, reverse=True)
    return re.compile(rf"(?<![A-Za-z])(?:{alternation(own)})(?:'s)?(?![A-Za-z])", re.I)


def _concepts(pairs: list[tuple[int, str]]) -> Anchors:
    return tuple(sorted(pairs))


@lru_cache(maxsize=20_000)
def anchors(text: str, names: Names) -> Anchors:
    """Content words with the number of the word at which they stand (a Chinese character counts half a word)."""
    plain = normalise(text)
    if names.own:
        plain = _own(names).sub(lambda match: " " * len(match.group()), plain)
    pattern, ids = _terms()
    found: list[tuple[int, str]] = []
    covered: list[tuple[int, int]] = []
    positions = _positions(plain)
    for match in pattern.finditer(plain):
        name = ids[" ".join(match.group().lower().split())]
        covered.append(match.span())
        found.append((positions[match.start()], name))
    for match in _TOKEN.finditer(plain):
        found.extend((positions[at], word) for at, word in _token_words(match, covered))
    return _concepts(found)


def _positions(text: str) -> list[int]:
    """Word number of every character; two Chinese characters make one word."""
    result, words, half, inside = [], 0, 0, False
    for character in text:
        if "㐀" <= character <= "鿿":
            half += 1
            words, half, inside = words + half // 2, half % 2, False
        elif character.isalnum():
            words, inside = words + (0 if inside else 1), True
        elif character not in "-'":
            inside = False
        result.append(words)
    return result


def _token_words(match: re.Match[str], covered: list[tuple[int, int]]) -> list[tuple[int, str]]:
    token, start = match.group(), match.start()
    if _RUN.fullmatch(token):
        return _bigrams(token, start, covered)
    if any(low <= start < high for low, high in covered) or token.isdigit() or len(token) < 2:
        return []
    parts = [token] if token.lower() not in _ignored() else []
    words: list[tuple[int, str]] = []
    for part in parts:
        pieces = part.split("-") if "-" in part else [part]
        for piece in pieces:
            low = piece.lower().removesuffix("'s").strip("'")
            if len(low) > 1 and low not in _ignored() and stem(low) not in _ignored_stems():
                words.append((start, stem(low)))
    return words


def _bigrams(run: str, start: int, covered: list[tuple[int, int]]) -> list[tuple[int, str]]:
    masked = [" " if any(low <= start + index < high for low, high in covered) else character for index, character in enumerate(run)]
    rest = _chinese_stop().sub(lambda match: " " * len(match.group()), "".join(masked))
    words = []
    for piece in re.finditer(r"[㐀-鿿]{2,}", rest):
        for index in range(piece.start(), piece.end() - 1):
            words.append((start + index, rest[index : index + 2]))
    return words


def position_of(text: str, offset: int) -> int:
    """The number of the word at a character offset."""
    positions = _word_numbers(text)
    return positions[min(offset, len(positions) - 1)] if positions else 0


@lru_cache(maxsize=4096)
def _word_numbers(text: str) -> tuple[int, ...]:
    return tuple(_positions(normalise(text)))


@cache
def canonical_of(word: str) -> str:
    """The canonical form of a single word or phrase: the id of its line, else its stem."""
    return _terms()[1].get(word.lower(), stem(word))


def words(text: str, names: Names = Names()) -> frozenset[str]:
    """The canonical content words of a text. Ids of the terms file begin with `=`."""
    return frozenset(word for _, word in anchors(text, names))
