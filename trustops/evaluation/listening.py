"""The model under evaluation, listened to: one that does not answer ends the run instead of failing case after case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trustops.domain.authenticity import Origin, declared_by
from trustops.domain.errors import ProviderFailed, Unavailable
from trustops.ports import ModelClient, ModelReply, ModelRequest

GONE = frozenset({"http", "timeout", "limit", "money"})
"""Kinds of failure that say: nobody answers. A reply of the wrong shape is a result."""


class ModelGone(Unavailable):
    """The model that is judged did not answer."""

    code = "MODEL_GONE"


@dataclass(slots=True)
class Heard:
    """What was heard of a model."""

    calls: int = 0
    live: int = 0
    gone: str = ""


class Listening:
    """A client that remembers how the one behind it does. It declares the same origin."""

    def __init__(self, behind: ModelClient, heard: Heard) -> None:
        self.behind, self.heard = behind, heard

    @property
    def origin(self) -> Origin:
        """What the client behind declares."""
        return declared_by(self.behind)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of the client behind; a failure that says that nobody answers is kept."""
        self.heard.calls += 1
        try:
            reply = await self.behind.complete(request)
        except ProviderFailed as failed:
            if failed.kind in GONE:
                self.heard.gone = str(failed)
            raise
        self.heard.live += reply.origin is Origin.LIVE
        return reply


def answering(heard: Heard) -> None:
    """Raises ModelGone where the model did not answer, so that a case is not judged by that."""
    if heard.gone:
        raise ModelGone(heard.gone, remedy="Look with `trustops doctor`, then run the evaluation again.")
