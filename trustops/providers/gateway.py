"""The one gateway in front of a model: how many calls run at once, what a call costs, and who answers where one fails.

Requests and tokens per minute are counted where attempts are made (providers/pace.py); the money of a review in operations/paying.py,
which asks here what a call may cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from decimal import Decimal

from trustops.domain.authenticity import Origin, declared_by
from trustops.domain.errors import ProviderFailed
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.providers.prices import Price, Usage, about

WIDELY = 2
"""A call is held to be twice as long as the estimate when its price is asked before it."""


class Gateway:
    """Implements ports.ModelClient around another one, shared by all seats of all questions.

    `concurrency` counts calls in flight. `timeout_s` bounds one call with its retries, in seconds, from the moment it is let through;
    None leaves it to the client. Who waits in line does not hold up others: the line is served in order. Without `price` no reply has
    a cost.
    """

    def __init__(self, client: ModelClient, *, concurrency: int = 12, timeout_s: float | None = None, price: Price | None = None) -> None:
        self._client, self._concurrency, self._timeout_s, self._price = client, concurrency, timeout_s, price
        self._line: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    @property
    def origin(self) -> Origin:
        """That of the client; one that declares nothing is not live."""
        return declared_by(self._client)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The client's reply with its cost; raises what it raises, and ProviderFailed(kind="timeout") when the call took too long."""
        async with self._place():
            try:
                async with asyncio.timeout(self._timeout_s):
                    return self._priced(await self._client.complete(request))
            except TimeoutError as late:
                said = f"no reply within {self._timeout_s:g} s, retries included"
                raise ProviderFailed(said, kind="timeout", where=f"the {request.seat} seat") from late

    def quote(self, request: ModelRequest) -> Decimal | None:
        """The most a call may cost, in dollars, one reply and no more; None where the price is not known."""
        if self._price is None:
            return None
        sent = WIDELY * (about(request.system) + about(request.user))
        try:
            return self._price.cost(Usage(sent, request.max_tokens, written=sent))
        except LookupError:
            return None

    async def close(self) -> None:
        """Closes the client where it has something to close."""
        await closed(self._client)

    def _priced(self, reply: ModelReply) -> ModelReply:
        if self._price is None:
            return reply
        usage = Usage(reply.tokens_in, reply.tokens_out, cached=reply.tokens_cached, written=reply.tokens_written)
        try:
            return reply.model_copy(update={"cost_usd": str(self._price.cost(usage))})
        except LookupError:
            return reply

    def _place(self) -> AbstractAsyncContextManager[None]:
        """A place in the line of this event loop: a semaphore cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if self._line is None or self._line[0] is not loop:
            self._line = (loop, asyncio.Semaphore(self._concurrency))
        return self._line[1]


class Fallback:
    """Implements ports.ModelClient: one client after the other, until one replies. The reply says who it was; what the earlier ones
    sent is counted with it. Each has its own attempts, so this multiplies no retries."""

    def __init__(self, clients: Sequence[ModelClient]) -> None:
        self._clients = tuple(clients)

    @property
    def origin(self) -> Origin:
        """LIVE only where all say so."""
        return together(self._clients)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The first reply. Raises ProviderFailed with what each said where none replies."""
        sent, said = 0, []
        for client in self._clients:
            try:
                reply = await client.complete(request)
            except ProviderFailed as failure:
                sent, last = sent + failure.attempts, failure
                said.append(f"{failure.where}: {failure.message}" if failure.where else failure.message)
                continue
            return reply.model_copy(update={"attempts": reply.attempts + sent})
        raise ProviderFailed("; then ".join(said), kind=last.kind, remedy=last.remedy, attempts=sent)

    def quote(self, request: ModelRequest) -> Decimal | None:
        """The dearest of them; None where one has no known price."""
        return dearest([price_of(client, request) for client in self._clients])

    async def close(self) -> None:
        """Closes all."""
        for client in self._clients:
            await closed(client)


def price_of(client: ModelClient, request: ModelRequest) -> Decimal | None:
    """What a client quotes; one that quotes nothing sends nothing that is billed."""
    quote = getattr(client, "quote", None)
    return quote(request) if quote is not None else Decimal(0)


def dearest(quotes: Sequence[Decimal | None]) -> Decimal | None:
    """The highest quote; one that is not known makes the whole unknown."""
    return None if None in quotes else max(quote for quote in quotes if quote is not None)


def together(clients: Sequence[ModelClient]) -> Origin:
    """LIVE only where every client says so: a failed call without a reply must not count as live."""
    return Origin.LIVE if {declared_by(client) for client in clients} == {Origin.LIVE} else Origin.SCRIPTED


async def closed(client: ModelClient) -> None:
    """Closes a client that has something to close."""
    close = getattr(client, "close", None)
    if close is not None:
        await close()
