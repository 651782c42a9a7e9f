"""The gateway: how many at once, how long each, and nothing hidden about who serves."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.providers.asking import request
from tests.team.tiny import WIRES, wire_client
from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.ports import ModelReply, ModelRequest
from trustops.providers.gateway import Gateway
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Fault, Script


@pytest.mark.parametrize("wire", WIRES)
async def test_no_more_calls_than_allowed_are_in_flight(wire: str) -> None:
    provider = FakeProvider(delay_s=0.03)
    gateway = Gateway(wire_client(wire, provider), concurrency=3)
    await asyncio.gather(*(gateway.complete(request()) for _ in range(10)))
    assert (provider.calls, provider.most_in_flight) == (10, 3)


async def test_a_call_with_its_retries_ends_in_time() -> None:
    provider = FakeProvider(Script({"commander": [Fault.TIMEOUT]}))
    gateway = Gateway(wire_client("anthropic", provider), timeout_s=0.15)
    started = time.perf_counter()
    with pytest.raises(ProviderFailed, match=r"commander seat: no reply within 0\.15 s") as failed:
        await gateway.complete(request(timeout_s=0.1))
    assert failed.value.kind == "timeout"
    assert time.perf_counter() - started < 0.6
    assert provider.in_flight == 0


async def test_a_failed_call_gives_its_place_back() -> None:
    provider = FakeProvider(Script({"commander": [Fault.HTTP_400]}))
    gateway = Gateway(wire_client("chat", provider), concurrency=1)
    for _ in range(3):
        with pytest.raises(ProviderFailed, match="HTTP 400"):
            await gateway.complete(request())
    assert provider.calls == 3


async def test_a_cancelled_call_gives_its_place_back() -> None:
    provider = FakeProvider(Script({"commander": [Fault.TIMEOUT, {"any": "thing"}]}))
    gateway = Gateway(wire_client("chat", provider), concurrency=1)
    task = asyncio.create_task(gateway.complete(request()))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await gateway.complete(request())).attempts == 1


def test_the_line_of_one_event_loop_is_not_that_of_the_next() -> None:
    provider = FakeProvider(delay_s=0.01)
    gateway = Gateway(wire_client("anthropic", provider), concurrency=1)

    async def crowd() -> None:
        await asyncio.gather(*(gateway.complete(request()) for _ in range(3)))

    asyncio.run(crowd())
    asyncio.run(crowd())
    assert (provider.calls, provider.most_in_flight) == (6, 1)


async def test_the_origin_is_the_clients() -> None:
    class Silent:
        async def complete(self, request: ModelRequest) -> ModelReply:
            raise NotImplementedError

    class Liar(Silent):
        origin = "LIVE"

    assert Gateway(Silent()).origin is Origin.SCRIPTED
    assert Gateway(Liar()).origin is Origin.SCRIPTED
    client = wire_client("anthropic", FakeProvider())
    gateway = Gateway(client)
    await gateway.complete(request())
    assert gateway.origin is client.origin is Origin.SCRIPTED
    await gateway.close()
