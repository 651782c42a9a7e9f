"""The fake provider server: Anthropic Messages, OpenAI Responses and Chat Completions at the level of the wire, as JSON.

The real SDKs talk to it, over a loopback port (`serve`) or without any socket (`transport`). Every reply says `x-trustops-origin:
SCRIPTED`, so that nothing it served is ever live (invariant 9).
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from trustops.testing.scripts import Answer, Asked, Fault, Script, seat_of

ORIGIN = {"x-trustops-origin": "SCRIPTED"}
LONGEST_HANG_S = 60.0
CACHED_FROM = 1024
"""Tokens from which a beginning is kept, as Anthropic documents it for its Sonnet models."""
IN_REPLY = {Fault.BAD_JSON: '{"half": [1, 2', Fault.EMPTY_REPLY: "", Fault.REFUSAL: "", Fault.TRUNCATED: '{"cut":'}


class FakeProvider:
    """The server's application and its books: `asked` holds every request in order, `most_in_flight` the highest number at once.

    `delay_s` is how long each reply takes, in seconds; `headers` are added to every reply (`retry-after`, for example); `problem` is
    what error replies say, and `code` their code in OpenAI's form.
    """

    def __init__(self, script: Script | None = None, *, delay_s: float = 0.0, headers: Mapping[str, str] | None = None) -> None:
        self.script, self.delay_s, self.headers = script or Script(), delay_s, dict(headers or {})
        self.asked: list[Asked] = []
        self.in_flight = self.most_in_flight = 0
        self.problem = self.code = ""
        self._ids = count(1)
        self._kept: set[tuple[str, str]] = set()
        self.app = Starlette(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/v1/responses", self._responses, methods=["POST"]),
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
            ]
        )

    @property
    def calls(self) -> int:
        """Requests that reached the wire, retries and repairs included."""
        return len(self.asked)

    def calls_by_seat(self) -> Counter[str]:
        return Counter(one.seat for one in self.asked)

    def transport(self) -> httpx2.ASGITransport:
        """For an SDK's HTTP client: requests go straight into the application, without a socket."""
        return _Direct(app=self.app)

    async def _messages(self, request: Request) -> Response:
        body = await request.json()
        schema = body.get("output_config", {}).get("format", {}).get("schema", {})
        system, user = _said(body.get("system", "")), _said(body["messages"][-1]["content"])
        asked = _asked("messages", request, body, system, user, schema)
        return await self._serve(request, asked)

    async def _responses(self, request: Request) -> Response:
        body = await request.json()
        schema = body.get("text", {}).get("format", {}).get("schema", {})
        return await self._serve(request, _asked("responses", request, body, body.get("instructions", ""), body["input"], schema))

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        told = {message["role"]: message["content"] for message in body["messages"]}
        return await self._serve(request, _asked("chat", request, body, told.get("system", ""), told["user"], schema))

    async def _serve(self, request: Request, asked: Asked) -> Response:
        self.asked.append(asked)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.delay_s)
            answer = await self.script.answer(asked)
            if answer is Fault.TIMEOUT:
                await _hang(request)
            return self._reply(asked, answer)
        finally:
            self.in_flight -= 1

    def _reply(self, asked: Asked, answer: Answer) -> Response:
        number = next(self._ids)
        name = "request-id" if asked.api == "messages" else "x-request-id"
        headers = {**ORIGIN, **self.headers, name: f"req_fake_{asked.api}_{number:06d}"}
        if answer is Fault.EXCEPTION or answer is Fault.TIMEOUT:
            return _Torn(headers=headers)
        if answer is Fault.NO_JSON:
            return Response("<html>gateway</html>", media_type="text/html", headers=headers)
        if isinstance(answer, Fault) and answer.status != 200:
            return JSONResponse(_problem(asked.api, answer.status, self.problem, self.code), answer.status, headers)
        body = BODIES[asked.api](asked, _text(answer), answer, number)
        if asked.api == "messages":
            body["usage"] |= self._cache(asked)
        return JSONResponse(body, headers=headers)

    def _cache(self, asked: Asked) -> dict[str, int]:
        """What the provider's cache makes of a request: each marked block ends a beginning, the longest one that is known is read, what is
        marked beyond it is written. A beginning under CACHED_FROM tokens is not kept."""
        marked = [beginning for beginning in _beginnings(asked.body) if _tokens(beginning) >= CACHED_FROM]
        known = [beginning for beginning in marked if (asked.model, beginning) in self._kept]
        read = _tokens(known[-1]) if known else 0
        written = _tokens(marked[-1]) - read if marked else 0
        self._kept.update((asked.model, beginning) for beginning in marked)
        all_in = _tokens(asked.system + asked.user)
        return {"input_tokens": all_in - read - written, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}


