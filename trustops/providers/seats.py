"""One client a seat, where the settings give seats profiles of their own."""

from __future__ import annotations

from collections.abc import Mapping

from trustops.domain.authenticity import Origin
from trustops.ports import ModelClient, ModelReply, ModelRequest


class BySeat:
    """Implements ports.ModelClient: each seat's own client, the default one for the rest."""

    def __init__(self, default: ModelClient, seats: Mapping[str, ModelClient]) -> None:
        self._default, self._seats = default, dict(seats)

    @property
    def origin(self) -> Origin:
        """LIVE only where every client says so: a failed call without a reply must not count as live."""
        declared = {getattr(client, "origin", Origin.SCRIPTED) for client in (self._default, *self._seats.values())}
        return Origin.LIVE if declared == {Origin.LIVE} else Origin.SCRIPTED

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of the seat's client; raises what it raises."""
        return await self._seats.get(request.seat, self._default).complete(request)

    async def close(self) -> None:
        """Closes every client that has something to close."""
        for client in {id(c): c for c in (self._default, *self._seats.values())}.values():
            close = getattr(client, "close", None)
            if close is not None:
                await close()
