"""The one gateway in front of a model: how many calls run at once, and how long one may take with all its retries."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager

from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.ports import ModelClient, ModelReply, ModelRequest


class Gateway:
    """Implements ports.ModelClient around another one, shared by all seats of all questions.

    `concurrency` counts calls in flight. `timeout_s` bounds one call with its retries, in seconds, from the moment it is let through;
    None leaves it to the client. Who waits in line does not hold up others: the line is served in order.
    """

    def __init__(self, client: ModelClient, *, concurrency: int = 12, timeout_s: float | None = None) -> None:
        self._client, self._concurrency, self._timeout_s = client, concurrency, timeout_s
        self._line: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    @property
    def origin(self) -> Origin:
        """That of the client; one that declares nothing is not live."""
        declared = getattr(self._client, "origin", Origin.SCRIPTED)
        return declared if isinstance(declared, Origin) else Origin.SCRIPTED

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The client's reply; raises what it raises, and ProviderFailed(kind="timeout") when the call took too long."""
        async with self._place():
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._client.complete(request)
            except TimeoutError as late:
                said = f"no reply within {self._timeout_s:g} s, retries included"
                raise ProviderFailed(said, kind="timeout", where=f"the {request.seat} seat") from late

    async def close(self) -> None:
        """Closes the client where it has something to close."""
        close = getattr(self._client, "close", None)
        if close is not None:
            await close()

    def _place(self) -> AbstractAsyncContextManager[None]:
        """A place in the line of this event loop: a semaphore cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if self._line is None or self._line[0] is not loop:
            self._line = (loop, asyncio.Semaphore(self._concurrency))
        return self._line[1]
