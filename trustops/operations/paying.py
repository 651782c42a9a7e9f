"""Paying: the money of a review. No call is made that could take its sum over the limit; what is in work comes to its end.

What a call may cost is asked before it, and counts until its reply tells what it did cost. Not known here: what a provider bills for an
attempt that never replied, and what another process spends on the same review meanwhile, unless they share a purse (engine/money.py).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol, runtime_checkable

from trustops import ports
from trustops.domain.authenticity import Origin, declared_by
from trustops.domain.errors import ProviderFailed
from trustops.ports import ModelClient, ModelReply, ModelRequest


@runtime_checkable
class Priced(Protocol):
    """A client that can tell what a call may cost; one that cannot sends nothing that is billed."""

    def quote(self, request: ModelRequest) -> Decimal | None:
        """Dollars, at most; None where the price is not known."""


@dataclass(slots=True)
class Purse:
    """What a review may cost in dollars, and what it did."""

    limit: Decimal
    spent: Decimal
    held: Decimal = Decimal(0)
    _settled: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, most: Decimal) -> None:
        """Holds what a call may cost. Waits for calls in work where only they could make room; raises ProviderFailed(kind="money")
        where nothing can."""
        async with self._settled:
            while self.spent + self.held + most > self.limit:
                if not self.held:
                    raise ProviderFailed(self.told(most), kind="money", remedy="Raise usd_per_review under [limits].", attempts=0)
                await self._settled.wait()
            self.held += most

    async def settle(self, most: Decimal, cost: Decimal) -> None:
        """What was held for a call becomes what it cost."""
        async with self._settled:
            self.held -= most
            self.spent += cost
            self._settled.notify_all()

    def told(self, most: Decimal) -> str:
        return f"${self.spent:.4f} of the review's ${self.limit:.2f} are spent, and one more call may cost ${most:.4f}"


class Paying:
    """Implements ports.ModelClient: a client whose calls are paid from a purse."""

    def __init__(self, client: ModelClient, purse: ports.Purse) -> None:
        self.client, self.purse = client, purse

    @property
    def origin(self) -> Origin:
        """That of the client; one that declares nothing is not live."""
        return declared_by(self.client)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The client's reply; raises what it raises, and ProviderFailed(kind="money") with nothing sent."""
        most = self.client.quote(request) if isinstance(self.client, Priced) else Decimal(0)
        if most is None:
            said = "the model's price is not known, and the review has a money limit"
            remedy = "State usd_per_million_in and usd_per_million_out in its profile."
            raise ProviderFailed(said, kind="money", remedy=remedy, attempts=0)
        await self.purse.take(most)
        cost = Decimal(0)
        try:
            reply = await self.client.complete(request)
            cost = Decimal(reply.cost_usd or 0)
            return reply
        finally:
            await self.purse.settle(most, cost)
