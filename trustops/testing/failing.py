"""Models that fail rather than lie, as ModelClients: silent, malformed, slow, flaky and expensive, at any of the five seats.

Each plays the seats it is given and leaves the rest to another model, the hostile one unless told otherwise: a seat that fails must not
open what a lying one beside it wants out. They fail at the port; what the wire adds (statuses, torn connections, half replies) is the fake
provider's (testing/scripts.py, `Fault`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import ClassVar

from trustops.domain.authenticity import SEATS, Origin
from trustops.domain.errors import ProviderFailed
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.testing.worst_case import Hostile, Obedient

FORMS = (
    "I see no reason why not. Yes.",
    '{"decision": "PASS"',
    '{"decision": "PASS", "findings": [], "approved": true}',
    '```json\n{"decision": "PASS", "findings": []}\n```',
    '{"decision": "PASS", "findings": []}' * 2,
    '{"determinations": ["YES"], "text": 1, "claims": "all of them"}',
    '{"determinations": ["SURE"], "text": "Yes.", "pivot": "", "parts": [], "attachments": [], "claims": []}',
    "{}",
    "[]",
    "null",
    '"PASS"',
    "NaN",
    "[" * 5000,
    '{"text": "\\ud800"}',
    "\x00" * 64,
    "<html><body>504 Gateway Time-out</body></html>",
)
"""Replies that fit no seat's shape: prose, half and doubled JSON, an added key, a fence, words of no list, depth, halves of characters."""


class Failing:
    """A model at some seats. `behind` plays the others."""

    origin: ClassVar[Origin] = Origin.SCRIPTED
    name: ClassVar[str]

    def __init__(self, seats: Sequence[str] = SEATS, behind: ModelClient | None = None) -> None:
        self.seats, self.behind = frozenset(seats), behind or Hostile()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As this model fails, or what the model behind it says."""
        return await (self.fail(request) if request.seat in self.seats else self.behind.complete(request))

    async def fail(self, request: ModelRequest) -> ModelReply:
        """The reply, or ProviderFailed, at a seat of its own."""
        raise NotImplementedError

    def said(self, text: str) -> ModelReply:
        """A reply of this model."""
        return ModelReply(text=text, stop_reason="complete", origin=self.origin, provider=self.name, model="worst-case", tokens_in=1)


class Silent(Failing):
    """Replies with nothing, or with white space."""

    name: ClassVar[str] = "silent"

    async def fail(self, request: ModelRequest) -> ModelReply:
        return self.said(" \n\t" * _choice(request, 3))


class Malformed(Failing):
    """Replies in a shape that nobody asked for; another one when it is asked to repair it."""

    name: ClassVar[str] = "malformed"

    async def fail(self, request: ModelRequest) -> ModelReply:
        return self.said(FORMS[_choice(request, len(FORMS))])


class Slow(Failing):
    """Never replies; the seat gives it up. Which time that takes is the seat's allowance, on every machine."""

    name: ClassVar[str] = "slow"

    async def fail(self, request: ModelRequest) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")


class Flaky(Failing):
    """Fails where the request says so (two of three), in one of four ways; asked the same again, it plays on as the model behind it."""

    name: ClassVar[str] = "flaky"

    def __init__(self, seats: Sequence[str] = SEATS, behind: ModelClient | None = None) -> None:
        super().__init__(seats, behind)
        self._seen: set[str] = set()

    async def fail(self, request: ModelRequest) -> ModelReply:
        known = request.digest in self._seen
        self._seen.add(request.digest)
        ways: tuple[Callable[[], Exception], ...] = (
            lambda: ProviderFailed("HTTP 529: overloaded", kind="http", where=self.name),
            lambda: ProviderFailed("HTTP 429: slow down", kind="limit", where=self.name),
            lambda: ConnectionResetError("the other side has gone"),
            lambda: KeyError("choices"),
        )
        way = _choice(request, 6)
        if known or way >= len(ways):
            return await self.behind.complete(request)
        raise ways[way]()


class Expensive(Failing):
    """Says what the model behind it says, at a price: every reply costs `usd` and is told to cost no more than that before."""

    name: ClassVar[str] = "expensive"

    def __init__(self, seats: Sequence[str] = SEATS, behind: ModelClient | None = None, *, usd: Decimal = Decimal("3.75")) -> None:
        super().__init__(seats, behind)
        self.usd, self.calls = usd, 0

    def quote(self, request: ModelRequest) -> Decimal | None:
        """Dollars, at most."""
        return self.usd if request.seat in self.seats else Decimal(0)

    async def fail(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        reply = await self.behind.complete(request)
        return reply.model_copy(update={"cost_usd": str(self.usd), "tokens_in": 900_000, "tokens_out": 60_000, "latency_ms": 1})


WORST: dict[str, Callable[[], ModelClient]] = {
    "obedient": Obedient,
    "hostile": Hostile,
    "silent": Silent,
    "malformed": Malformed,
    "slow": Slow,
    "flaky": Flaky,
    "expensive": Expensive,
}
"""Every worst-case model by its name, at all five seats."""


def _choice(request: ModelRequest, many: int) -> int:
    """Fixed by the request: the same question fails the same way on every machine and in every order."""
    return int(request.digest[:8], 16) % many
