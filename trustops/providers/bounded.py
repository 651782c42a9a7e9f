"""A reply has a largest size: what is longer is given up while it comes in, and told, instead of filling the memory of the process.

As a hook of the HTTP client and no transport around it: a client with a transport of its own does not heed the proxies of the environment.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from trustops.providers.attempts import Trouble

LARGEST = 8 * 1024 * 1024
"""Bytes of one HTTP reply, as they come over the wire."""
LONGEST = 1_000_000
"""Characters of one seat's reply. The longest that fits a seat's shape is about a third of it."""
UNPACKED = {"accept-encoding": "identity"}
"""Asked of the server: a packed reply could be small on the wire and endless in memory."""
REMEDY = "No seat's reply is that long: look at what stands behind the base_url."


class Swollen(httpx2.HTTPError):
    """A reply that does not end."""


async def bound(reply: httpx2.Response) -> None:
    """Before its body is read: from now on it is counted."""
    if isinstance(reply.stream, httpx2.AsyncByteStream):
        reply.stream = _Counted(reply.stream)


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._inner:
            seen += len(chunk)
            if seen > LARGEST:
                raise Swollen(f"the reply is longer than {LARGEST >> 20} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


HOOKS: dict[str, list[Any]] = {"response": [bound]}


def broken_off(lost: BaseException) -> Trouble:
    """A request without a whole reply, from what the SDK or the HTTP client raised: not reached, cut, or given up as too long."""
    causes = [lost, lost.__cause__, lost.__cause__.__cause__ if lost.__cause__ else None]
    if swollen := next((cause for cause in causes if isinstance(cause, Swollen)), None):
        return Trouble("http", str(swollen), False, {}, REMEDY)
    if any(isinstance(cause, (httpx2.ConnectError, httpx2.UnsupportedProtocol, httpx2.InvalidURL)) for cause in causes):
        return Trouble("http", "the server cannot be reached", True, {}, "Is the base_url right, and does the server run?")
    return Trouble("http", "the connection failed", True, {})


def too_long(text: str) -> Trouble | None:
    """What is told of a reply that is longer than any seat's can be; None where it is not."""
    return Trouble("http", f"a reply of {len(text)} characters, more than {LONGEST}", False, {}, REMEDY) if len(text) > LONGEST else None
