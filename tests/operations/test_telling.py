"""Harm: what a run told is told out of order, twice, or never, or a watcher hears of something that is not on record."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from trustops.domain.errors import Unavailable
from trustops.operations.telling import GATHER_S, Notebook, event_name


class Books:
    """The two verbs of a ledger that a notebook uses, with a switch for a disk that is full."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.transactions = 0
        self.broken = False

    def append_events(self, run: str, told: list[tuple[str, str, Any]]) -> None:
        if self.broken:
            raise Unavailable("the disk is full", where=run, remedy="Make room.")
        self.transactions += 1
        self.kept += [kind for kind, _, _ in told]


@pytest.fixture
def books() -> Books:
    return Books()


def notebook(books: Books, heard: list[str], told: Counter[str] | None = None) -> Notebook:
    def watch(kind: str, question: str, data: Any) -> None:
        assert kind == "decided" or kind in books.kept, "a watcher hears of what is not on record"
        heard.append(kind)

    return Notebook(books, "R-1.1", watch, told or Counter())  # type: ignore[arg-type]


async def test_events_are_kept_and_told_in_their_order_in_one_transaction(books: Books) -> None:
    heard: list[str] = []
    pages = notebook(books, heard)
    for kind in ("seat_started", "finding", "seat_finished"):
        pages.note(kind, "K-1", {})
    pages.show("decided", "K-1", {})
    assert not heard
    pages.flush()
    assert books.kept == ["seat_started", "finding", "seat_finished"]
    assert heard == [*books.kept, "decided"]
    assert books.transactions == 1


async def test_an_event_does_not_wait_for_a_flush_that_never_comes(books: Books) -> None:
    told = asyncio.Event()
    Notebook(books, "R-1.1", lambda *_: told.set()).note("seat_started", "K-1", {})  # type: ignore[arg-type]
    async with asyncio.timeout(60):
        await told.wait()
    assert books.kept == ["seat_started"]


async def test_a_repeated_step_is_not_on_record_twice(books: Books) -> None:
    heard: list[str] = []
    books.kept.append("seat_started")  # by the process that ended
    pages = notebook(books, heard, Counter([event_name("seat_started", "K-1", {})]))
    pages.note("seat_started", "K-1", {})
    pages.note("seat_started", "K-1", {})
    pages.flush()
    assert books.kept == ["seat_started", "seat_started"], "the second one is new: it was told once before"
    assert heard == ["seat_started", "seat_started"]


async def test_books_that_fail_lose_nothing_and_the_next_flush_says_so(books: Books) -> None:
    heard: list[str] = []
    pages = notebook(books, heard)
    books.broken = True
    pages.note("seat_started", "K-1", {})
    await asyncio.sleep(5 * GATHER_S)  # the moment passes in which it would be written by itself
    with pytest.raises(Unavailable):
        pages.flush()
    assert not heard
    assert not books.kept
    books.broken = False
    pages.flush()
    assert heard == books.kept == ["seat_started"]
