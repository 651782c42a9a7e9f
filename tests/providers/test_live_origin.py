"""A real provider's side: only a reply without the marker is live, and a redirect takes the key nowhere."""

from __future__ import annotations

import json

import httpx2
import pytest

from tests.providers.asking import request
from tests.team.tiny import KEY
from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.providers.anthropic import AnthropicClient
from trustops.providers.attempts import Patience
from trustops.providers.openai import OpenAIClient

BODY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m-20260101",
    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "{}"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 11, "cache_read_input_tokens": 3, "cache_creation_input_tokens": None, "output_tokens": 2},
}


def client(*replies: httpx2.Response) -> AnthropicClient:
    queue = list(replies)
    transport = httpx2.MockTransport(lambda _: queue.pop(0))
    return AnthropicClient("m", api_key=KEY, base_url="http://mock", patience=Patience(attempts=1), transport=transport)


async def test_a_reply_without_marker_is_live_and_counts_cached_tokens() -> None:
    served = client(httpx2.Response(200, json=BODY, headers={"request-id": "req_1"}))
    reply = await served.complete(request())
    assert (reply.origin, served.origin) == (Origin.LIVE, Origin.LIVE)
    assert (reply.request_id, reply.tokens_in, reply.tokens_out, reply.model) == ("req_1", 14, 2, "m-20260101")


async def test_an_error_page_makes_nothing_live() -> None:
    served = client(httpx2.Response(500, text="proxy"), httpx2.Response(200, json={"hello": 1}))
    for kind in ("http", "empty"):
        with pytest.raises(ProviderFailed) as failed:
            await served.complete(request())
        assert failed.value.kind == kind
        assert served.origin is Origin.SCRIPTED


async def test_a_marked_reply_takes_the_liveness_back() -> None:
    served = client(httpx2.Response(200, json=BODY), httpx2.Response(200, json=BODY, headers={"x-trustops-origin": "SCRIPTED"}))
    await served.complete(request())
    await served.complete(request())
    assert served.origin is Origin.SCRIPTED


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.host)
        return httpx2.Response(status, headers={"location": "http://elsewhere/v1/messages"})

    moved = httpx2.MockTransport(answer)
    for served in (
        AnthropicClient("m", api_key=KEY, base_url="http://mock", transport=moved),
        OpenAIClient("m", api_key=KEY, base_url="http://mock/v1", transport=moved),
    ):
        with pytest.raises(ProviderFailed, match=f"HTTP {status}"):
            await served.complete(request())
    assert asked == ["mock", "mock"]


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("", "max_completion_tokens"),
        ("https://acme.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://localhost:8000/v1", "max_tokens"),
        ("https://notopenai.com/v1", "max_tokens"),
    ],
)
async def test_a_compatible_server_gets_the_limit_by_the_name_it_knows(base: str, name: str) -> None:
    bodies: list[dict[str, object]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return httpx2.Response(200, json={"model": "m", "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]})

    served = OpenAIClient("m", api_key=KEY, api="chat", base_url=base, transport=httpx2.MockTransport(answer))
    reply = await served.complete(request(max_tokens=777))
    assert {key: value for key, value in bodies[0].items() if "tokens" in key} == {name: 777}
    assert (reply.tokens_in, reply.origin) == (0, Origin.LIVE)


@pytest.mark.parametrize(("base", "sent"), [("http://localhost:8000/v1", True), ("", False), ("https://acme.openai.azure.com/v1", False)])
async def test_short_texts_are_asked_of_a_compatible_server_alone(base: str, sent: bool) -> None:
    """OpenAI itself refuses a schema with lengths."""
    bodies: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(request.content.decode())
        return httpx2.Response(200, json={"id": "c-1", "model": "m", "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]})

    served = OpenAIClient("m", api_key=KEY, api="chat", base_url=base, brief=True, transport=httpx2.MockTransport(answer))
    reply = await served.complete(request())
    assert ('"maxLength"' in bodies[0]) is sent
    assert reply.request_id == "c-1", "the reply's own id stands in where no header names the request"
