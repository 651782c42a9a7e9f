"""Words for the index and for queries, made the same way on both sides: plain spelling, Chinese in pairs of characters, stop words."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache, lru_cache

import snowballstemmer

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]")
_HAN_RUN = re.compile(HAN.pattern + "+")
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]")
_WORD = re.compile(r"[^\W_]+")

_STOP = """
a about after all also am an and any are as at be been before being between both but by can could describe did do does each else etc for
from had has have how however if in into is it its kindly list may might more most much must of on or other our out over own per please
provide shall should so some such than that the their them then there these they this those through to under until upon us via was we were
what when where whether which while who whom whose why will with within would you your yours give given state explain yes 的 了 在 是 和 与
及 或 也 都 均 已 并 对 由 为 以 于 等 其 该 此 请 吗 呢
"""
STOP = frozenset(_STOP.split())
"""Words that carry no topic. Denials ("not", "without") are no stop words: the negated form of a question searches by them."""


def normal(text: str) -> str:
    """Lower case, compatibility forms resolved, invisible characters out: text split by a zero-width space is still found."""
    if text.isascii():
        return text.lower()  # nothing to resolve, and nothing invisible
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).lower())


def segmented(text: str) -> str:
    """The text as the index stores it: normal, with each run of Chinese characters written as overlapping pairs."""
    plain = normal(text)
    return plain if plain.isascii() else _HAN_RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", plain)


def tokens(text: str) -> list[str]:
    """The words of a text; Chinese as pairs."""
    return _WORD.findall(segmented(text))


def terms(query: str) -> list[str]:
    """The words of a query that carry its topic, each stem once, in their order."""
    kept: dict[str, str] = {}
    for token in tokens(query):
        if token not in STOP and (len(token) > 1 or token.isdigit() or HAN.match(token)):
            kept.setdefault(stem(token), token)
    return list(kept.values())


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)] or [run]


_STEMMING = threading.Lock()
"""The stemmer keeps its working word in itself; searches of two seats at once would corrupt each other's, and the cache would keep it."""


@cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("porter")


@lru_cache(maxsize=50_000)
def stem(token: str) -> str:
    """The Porter stem, which the index's tokenizer uses as well."""
    if not token.isascii():
        return token
    with _STEMMING:
        return str(_stemmer().stemWord(token))
