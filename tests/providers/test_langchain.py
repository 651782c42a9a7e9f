"""Any BaseChatModel at the table: its reply, its usage, and the doubt about who served it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda

from tests.providers.asking import request
from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.providers.langchain import LangChainClient


class Saying(BaseChatModel):
    """A chat model that gives one message and keeps what it was asked."""

    message: AIMessage
    delay_s: float = 0.0
    heard: list[list[BaseMessage]] = []

    @property
    def _llm_type(self) -> str:
        return "saying"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.heard.append(messages)
        await asyncio.sleep(self.delay_s)
        return ChatResult(generations=[ChatGeneration(message=self.message)])


class Structured(Saying):
    """One that knows structured output."""

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **kwargs: Any) -> Runnable[Any, Any]:
        assert (kwargs, include_raw, schema["title"]) == ({"method": "json_schema"}, True, "CommanderOpinion")
        return self | RunnableLambda(lambda raw: {"raw": raw, "parsed": None, "parsing_error": None})


def said(text: str = "{}", **about: Any) -> AIMessage:
    return AIMessage(text, usage_metadata={"input_tokens": 14, "output_tokens": 3, "total_tokens": 17}, **about)


async def test_a_model_without_structured_output_is_told_the_schema() -> None:
    model = Saying(message=said('{"asks": []}', response_metadata={"finish_reason": "stop", "model_name": "m1"}), heard=[])
    reply = await LangChainClient(model, name="someone").complete(request())
    assert (reply.text, reply.stop_reason, reply.provider, reply.model) == ('{"asks": []}', "complete", "someone", "m1")
    assert (reply.tokens_in, reply.tokens_out) == (14, 3)
    system, user = model.heard[0]
    assert system.content == request().system
    assert '"additionalProperties": false' in str(user.content)


async def test_a_model_with_structured_output_gets_the_schema_and_the_plain_question() -> None:
    model = Structured(message=said('{"asks": []}'), heard=[])
    assert (await LangChainClient(model, name="someone").complete(request())).text == '{"asks": []}'
    assert model.heard[0][1].content == request().user


async def test_arguments_of_a_tool_call_are_the_reply() -> None:
    model = Saying(message=said("", tool_calls=[{"name": "CommanderOpinion", "args": {"asks": []}, "id": "1"}]))
    assert (await LangChainClient(model, name="someone").complete(request())).text == '{"asks": []}'


@pytest.mark.parametrize(
    ("told", "stop"),
    [
        ({"stop_reason": "max_tokens"}, "truncated"),
        ({"finish_reason": "length"}, "truncated"),
        ({"stop_reason": "refusal"}, "refusal"),
        ({"finish_reason": "content_filter"}, "refusal"),
        ({"finish_reason": "tool_calls"}, "other"),
        ({}, "complete"),
    ],
)
async def test_stop_reasons_are_normalised(told: dict[str, str], stop: str) -> None:
    assert (await LangChainClient(Saying(message=said(response_metadata=told)), name="x").complete(request())).stop_reason == stop


async def test_a_refusal_beside_the_text_is_a_refusal() -> None:
    model = Saying(message=said("", additional_kwargs={"refusal": "no"}))
    assert (await LangChainClient(model, name="x").complete(request())).stop_reason == "refusal"


@pytest.mark.parametrize(
    ("headers", "origin"),
    [
        (None, Origin.SCRIPTED),
        ({"content-type": "application/json"}, Origin.SCRIPTED),
        ({"X-Request-Id": "req_1"}, Origin.LIVE),
        ({"x-request-id": "req_1", "x-trustops-origin": "SCRIPTED"}, Origin.SCRIPTED),
        ({"request-id": "req_1", "X-TrustOps-Origin": "LIVE"}, Origin.SCRIPTED),
    ],
)
async def test_what_cannot_be_told_from_a_fake_is_not_live(headers: dict[str, str] | None, origin: Origin) -> None:
    told = {"headers": headers} if headers else {}
    client = LangChainClient(Saying(message=said(response_metadata=told)), name="x")
    assert client.origin is Origin.SCRIPTED
    assert (await client.complete(request())).origin is client.origin is origin


async def test_a_slow_model_is_a_timeout() -> None:
    client = LangChainClient(Saying(message=said(), delay_s=5), name="x")
    with pytest.raises(ProviderFailed) as failed:
        await client.complete(request(timeout_s=0.05))
    assert failed.value.kind == "timeout"
