"""A refusal is a page too, where a person looks at it: what is wrong, where, and what to do. Programs get the problem document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw_for

Handler = Callable[[Request, Exception], Awaitable[Response]]


def as_page(handler: Handler) -> Handler:
    """The handler's problem document as a page, for a browser outside the API."""

    async def handle(request: Request, raised: Exception) -> Response:
        document = await handler(request, raised)
        return await asyncio.to_thread(_page, request, document) if _is_for_a_person(request) else document

    return handle


def _is_for_a_person(request: Request) -> bool:
    return not request.url.path.startswith("/v1") and "text/html" in request.headers.get("accept", "")


def _page(request: Request, document: Response) -> Response:
    told = json.loads(bytes(document.body))
    named = {"title": HTTPStatus(document.status_code).phrase, **{key: told[key] for key in ("detail", "where", "remedy")}}
    named["remedy"] = "Begin with the list of reviews." if not named["remedy"] or "/v1/" in named["remedy"] else named["remedy"]
    kept = {name: value for name, value in document.headers.items() if name in ("retry-after", "allow")}
    return draw_for(request, "refusal.html", {**named, "status": document.status_code}, document.status_code, kept)
