"""The offline provider: quotes and classifies by the rules of facts/. It reads a request's typed payload, never a rendered prompt.

It is SCRIPTED by constant, whatever it is asked, so that no run with it is ever live (invariant 9).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import BaseModel

from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.facts.nouns import Names
from trustops.ports import ModelReply, ModelRequest
from trustops.providers.extractive import answer, commander, control, policy, reviewer

SEATS: dict[str, Callable[[dict[str, Any], Names], BaseModel]] = {
    "commander": commander.reply,
    "policy": policy.reply,
    "control": control.reply,
    "answer": answer.reply,
    "reviewer": reviewer.reply,
}


class ExtractiveClient:
    """Implements ports.ModelClient without a model. `names` are the organisation's proper names."""

    origin: ClassVar[Origin] = Origin.SCRIPTED
    name: ClassVar[str] = "extractive"

    def __init__(self, names: Names) -> None:
        self.names = names

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The seat's reply; raises ProviderFailed for a seat it does not know. The reading runs beside the event loop."""
        seat = SEATS.get(request.seat)
        if seat is None:
            raise ProviderFailed(f"the offline provider has no seat {request.seat!r}", kind="invalid")
        started = time.perf_counter()
        made = await asyncio.to_thread(seat, request.payload, self.names)
        text = made.model_dump_json()
        return ModelReply(
            text=text,
            stop_reason="complete",
            origin=self.origin,
            provider=self.name,
            model="rules",
            latency_ms=int((time.perf_counter() - started) * 1000),
        )
