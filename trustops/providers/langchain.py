"""Any `BaseChatModel` of langchain-core as a ModelClient, for providers that have no SDK room here."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable

from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.ports import ModelReply, ModelRequest
from trustops.providers.attempts import served_by
from trustops.providers.schema import for_openai

STOPS = {
    "stop": "complete",
    "end_turn": "complete",
    "stop_sequence": "complete",
    "completed": "complete",
    "length": "truncated",
    "max_tokens": "truncated",
    "content_filter": "refusal",
    "refusal": "refusal",
}


class LangChainClient:
    """Implements ports.ModelClient. Length, temperature and retries are those of the model as it was built; `name` is its provider's.

    LIVE only for a reply that shows its HTTP headers with a request id and without the marker of a fake (ChatOpenAI does with
    `include_response_headers=True`): what cannot be told from a scripted reply is SCRIPTED.
    """

    def __init__(self, model: BaseChatModel, *, name: str) -> None:
        self._model, self.name = model, name
        self._origin = Origin.SCRIPTED

    @property
    def origin(self) -> Origin:
        """Who served the last reply."""
        return self._origin

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The model's reply. Raises ProviderFailed(kind="timeout"), kind="empty" for a reply that is no message; else what it raises."""
        started = time.perf_counter()
        try:
            async with asyncio.timeout(request.timeout_s):
                message = await self._message(request)
        except TimeoutError as late:
            raise ProviderFailed(f"no reply within {request.timeout_s:g} s", kind="timeout", where=self.name) from late
        told = message.response_metadata
        headers = {str(key).lower(): str(value) for key, value in dict(told.get("headers") or {}).items()}
        request_id = headers.get("x-request-id") or headers.get("request-id") or ""
        self._origin = served_by(headers) if request_id else Origin.SCRIPTED
        usage: Mapping[str, Any] = message.usage_metadata or {}
        return ModelReply(
            text=_text(message),
            stop_reason=_stop(message),
            origin=self._origin,
            provider=self.name,
            model=str(told.get("model_name") or told.get("model") or type(self._model).__name__),
            request_id=request_id,
            tokens_in=usage.get("input_tokens", 0),
            tokens_out=usage.get("output_tokens", 0),
            latency_ms=int((time.perf_counter() - started) * 1000),
        )

    async def _message(self, request: ModelRequest) -> AIMessage:
        schema = {**for_openai(request.shape), "title": request.shape_name}
        model = self._structured(schema)
        user = request.user if model else f"{request.user}\n\nReply with JSON of this schema and nothing else:\n{json.dumps(schema)}"
        asked: list[BaseMessage] = [SystemMessage(request.system), HumanMessage(user)]
        said = await (model or self._model).ainvoke(asked)
        message = said["raw"] if isinstance(said, dict) else said
        if not isinstance(message, AIMessage):
            raise ProviderFailed(f"a reply that is no message ({type(message).__name__})", kind="empty", where=self.name)
        return message

    def _structured(self, schema: dict[str, Any]) -> Runnable[Any, Any] | None:
        """The model bound to the schema with the raw message kept, or None where the integration cannot."""
        try:
            return self._model.with_structured_output(schema, method="json_schema", include_raw=True)
        except (NotImplementedError, ValueError, TypeError):
            return None


def _text(message: AIMessage) -> str:
    """The text; where an integration went through a tool call, its arguments."""
    text = str(message.text)
    return json.dumps(message.tool_calls[0]["args"]) if not text.strip() and message.tool_calls else text


def _stop(message: AIMessage) -> str:
    told, kept = message.response_metadata, message.additional_kwargs
    if told.get("refusal") or kept.get("refusal"):
        return "refusal"
    reason = told.get("finish_reason") or told.get("stop_reason") or told.get("done_reason")
    return STOPS.get(str(reason), "other") if reason else "complete"
