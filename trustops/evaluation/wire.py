"""Scripted seats behind a real SDK: every request crosses the wire to the fake provider server on loopback and back.

So a drill exercises what a real failure would: HTTP statuses, hanging sockets, cut replies, unreadable JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.testing.provider import FakeProvider, serve
from trustops.testing.scripts import Answer, Asked, Fault, Script, Tap, Tapped

Connect = Callable[[str], ModelClient]
"""Opens a real client on a server's address; assembly knows how."""


class Actor(Protocol):
    """A scripted client that can also name a fault for a request."""

    async def complete(self, request: ModelRequest) -> ModelReply: ...

    def fault_for(self, request: ModelRequest) -> str | None: ...


@contextmanager
def over_wire(actor: Actor, connect: Connect) -> Iterator[ModelClient]:
    """A client whose calls go through a real SDK to the fake server, which answers as the actor does."""
    tap = Tap()

    async def answer(asked: Asked) -> Answer:
        request = tap.find(asked.user)
        if request is None:  # a repair asks again in other words; it gets the same reply
            return Fault.HTTP_400
        kind = actor.fault_for(request)
        return Fault(kind) if kind is not None else (await actor.complete(request)).text

    with serve(FakeProvider(Script(otherwise=answer))) as url:
        yield Tapped(connect(url), tap)
