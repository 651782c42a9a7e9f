"""The fake provider: over a real socket, counted, marked, and gone when it is stopped."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import httpx2
import pytest

from tests.providers.asking import request
from tests.team.tiny import KEY, QUICK, WIRES
from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.providers.anthropic import AnthropicClient
from trustops.providers.openai import OpenAIClient
from trustops.testing.provider import FakeProvider, serve
from trustops.testing.scripts import Asked, Behind, Fault, Script, Tap, Tapped, minimal, seat_of
from trustops.testing.worst_case import Hostile


def over_socket(wire: str, base: str) -> AnthropicClient | OpenAIClient:
    if wire == "anthropic":
        return AnthropicClient("m", api_key=KEY, base_url=base, patience=QUICK)
    api = "responses" if wire == "responses" else "chat"
    return OpenAIClient("m", api_key=KEY, api=api, base_url=f"{base}/v1", patience=QUICK)  # type: ignore[arg-type]


@pytest.mark.parametrize("wire", WIRES)
async def test_the_sdks_reach_it_over_a_loopback_port(wire: str) -> None:
    provider = FakeProvider(delay_s=0.02)
    with serve(provider) as base:
        client = over_socket(wire, base)
        replies = await asyncio.gather(*(client.complete(request()) for _ in range(4)))
        await client.close()
    assert {reply.origin for reply in replies} == {Origin.SCRIPTED}
    assert len({reply.request_id for reply in replies}) == provider.calls == 4
    assert provider.most_in_flight > 1
    assert provider.in_flight == 0


@pytest.mark.parametrize("wire", WIRES)
async def test_a_torn_connection_over_a_socket_is_tried_again(wire: str) -> None:
    provider = FakeProvider(Script({"commander": [Fault.EXCEPTION, {"any": "thing"}]}))
    with serve(provider) as base:
        client = over_socket(wire, base)
        assert (await client.complete(request())).attempts == 2
        await client.close()


@pytest.mark.parametrize("wire", WIRES)
async def test_a_hanging_reply_does_not_outlive_its_client(wire: str) -> None:
    provider = FakeProvider(Script({"commander": [Fault.TIMEOUT]}))
    started = time.perf_counter()
    with serve(provider) as base:
        client = over_socket(wire, base)
        with pytest.raises(ProviderFailed) as failed:
            await client.complete(request(timeout_s=0.15))
        await client.close()
    assert failed.value.kind == "timeout"
    assert provider.in_flight == 0
    assert time.perf_counter() - started < 3


def test_it_stops_cleanly() -> None:
    with serve(FakeProvider()) as base:
        port = httpx2.URL(base).port
        assert port
        assert any(thread.name == "fake-provider" for thread in threading.enumerate())
    assert not any(thread.name == "fake-provider" for thread in threading.enumerate())
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", port), timeout=1):
        pass


def test_a_taken_port_is_told() -> None:
    with (
        serve(FakeProvider()) as base,
        pytest.raises(OSError, match="in use"),
        serve(FakeProvider(), port=httpx2.URL(base).port or 0),
    ):
        pass


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses", "/v1/chat/completions"])
@pytest.mark.parametrize("fault", [None, Fault.HTTP_400, Fault.NO_JSON])
async def test_every_reply_is_marked(path: str, fault: Fault | None) -> None:
    provider = FakeProvider(Script({"": [fault]}) if fault else None)
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "input": "hi", "max_tokens": 5}
    async with httpx2.AsyncClient(transport=provider.transport(), base_url="http://fake") as client:
        reply = await client.post(path, json=body)
    assert reply.headers["x-trustops-origin"] == "SCRIPTED"
    assert reply.headers["request-id" if path == "/v1/messages" else "x-request-id"].startswith("req_fake_")


def test_seats_are_known_by_the_shipped_prompts() -> None:
    from trustops import roster

    table = roster.load()
    for seat, agent in table.agents.items():
        assert seat_of(table.prompts[agent.prompt].text) == seat
    assert seat_of("You are a helpful assistant.") == ""


async def test_an_offline_client_behind_the_wire_knows_only_tapped_requests() -> None:
    tap = Tap()
    provider = FakeProvider(Script(otherwise=Behind(Hostile(), tap)))
    client = OpenAIClient("m", api_key=KEY, base_url="http://fake/v1", patience=QUICK, transport=provider.transport())
    asked = request("reviewer", payload={"question": {"text": "?"}})
    with pytest.raises(ProviderFailed, match="HTTP 400"):
        await client.complete(asked)
    reply = await Tapped(client, tap).complete(asked)
    assert (reply.text, reply.provider) == ('{"decision": "PASS", "findings": []}', "openai")


async def test_a_queue_gives_its_last_answer_for_ever_and_functions_are_asked() -> None:
    def echo(asked: Asked) -> str:
        return asked.user

    script = Script({"answer": ["one", "two"], "policy": echo}, otherwise=minimal)
    asked = Asked("chat", "answer", "m", "", "hello", {"type": "object", "properties": {}}, {}, {})
    assert [await script.answer(asked) for _ in range(3)] == ["one", "two", "two"]
    from dataclasses import replace

    assert await script.answer(replace(asked, seat="policy")) == "hello"
    assert await script.answer(replace(asked, seat="control")) == {}
