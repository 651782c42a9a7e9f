"""Harm: every worker keeps the provider's limits by itself, so that all together they are refused; or a review costs more than it may."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests import postgresql
from trustops.domain.errors import ProviderFailed
from trustops.engine.board import Board
from trustops.engine.money import SharedPurse
from trustops.providers.sharing import SharedPace
from trustops.storage.postgres import close_engines, open_engine, sessions


@pytest.fixture(scope="module")
def opened() -> Iterator[Any]:
    yield sessions(open_engine(postgresql.address(postgresql.fresh_database(), postgresql.ROLE), pool=8))
    close_engines()


def paces(opened: Any, key: str, *, requests: int | None = None, tokens: int | None = None, slept: list[float]) -> list[SharedPace]:
    """Two processes that send under one key. They wait on paper: the wait is noted, and who would wait gives up."""

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        raise TimeoutError

    return [SharedPace(opened, key, requests, tokens, sleep=sleep) for _ in range(2)]


def admitted(paces: list[SharedPace], order: list[int], tokens: int) -> int:
    """How many attempts are let through, asked by one process and another, before one of them must wait."""

    async def ask() -> int:
        for number, place in enumerate(order):
            try:
                await paces[place].admit(tokens, "the test")
            except TimeoutError:
                return number
        return len(order)

    return asyncio.run(ask())


def test_requests_of_a_minute_are_counted_over_all_workers(opened: Any) -> None:
    slept: list[float] = []
    both = paces(opened, "requests", requests=5, slept=slept)
    assert admitted(both, [0, 1, 0, 1, 1, 0, 0], 10) == 5
    assert admitted(both, [1], 10) == 0, "the other one may not either"
    assert all(0 < seconds <= 60 for seconds in slept)
    assert admitted(paces(opened, "another key", requests=5, slept=slept), [0, 1], 10) == 2


def test_tokens_of_a_minute_are_counted_over_all_workers_and_settled_for_all(opened: Any) -> None:
    both = paces(opened, "tokens", tokens=1000, slept=[])
    ticket = asyncio.run(both[0].admit(900, "the test"))
    assert admitted(both, [1], 200) == 0
    ticket.settle(100)
    assert admitted(both, [1, 0, 1, 1], 300) == 3


def test_attempts_of_many_workers_at_once_are_never_more_than_the_limit(opened: Any) -> None:
    slept: list[float] = []

    async def all_at_once() -> int:
        asked = [pace.admit(1, "the test") for _ in range(10) for pace in paces(opened, "rush", requests=7, slept=slept)]
        told = await asyncio.gather(*asked, return_exceptions=True)
        return sum(not isinstance(each, BaseException) for each in told)

    assert asyncio.run(all_at_once()) == 7


def test_a_minute_that_is_over_is_forgotten(opened: Any) -> None:
    async def twice() -> None:
        pace = SharedPace(opened, "short", 1, None, window_s=0.2)
        await pace.admit(1, "the test")
        await pace.admit(1, "the test")

    asyncio.run(twice())
    with opened() as connection:
        assert connection.execute("SELECT count(*) FROM trustops_engine.paces WHERE key = 'short'").fetchone()[0] <= 2


def board(opened: Any, worker: str) -> Board:
    made = Board(opened, worker, worker, "1", 60.0)
    made.begin()
    return made


def test_two_workers_of_a_review_do_not_spend_more_than_it_may_cost(opened: Any) -> None:
    async def spend() -> int:
        both = [SharedPurse(board(opened, name), "kestrel", "R-1", Decimal("1.00"), Decimal("0.10")) for name in ("one", "two")]
        for turn in range(5):  # 0.10 + 5 x 0.15 = 0.85, and one more may cost 0.20
            await both[turn % 2].take(Decimal("0.20"))
            await both[turn % 2].settle(Decimal("0.20"), Decimal("0.15"))
        for purse in both:
            with pytest.raises(ProviderFailed, match=r"\$0\.8500 of the review's \$1\.00 are spent"):
                await purse.take(Decimal("0.20"))
        return 5

    assert asyncio.run(spend()) == 5
    with opened() as connection:
        assert connection.execute("SELECT spent FROM trustops_engine.purses WHERE review = 'R-1'").fetchone()[0] == Decimal("0.85")


def test_what_a_worker_held_falls_back_when_it_dies(opened: Any) -> None:
    async def scene() -> None:
        dead, alive = board(opened, "dead"), board(opened, "alive")
        await SharedPurse(dead, "kestrel", "R-2", Decimal(1), Decimal(0)).take(Decimal("0.90"))
        heir = SharedPurse(alive, "kestrel", "R-2", Decimal(1), Decimal(0))
        waiting = asyncio.create_task(heir.take(Decimal("0.50")))
        await asyncio.wait([waiting], timeout=0.5)
        assert not waiting.done(), "it holds what another one holds"
        dead.end()
        await asyncio.wait_for(waiting, 60)

    asyncio.run(scene())
