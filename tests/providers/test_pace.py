"""Harm: a provider's limits of a minute are broken, and it refuses a whole review; or a call waits for ever."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.asking import request
from tests.team.tiny import QUICK, wire_client
from trustops.domain.errors import ProviderFailed
from trustops.providers.pace import WINDOW_S, Pace
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Fault, Script


@dataclass
class Time:
    """A clock that moves only when somebody sleeps."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds
        self.slept.append(seconds)


async def _admitted(pace: Pace, time: Time, sizes: list[int], between: list[float]) -> list[tuple[float, int]]:
    let_through = []
    for size, pause in zip(sizes, between, strict=True):
        time.now += pause
        ticket = await pace.admit(size, "profile careful")
        let_through.append((ticket.at, ticket.tokens))
    return let_through


@given(
    st.integers(1, 5),
    st.integers(50, 200),
    st.lists(st.tuples(st.integers(1, 50), st.floats(0, 90)), min_size=1, max_size=30),
)
def test_no_minute_holds_more_than_is_allowed(requests: int, tokens: int, calls: list[tuple[int, float]]) -> None:
    time = Time()
    pace = Pace(requests, tokens, clock=time, sleep=time.sleep, longest_s=1e6)
    admitted = asyncio.run(_admitted(pace, time, [size for size, _ in calls], [pause for _, pause in calls]))
    for begin, _ in admitted:
        minute = [size for at, size in admitted if begin <= at < begin + WINDOW_S - 1e-6]
        assert len(minute) <= requests
        assert sum(minute) <= tokens


async def test_a_rest_does_not_let_twice_as_much_through() -> None:
    time = Time()
    pace = Pace(4, clock=time, sleep=time.sleep)
    time.now = 1000.0
    assert [at for at, _ in await _admitted(pace, time, [1] * 8, [0.0] * 8)] == [1000.0] * 4 + [1060.0] * 4


async def test_what_a_reply_really_took_counts() -> None:
    time = Time()
    pace = Pace(tokens=100, clock=time, sleep=time.sleep)
    first = await pace.admit(90, "p")
    first.tokens = 10
    await pace.admit(90, "p")
    assert time.slept == []


async def test_what_can_never_fit_is_refused_with_nothing_sent() -> None:
    with pytest.raises(ProviderFailed, match=r"about 101 tokens, and 100 a minute are allowed") as refused:
        await Pace(tokens=100).admit(101, "profile careful")
    assert (refused.value.kind, refused.value.attempts, refused.value.where) == ("limit", 0, "profile careful")


async def test_a_line_that_is_too_long_is_told() -> None:
    time = Time()
    pace = Pace(1, clock=time, sleep=time.sleep, longest_s=30)
    await pace.admit(1, "p")
    with pytest.raises(ProviderFailed, match="no place within 30 s") as refused:
        await pace.admit(1, "p")
    assert (refused.value.kind, time.slept) == ("limit", [])


@pytest.mark.parametrize("wire", ["anthropic", "chat"])
async def test_retries_count_against_the_minute_and_waiting_does_not_count_against_the_attempt(wire: str) -> None:
    time = Time()
    provider = FakeProvider(Script({"commander": [Fault.HTTP_500, {"any": "thing"}]}))
    client = wire_client(wire, provider, patience=QUICK)
    client.pace = Pace(1, clock=time, sleep=time.sleep)
    reply = await client.complete(request(timeout_s=2.0))
    assert (provider.calls, reply.attempts, time.slept) == (2, 2, [WINDOW_S])


async def test_a_refusal_after_a_failed_attempt_tells_what_was_sent() -> None:
    time = Time()
    provider = FakeProvider(Script({"commander": [Fault.HTTP_500]}))
    client = wire_client("anthropic", provider, patience=QUICK)
    client.pace = Pace(1, clock=time, sleep=time.sleep, longest_s=5)
    with pytest.raises(ProviderFailed, match="no place") as refused:
        await client.complete(request())
    assert (refused.value.attempts, provider.calls) == (1, 1)
