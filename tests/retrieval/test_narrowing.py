"""A large index ranks few rows, and yet no topic is lost behind words that many texts hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.retrieval import narrowing
from trustops.retrieval.narrowing import Narrowed, narrowed


def no_meaning(word: str) -> tuple[str, ...]:
    return ()


COUNTS = st.dictionaries(st.sampled_from([f"w{n}" for n in range(20)]), st.integers(0, 50_000), min_size=1)


@given(COUNTS)
def test_the_rarest_word_counts_alone_however_many_rows_hold_two_others(counts: dict[str, int]) -> None:
    """Harm: the one text about the topic holds one word of the question, and a thousand others hold two common ones."""
    chosen = narrowed(list(counts), counts, no_meaning)
    there = [count for count in counts.values() if count]
    if there:
        assert min(there) in {counts[word] for word in chosen.alone}


@given(COUNTS)
def test_the_rows_to_rank_are_bounded_and_no_word_counts_twice(counts: dict[str, int]) -> None:
    chosen = narrowed(list(counts), counts, no_meaning)
    assert len(set(chosen.words)) == len(chosen.words)
    if chosen.partners:
        assert sum(counts[word] for word in chosen.alone[1:]) <= narrowing.ALONE
        assert sum(counts[word] for word in chosen.paired[1:]) <= narrowing.PAIRED


@given(COUNTS)
def test_words_that_nothing_holds_are_not_asked_for_unless_there_is_no_other(counts: dict[str, int]) -> None:
    chosen = narrowed(list(counts), counts, no_meaning)
    assert all(counts[word] for word in chosen.words) or not any(counts.values())


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        (Narrowed(("a",)), "'a'"),
        (Narrowed(("a", "b")), "'a' or 'b'"),
        (Narrowed(("a",), ("b", "c"), ("d",)), "'a' or (('b' or 'c') and ('d'))"),
    ],
)
def test_what_is_chosen_is_written_in_the_words_of_the_database(chosen: Narrowed, text: str) -> None:
    assert chosen.written(lambda word: f"'{word}'", " or ", " and ") == text


def test_a_word_is_no_partner_of_its_own_meaning() -> None:
    """Harm: every row with "backups" holds its meaning as well, and a fifth of the index is ranked for one question."""
    counts = {"restore": 8_000, "backups": 14_000, "zq25": 14_500, "weekly": 20_000}
    chosen = narrowed(list(counts), counts, lambda word: ("zq25",) if word == "backups" else ())
    assert chosen == Narrowed(("restore",), ("backups",), ("weekly",))
