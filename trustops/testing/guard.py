"""No test reaches a real provider by accident: while the guard stands, requests of httpx2 leave for loopback addresses only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import httpx2

ALLOW_LIVE_CALLS = False
"""Set True by the opt-in live tests alone, in their own process."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class LiveCallRefused(BaseException):
    """A request was about to leave for a real server. No Exception: neither an SDK nor a seat may take it for an outage and go on."""


@contextmanager
def no_live_calls() -> Iterator[None]:
    """Refuses every request of httpx2, on which both SDKs run, to a host that is not loopback. Transports without a socket pass."""
    sends, posts = httpx2.AsyncHTTPTransport.handle_async_request, httpx2.HTTPTransport.handle_request

    async def asynchronous(self: Any, request: httpx2.Request) -> httpx2.Response:
        _check(request)
        return await sends(self, request)

    def synchronous(self: Any, request: httpx2.Request) -> httpx2.Response:
        _check(request)
        return posts(self, request)

    with (
        patch.object(httpx2.AsyncHTTPTransport, "handle_async_request", asynchronous),
        patch.object(httpx2.HTTPTransport, "handle_request", synchronous),
    ):
        yield


def _check(request: httpx2.Request) -> None:
    if not ALLOW_LIVE_CALLS and request.url.host not in LOOPBACK:
        raise LiveCallRefused(f"a test tried to reach {request.url.host}")
