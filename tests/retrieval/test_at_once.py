"""Harm: two seats search at the same instant, a word is mangled and kept so, and evidence against an answer is not found any more."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import snowballstemmer

from trustops.retrieval.segments import stem

STEMS = ("encrypt", "regist", "categor", "polic", "relation", "generous", "communic", "operat", "rotat", "segregat")
ENDS = ("ions", "ies", "ization", "ing", "ed", "ational", "fulness", "ously")
WORDS = [f"{first}{last}" for first in STEMS for last in ENDS]
AT_ONCE = 6


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads take turns as often as they can, and nothing is known yet."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    stem.cache_clear()
    yield
    sys.setswitchinterval(before)
    stem.cache_clear()


@pytest.mark.usefixtures("hurried")
def test_words_are_what_they_are_however_many_search() -> None:
    alone = snowballstemmer.stemmer("porter")
    wanted = [str(alone.stemWord(word)) for word in WORDS]
    start = Barrier(AT_ONCE)

    def read(turn: int) -> list[str]:
        start.wait(30)
        order = WORDS[turn:] + WORDS[:turn]
        found = {word: stem(word) for word in order}
        return [found[word] for word in WORDS]

    for _ in range(20):
        stem.cache_clear()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            assert all(found == wanted for found in pool.map(read, range(AT_ONCE)))
