"""Anthropic Messages over the `anthropic` SDK, with the reply's JSON schema as output format (no forced tools)."""

from __future__ import annotations

from typing import Any, ClassVar

import anthropic
import httpx2
from anthropic import AsyncAnthropic
from anthropic.types import TextBlockParam

from trustops.ports import ModelRequest
from trustops.providers.attempts import Trouble, of_status
from trustops.providers.bounded import HOOKS, UNPACKED, broken_off
from trustops.providers.schema import for_anthropic
from trustops.providers.sdk import Heard, Said, SdkClient

STOPS = {
    "end_turn": "complete",
    "stop_sequence": "complete",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "refusal",
}
PUBLIC = "https://api.anthropic.com"


def _kept(text: str) -> TextBlockParam:
    """A beginning that the provider keeps for five minutes. One that is too short for it costs nothing more."""
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _blocks(request: ModelRequest, shares: bool) -> list[TextBlockParam]:
    """The message in one piece, or the material that another seat is sent as well apart from the rest: who comes first pays a quarter
    more for it, who comes second a tenth."""
    common, own = request.user[: request.shared], request.user[request.shared :]
    if not shares or not common.strip():
        return [{"type": "text", "text": request.user}]
    return [_kept(common), {"type": "text", "text": own}]


class AnthropicClient(SdkClient[AsyncAnthropic]):
    """Implements ports.ModelClient. The SDK's own spans and its `traceparent` header are off: nothing of a trace leaves the house.

    `shares` says that Answer and Reviewer both come here, so that the dossier is kept for the second one. What all seats are told is kept
    always.
    """

    shares = True
    name: ClassVar[str] = "anthropic"
    request_id_header: ClassVar[str] = "request-id"

    def _open(self) -> AsyncAnthropic:
        return AsyncAnthropic(
            api_key=self._key.get_secret_value(),
            base_url=self.base_url or PUBLIC,
            max_retries=0,
            open_telemetry={"propagation": False, "traces": False},
            http_client=anthropic.DefaultAsyncHttpxClient(
                transport=self._transport, follow_redirects=False, event_hooks=HOOKS, headers=UNPACKED
            ),
        )

    async def _shut(self, sdk: AsyncAnthropic) -> None:
        await sdk.close()

    async def _ask(self, sdk: AsyncAnthropic, request: ModelRequest) -> Heard:
        temperature = self.temperature if request.temperature is None else request.temperature
        try:
            raw = await sdk.messages.with_raw_response.create(
                model=self.model,
                max_tokens=request.max_tokens,
                system=[_kept(request.system)],
                messages=[{"role": "user", "content": _blocks(request, self.shares)}],
                output_config={"format": {"type": "json_schema", "schema": for_anthropic(request.shape)}},
                extra_body=None if temperature is None else {"temperature": temperature},  # gone from the SDK; older models take it
                timeout=request.timeout_s,
            )
            return Heard(raw.status_code, raw.headers, await raw.json())
        except anthropic.APIStatusError as told:
            raise of_status(told.status_code, told.api_message or "no explanation", told.response.headers) from told
        except anthropic.APITimeoutError as late:
            raise Trouble("timeout", f"no reply within {request.timeout_s:g} s", True, {}) from late
        except (anthropic.APIConnectionError, httpx2.HTTPError) as lost:
            raise broken_off(lost) from lost
        except ValueError as broken:
            raise Trouble("http", "HTTP 200 without JSON", False, {}) from broken

    def _read(self, body: Any) -> Said:
        usage = body["usage"]
        written, cached = (usage.get(part) or 0 for part in ("cache_creation_input_tokens", "cache_read_input_tokens"))
        return Said(
            text="".join(block["text"] for block in body["content"] if block["type"] == "text"),
            stop=STOPS.get(body["stop_reason"], "other"),
            tokens_in=usage["input_tokens"] + written + cached,
            tokens_out=usage["output_tokens"],
            model=body["model"],
            cached=cached,
            written=written,
            id=str(body.get("id") or ""),
        )
