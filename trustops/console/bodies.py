"""Bodies of requests, counted while they come in: what is announced too large is refused before it is read."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.types import Message

from trustops.console.problems import Problem

Kind = TypeVar("Kind", bound=BaseModel)
SMALL = 64 * 1024
"""Bytes of a body that carries words: a reason, an answer's text."""


SLOWEST_S = 120
"""Seconds in which a whole body must have come: who sends a byte now and then would hold a connection for ever."""


def limited(request: Request, most: int) -> Request:
    """The same request, with a body of so many bytes at most. A Problem 413 above that."""
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > most:
        raise _too_large(most)
    seen, end = 0, asyncio.get_running_loop().time() + SLOWEST_S

    async def receive() -> Message:
        nonlocal seen
        try:
            async with asyncio.timeout_at(end):
                message = await request.receive()
        except TimeoutError as slow:
            raise Problem(408, "the body did not come in time", remedy=f"It must be here within {SLOWEST_S} seconds.") from slow
        seen += len(message.get("body", b""))
        if seen > most:
            raise _too_large(most)
        return message

    return Request(request.scope, receive)


def _too_large(most: int) -> Problem:
    size = f"{most // 1024 // 1024} MB" if most >= 1 << 20 else f"{most // 1024} KB"
    remedy = "Remove pictures and try again, or use `trustops review FILE`." if most >= 1 << 20 else "Send less."
    return Problem(413, f"the body is larger than {size}", where="body", remedy=remedy)


async def body_of(request: Request, kind: type[Kind]) -> Kind:
    """The JSON body as what it should be; no body is an empty object. A Problem 422 names the field that does not fit."""
    body = await request.body()
    try:
        return kind.model_validate_json(body or b"{}")
    except ValidationError as bad:
        first = bad.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(("body", *(str(part) for part in first["loc"])))[:200]
        known = ", ".join(kind.model_fields) or "no field"
        raise Problem(422, f"the body is not what this address takes: {first['msg']}", where=where, remedy=f"Known: {known}.") from bad
