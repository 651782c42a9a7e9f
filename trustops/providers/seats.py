"""One client a seat, where the settings give seats profiles of their own."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from trustops.domain.authenticity import Origin
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.providers.gateway import closed, price_of, together


class BySeat:
    """Implements ports.ModelClient: each seat's own client, the default one for the rest."""

    def __init__(self, default: ModelClient, seats: Mapping[str, ModelClient]) -> None:
        self._default, self._seats = default, dict(seats)

    @property
    def origin(self) -> Origin:
        """LIVE only where every client says so."""
        return together((self._default, *self._seats.values()))

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of the seat's client; raises what it raises."""
        return await self._of(request.seat).complete(request)

    def quote(self, request: ModelRequest) -> Decimal | None:
        """What the seat's client quotes."""
        return price_of(self._of(request.seat), request)

    async def close(self) -> None:
        """Closes every client that has something to close."""
        for client in {id(c): c for c in (self._default, *self._seats.values())}.values():
            await closed(client)

    def _of(self, seat: str) -> ModelClient:
        return self._seats.get(seat, self._default)
