"""The contract of a model client, for both SDKs and all three wire forms."""

from __future__ import annotations

import asyncio
import traceback

import pytest

from tests.providers.asking import SHAPES, request
from tests.team.tiny import KEY, WIRES, wire_client
from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Fault, Script

pytestmark = pytest.mark.parametrize("wire", WIRES)
ID_HEADER = {"anthropic": "messages", "responses": "responses", "chat": "chat"}


@pytest.mark.parametrize("seat", SHAPES)
async def test_every_seats_reply_comes_back_valid(wire: str, seat: str) -> None:
    provider = FakeProvider()
    reply = await wire_client(wire, provider).complete(request(seat))
    SHAPES[seat].model_validate_json(reply.text)
    assert reply.stop_reason == "complete"
    assert (reply.http_status, reply.attempts, reply.model) == (200, 1, "test-model")


async def test_request_id_usage_and_latency_are_kept(wire: str) -> None:
    provider = FakeProvider(delay_s=0.02)
    client = wire_client(wire, provider)
    first, second = [await client.complete(request()) for _ in range(2)]
    assert first.request_id.startswith(f"req_fake_{ID_HEADER[wire]}_")
    assert first.request_id != second.request_id
    assert first.tokens_in == len(request().system + request().user) // 4 + 1
    assert first.tokens_out > 1
    assert 20 <= first.latency_ms < 2000


async def test_a_fake_is_never_live(wire: str) -> None:
    provider = FakeProvider()
    client = wire_client(wire, provider)
    assert client.origin is Origin.SCRIPTED
    reply = await client.complete(request())
    assert reply.origin is client.origin is Origin.SCRIPTED


@pytest.mark.parametrize("claimed", ["LIVE", "live", "", "REAL"])
async def test_a_marker_that_claims_to_be_live_is_not_believed(wire: str, claimed: str) -> None:
    provider = FakeProvider(headers={"x-trustops-origin": claimed})
    assert (await wire_client(wire, provider).complete(request())).origin is Origin.SCRIPTED


async def test_a_marker_may_say_recorded(wire: str) -> None:
    provider = FakeProvider(headers={"x-trustops-origin": "RECORDED"})
    assert (await wire_client(wire, provider).complete(request())).origin is Origin.RECORDED


async def test_a_call_that_never_got_a_reply_is_not_live(wire: str) -> None:
    client = wire_client(wire, FakeProvider(Script({"commander": [Fault.HTTP_500]})))
    with pytest.raises(ProviderFailed):
        await client.complete(request())
    assert client.origin is Origin.SCRIPTED


@pytest.mark.parametrize(("fault", "stop"), [(Fault.REFUSAL, "refusal"), (Fault.TRUNCATED, "truncated")])
async def test_refused_and_cut_replies_keep_their_id_and_usage(wire: str, fault: Fault, stop: str) -> None:
    reply = await wire_client(wire, FakeProvider(Script({"commander": [fault]}))).complete(request())
    assert reply.stop_reason == stop
    assert reply.request_id
    assert reply.tokens_in > 0


async def test_an_empty_reply_is_told_as_empty(wire: str) -> None:
    reply = await wire_client(wire, FakeProvider(Script({"commander": [Fault.EMPTY_REPLY]}))).complete(request())
    assert reply.text == ""


async def test_a_body_without_json_is_a_failure(wire: str) -> None:
    with pytest.raises(ProviderFailed, match="without JSON") as failed:
        await wire_client(wire, FakeProvider(Script({"commander": [Fault.NO_JSON]}))).complete(request())
    assert failed.value.kind == "http"


@pytest.mark.parametrize("fault", [f for f in Fault if f.status >= 400 or f in (Fault.EXCEPTION, Fault.NO_JSON, Fault.TIMEOUT)])
async def test_the_key_is_in_no_message(wire: str, fault: Fault) -> None:
    client = wire_client(wire, FakeProvider(Script({"commander": [fault]})))
    with pytest.raises(ProviderFailed) as failed:
        await client.complete(request(timeout_s=0.05))
    secret = KEY.get_secret_value()
    told = f"{failed.value}{failed.value.message}{failed.value!r}{client!r}{vars(client)!r}"
    assert secret not in told
    assert secret not in "".join(traceback.format_exception(failed.value))


async def test_a_key_that_the_provider_repeats_is_blotted_out(wire: str) -> None:
    provider = FakeProvider(Script({"commander": [Fault.HTTP_400]}))
    provider.problem = f"bad header Bearer {KEY.get_secret_value()} in request"
    with pytest.raises(ProviderFailed, match=r"bad header Bearer \[secret\] in request"):
        await wire_client(wire, provider).complete(request())


async def test_what_is_sent(wire: str) -> None:
    provider = FakeProvider()
    await wire_client(wire, provider).complete(request(temperature=0.0, max_tokens=321))
    asked = provider.asked[0]
    assert asked.seat == "commander"
    assert asked.user == request().user
    assert asked.body["temperature"] == 0.0
    assert 321 in (asked.body.get(name) for name in ("max_tokens", "max_output_tokens", "max_completion_tokens"))
    assert "tools" not in asked.body
    assert "traceparent" not in asked.headers
    if wire == "responses":
        assert asked.body["store"] is False


async def test_no_temperature_is_sent_unasked(wire: str) -> None:
    provider = FakeProvider()
    await wire_client(wire, provider).complete(request())
    assert "temperature" not in provider.asked[0].body


def test_a_client_works_in_one_event_loop_after_another(wire: str) -> None:
    provider = FakeProvider()
    client = wire_client(wire, provider)

    async def once() -> str:
        return (await client.complete(request())).stop_reason

    assert [asyncio.run(once()) for _ in range(2)] == ["complete", "complete"]
    asyncio.run(client.close())
