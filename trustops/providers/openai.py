"""OpenAI Responses and Chat Completions over the `openai` SDK; with a `base_url` any server that speaks one of them."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import httpx2
import openai
from openai import AsyncOpenAI, omit
from pydantic import SecretStr

from trustops.ports import ModelRequest
from trustops.providers.attempts import Patience, Trouble, of_status
from trustops.providers.bounded import HOOKS, UNPACKED, broken_off
from trustops.providers.pace import Pace
from trustops.providers.schema import brief, for_openai
from trustops.providers.sdk import Heard, Said, SdkClient

Api = Literal["responses", "chat"]
CHAT_STOPS = {"stop": "complete", "length": "truncated", "content_filter": "refusal"}
CUT_SHORT = {"max_output_tokens": "truncated", "content_filter": "refusal"}
PUBLIC = "https://api.openai.com/v1"
OWN_HOSTS = (".openai.com", ".openai.azure.com")


class OpenAIClient(SdkClient[AsyncOpenAI]):
    """Implements ports.ModelClient. `api` chooses the wire form; compatible servers mostly speak "chat" alone.

    A local server needs no key: give any text. Nothing is stored at the provider (`store` is off). `brief` asks a compatible server for
    short texts and lists.
    """

    name: ClassVar[str] = "openai"
    request_id_header: ClassVar[str] = "x-request-id"

    def __init__(
        self,
        model: str,
        *,
        api_key: SecretStr,
        api: Api = "responses",
        base_url: str = "",
        temperature: float | None = None,
        patience: Patience | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        profile: str = "",
        pace: Pace | None = None,
        brief: bool = False,
    ) -> None:
        super().__init__(
            model,
            api_key=api_key,
            base_url=base_url,
            temperature=temperature,
            patience=patience,
            transport=transport,
            profile=profile,
            pace=pace,
        )
        self.api: Api = api
        self.brief = brief

    def _open(self) -> AsyncOpenAI:
        return AsyncOpenAI(
            api_key=self._key.get_secret_value(),
            base_url=self.base_url or PUBLIC,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                transport=self._transport, follow_redirects=False, event_hooks=HOOKS, headers=UNPACKED
            ),
        )

    async def _shut(self, sdk: AsyncOpenAI) -> None:
        await sdk.close()

    async def _ask(self, sdk: AsyncOpenAI, request: ModelRequest) -> Heard:
        try:
            raw = await (self._responses(sdk, request) if self.api == "responses" else self._chat(sdk, request))
            return Heard(raw.status_code, raw.headers, json.loads(raw.text))
        except openai.APIStatusError as told:
            said = told.body.get("message") if isinstance(told.body, dict) else None
            raise of_status(told.status_code, said or "no explanation", told.response.headers, code=told.code or "") from told
        except openai.APITimeoutError as late:
            raise Trouble("timeout", f"no reply within {request.timeout_s:g} s", True, {}) from late
        except (openai.APIConnectionError, httpx2.HTTPError) as lost:
            raise broken_off(lost) from lost
        except ValueError as broken:
            raise Trouble("http", "HTTP 200 without JSON", False, {}) from broken

    async def _responses(self, sdk: AsyncOpenAI, request: ModelRequest) -> Any:
        form: Any = {"type": "json_schema", "name": request.shape_name, "schema": for_openai(request.shape), "strict": True}
        return await sdk.responses.with_raw_response.create(
            model=self.model,
            instructions=request.system,
            input=request.user,
            max_output_tokens=request.max_tokens,
            text={"format": form},
            store=False,
            temperature=self._temperature(request),
            timeout=request.timeout_s,
        )

    async def _chat(self, sdk: AsyncOpenAI, request: ModelRequest) -> Any:
        own = (urlsplit(self.base_url or PUBLIC).hostname or "").endswith(OWN_HOSTS)
        schema = for_openai(request.shape)
        form: Any = {"name": request.shape_name, "schema": brief(schema) if self.brief and not own else schema, "strict": True}
        return await sdk.chat.completions.with_raw_response.create(
            model=self.model,
            messages=[{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            max_completion_tokens=request.max_tokens if own else omit,
            max_tokens=omit if own else request.max_tokens,  # what compatible servers know
            response_format={"type": "json_schema", "json_schema": form},
            temperature=self._temperature(request),
            timeout=request.timeout_s,
        )

    def _temperature(self, request: ModelRequest) -> Any:
        chosen = self.temperature if request.temperature is None else request.temperature
        return omit if chosen is None else chosen

    def _read(self, body: Any) -> Said:
        return _read_responses(body) if self.api == "responses" else _read_chat(body)


def _read_responses(body: Any) -> Said:
    if body["status"] == "failed":
        raise Trouble("http", f"the response failed: {(body.get('error') or {}).get('message', 'no explanation')[:200]}", False, {})
    parts = [part for item in body["output"] if item["type"] == "message" for part in item["content"]]
    refused = any(part["type"] == "refusal" for part in parts)
    usage = body.get("usage") or {}
    return Said(
        text="".join(part["text"] for part in parts if part["type"] == "output_text"),
        stop="refusal" if refused else _responses_stop(body),
        tokens_in=usage.get("input_tokens", 0),
        tokens_out=usage.get("output_tokens", 0),
        model=body["model"],
        cached=(usage.get("input_tokens_details") or {}).get("cached_tokens") or 0,
        id=str(body.get("id") or ""),
    )


def _responses_stop(body: Any) -> str:
    if body["status"] == "completed":
        return "complete"
    return CUT_SHORT.get((body.get("incomplete_details") or {}).get("reason", ""), "other")


def _read_chat(body: Any) -> Said:
    choice = body["choices"][0]
    refused = bool(choice["message"].get("refusal"))
    usage = body.get("usage") or {}
    return Said(
        text=choice["message"].get("content") or "",
        stop="refusal" if refused else CHAT_STOPS.get(choice["finish_reason"], "other"),
        tokens_in=usage.get("prompt_tokens", 0),
        tokens_out=usage.get("completion_tokens", 0),
        model=body.get("model", ""),
        cached=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
        id=str(body.get("id") or ""),
    )