class _Direct(httpx2.ASGITransport):
    """Without a socket, a connection that breaks off must look as it does with one."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await super().handle_async_request(request)
        except ConnectionResetError as torn:
            raise httpx2.ReadError(str(torn), request=request) from torn


class _Torn(Response):
    """A reply whose connection breaks in the middle."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = [*(pair for pair in self.raw_headers if pair[0] != b"content-length"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        await send({"type": "http.response.body", "body": b'{"torn', "more_body": True})
        raise ConnectionResetError("the fake provider broke the connection off, as its script says")


async def _hang(request: Request) -> None:
    """Waits until the client has gone, so that a stopped server leaves nothing behind."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LONGEST_HANG_S):
            while (await request.receive())["type"] != "http.disconnect":
                pass


def _asked(api: str, request: Request, body: dict[str, Any], system: str, user: str, schema: dict[str, Any]) -> Asked:
    return Asked(api, seat_of(f"{system}\n{user}"), body["model"], system, user, schema, dict(request.headers), body)


def _said(content: str | list[dict[str, Any]]) -> str:
    """The text of a message, given in one piece or in blocks."""
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def _beginnings(body: Mapping[str, Any]) -> list[str]:
    """Everything up to each block that is marked to be kept, system first."""
    found, so_far = [], ""
    for content in (body.get("system", ""), body["messages"][-1]["content"]):
        for block in content if isinstance(content, list) else [{"text": content}]:
            so_far += block["text"]
            if "cache_control" in block:
                found.append(so_far)
    return found


def _text(answer: Answer) -> str:
    if isinstance(answer, Fault):
        return IN_REPLY.get(answer, "")
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _tokens(text: str) -> int:
    """About four characters a token, at least one."""
    return len(text) // 4 + 1


KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
"""By status: the type of an error reply, in Anthropic's words."""


def _problem(api: str, status: int, told: str, code: str) -> dict[str, Any]:
    said = told or f"scripted failure {status}"
    kind = KINDS.get(status, "api_error")
    problem = {"type": kind, "message": said}
    return {"type": "error", "error": problem} if api == "messages" else {"error": {**problem, "code": code or None, "param": None}}


def _message(asked: Asked, text: str, answer: Answer, number: int) -> dict[str, Any]:
    stop = {Fault.REFUSAL: "refusal", Fault.TRUNCATED: "max_tokens"}.get(answer, "end_turn") if isinstance(answer, Fault) else "end_turn"
    return {
        "id": f"msg_fake_{number:06d}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": _tokens(asked.system + asked.user), "output_tokens": _tokens(text)},
    }


def _response(asked: Asked, text: str, answer: Answer, number: int) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    if answer is Fault.REFUSAL:
        part = {"type": "refusal", "refusal": "I cannot help with that."}
    cut = answer is Fault.TRUNCATED
    tokens_in, tokens_out = _tokens(asked.system + asked.user), _tokens(text)
    return {
        "id": f"resp_fake_{number:06d}",
        "object": "response",
        "created_at": 0,
        "model": asked.model,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": [{"type": "message", "id": f"item_fake_{number:06d}", "role": "assistant", "status": "completed", "content": [part]}],
        "parallel_tool_calls": False,
        "tool_choice": "none",
        "tools": [],
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out, "total_tokens": tokens_in + tokens_out},
    }


def _completion(asked: Asked, text: str, answer: Answer, number: int) -> dict[str, Any]:
    refused = answer is Fault.REFUSAL
    tokens_in, tokens_out = _tokens(asked.system + asked.user), _tokens(text)
    message = {"role": "assistant", "content": None if refused else text, "refusal": "I cannot help with that." if refused else None}
    return {
        "id": f"chatcmpl_fake_{number:06d}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if answer is Fault.TRUNCATED else "stop", "logprobs": None}],
        "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out},
    }


BODIES = {"messages": _message, "responses": _response, "chat": _completion}


@contextmanager
def serve(provider: FakeProvider, *, port: int = 0) -> Iterator[str]:
    """Serves on a loopback port in a thread and gives the base URL (without /v1); port 0 takes a free one. Stops cleanly.

    Raises OSError where the port is taken.
    """
    bound = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(provider.app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([bound],), name="fake-provider", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=5)
        bound.close()
