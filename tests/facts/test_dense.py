"""Harm: a paper that is dense with cues holds up every reader: its cost grows with the square of its length."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from trustops.facts.nouns import Names
from trustops.facts.sentence import read

DENSE = ["not ", "不得", "如果不，", "may not if ", "must not be, ", "unless not ", "12 of 40 and ", "no more than 5 days or "]


def steps(work: Callable[[], object]) -> int:
    """Python calls and lines that a piece of work takes: a measure that no busy machine changes."""
    count = 0

    def watch(frame: object, event: str, argument: object) -> Callable[..., object]:
        nonlocal count
        count += 1
        return watch

    sys.settrace(watch)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("cue", DENSE)
def test_twice_the_cues_cost_at_most_thrice_the_steps(cue: str) -> None:
    """Linear is twice. The quadratic reader took four times; what remains of it is one comparison per pair of facts."""
    read((cue * 500)[:400] + "warm", Names(), "policy")
    short, long_ = (cue * 500)[:900], (cue * 500)[:1800]
    assert steps(lambda: read(long_, Names(), "policy")) <= 3 * steps(lambda: read(short, Names(), "policy"))
