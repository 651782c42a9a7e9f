"""Content words: stems that carry a claim, synonyms of one line of the terms file counted as one word.

Chinese words are the bigrams of a run of characters, plus the terms in it, so that 多因素认证 and MFA share a word.
Source: specification "How a decision is made", Support.
"""

from __future__ import annotations

import re
import threading
from functools import cache, lru_cache
from itertools import pairwise

import snowballstemmer

from trustops.facts.lexicon import alternation, load, words_of
from trustops.facts.nouns import Names
from trustops.facts.page import normalise

NOBODY = Names()
Anchors = tuple[tuple[int, str], ...]
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[.'&/+-][A-Za-z0-9]+)*|[㐀-鿿]+|\d+")
_RUN = re.compile(r"[㐀-鿿]+")


_STEMMING = threading.Lock()
"""The stemmer keeps its working word in itself; two readers at once would corrupt each other's."""


@cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of an English word (Porter 2)."""
    with _STEMMING:
        return str(_stemmer().stemWord(word.lower()))


@cache
def _terms() -> dict[str, str]:
    """Phrase -> id of its line; a hyphen is a blank, so that "sign-on" and "sign on" are one."""
    ids: dict[str, str] = {}
    for line in load("terms")["lines"]:
        for phrase in line:
            ids.setdefault(_key(str(phrase)), f"={str(line[0]).lower()}")
    for word, target in load("antonyms")["en"].items():
        ids.setdefault(_key(word), ids.get(_key(target), stem(target)))  # "unencrypted" is about encryption
    return ids


def _key(phrase: str) -> str:
    return " ".join(phrase.lower().replace("-", " ").split())


@cache
def _chinese_terms() -> re.Pattern[str]:
    return re.compile(alternation(phrase for phrase in _terms() if _RUN.search(phrase)), re.IGNORECASE)


_LETTERS = re.compile(r"[a-z]+")
_PIECE = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z]+)?")


@cache
def _first_words() -> dict[str, int]:
    """First word of the terms -> number of words of the longest term that begins with it."""
    longest: dict[str, int] = {}
    for phrase in _terms():
        parts = phrase.split()
        longest[parts[0]] = max(len(parts), longest.get(parts[0], 0))
    return longest


def _term(parts: list[str]) -> str | None:
    """The id of a phrase, or of the singular of its last word."""
    phrase = " ".join(parts)
    known = _terms()
    if phrase in known or not phrase.endswith("s") or phrase.endswith("ss"):
        return known.get(phrase)
    return known.get(phrase[:-3] + "y") if phrase.endswith("ies") else known.get(phrase[:-1]) or known.get(phrase.removesuffix("es"))


def _matches(text: str) -> list[tuple[int, int, str]]:
    """Start, end and id of the terms in a text, the longest phrase first."""
    found = (
        [(match.start(), match.end(), _terms()[match.group().lower()]) for match in _chinese_terms().finditer(text)]
        if _RUN.search(text)
        else []
    )
    pieces = [(match.start(), match.end(), match.group().lower().removesuffix("'s")) for match in _PIECE.finditer(text)]
    index = 0
    while index < len(pieces):
        longest = _first_words().get(pieces[index][2], 1)
        for size in range(min(longest, len(pieces) - index), 0, -1):
            low, high = pieces[index][0], pieces[index + size - 1][1]
            name = _term([piece[2] for piece in pieces[index : index + size]])
            if name is not None and (size == 1 or _adjacent(text, pieces[index : index + size])):
                found.append((low, high, name))
                index += size - 1
                break
        index += 1
    return found


def _adjacent(text: str, pieces: list[tuple[int, int, str]]) -> bool:
    return all(text[one[1] : other[0]] in (" ", "-", "' ") for one, other in pairwise(pieces))


@cache
def _ignored() -> frozenset[str]:
    names = ("stop", "en"), ("frame",), ("units",)
    words = frozenset[str]().union(*(words_of("words", *path) for path in names))
    numbers = words_of("numbers", "en", "units") | words_of("numbers", "en", "tens") | words_of("numbers", "en", "magnitudes")
    return words | numbers | frozenset(load("dates")["roles"]) - frozenset(["data"])


UNINFLECTED = ("well",)
"""Frame words whose stem belongs to another word as well: wells are things."""


@cache
def _ignored_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in words_of("words", "frame") if word not in UNINFLECTED)


def framing(text: str) -> frozenset[str]:
    """The frame words of a text, stemmed: they carry no claim beside others, and are things where nothing else is named ("orders")."""
    return frozenset(stem(word) for word in _LETTERS.findall(text.lower()) if stem(word) in _ignored_stems())


@cache
def _chinese_stop() -> re.Pattern[str]:
    return re.compile(alternation(load("words")["stop"]["zh"]))


@cache
def _own(names: Names) -> re.Pattern[str]:
    own = sorted(names.own, key=len, reverse=True)
    return re.compile(rf"(?<![A-Za-z])(?:{alternation(own)})(?:'s)?(?![A-Za-z])", re.I)


@lru_cache(maxsize=20_000)
def anchors(text: str, names: Names) -> Anchors:
    """Content words with the number of the word at which they stand (a Chinese character counts half a word)."""
    plain = normalise(text)
    if names.own:
        plain = _own(names).sub(lambda match: " " * len(match.group()), plain)
    found: list[tuple[int, str]] = []
    covered: list[tuple[int, int]] = []
    positions = _positions(plain)
    for start, end, name in _matches(plain):
        covered.append((start, end))
        found.append((positions[start], name))
    for match in _TOKEN.finditer(plain):
        found.extend((positions[at], word) for at, word in _token_words(match, covered))
    return tuple(sorted(found))


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
    if token.lower() in _ignored():
        return []
    words: list[tuple[int, str]] = []
    offset = start
    for piece in re.split(r"([-/])", token):
        at, offset = offset, offset + len(piece)
        word = _content(piece)
        if word and not any(low <= at < high for low, high in covered):
            words.append((start, word))
    return words


def _content(piece: str) -> str:
    """The content word of a token, or nothing: a name keeps its spelling, any other word is stemmed."""
    low = piece.lower().removesuffix("'s").strip("'")
    if len(low) < 2 or low.isdigit() or low in _ignored():
        return ""
    if piece.isupper() or any(character.isdigit() for character in piece):
        return low
    return "" if stem(low) in _ignored_stems() else stem(low)


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
    return _terms().get(_key(word), stem(word))


def words(text: str, names: Names = NOBODY) -> frozenset[str]:
    """The canonical content words of a text. Ids of the terms file begin with `=`."""
    return frozenset(word for _, word in anchors(text, names))
