"""A model whose replies are kept in the organisation's own ledger, and read back after a crash instead of being paid again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Protocol, TypeVar

from trustops.domain.authenticity import Origin, declared_by
from trustops.domain.errors import Refused
from trustops.ports import Attempt, ModelClient, ModelReply, ModelRequest

T = TypeVar("T")


class Reach(Protocol):
    """Says what the journal says, however long it takes to reach it: a reply must not be lost with a database that is away."""

    async def __call__(self, call: Callable[[], T], /) -> T: ...


async def _once(call: Callable[[], T], /) -> T:
    """A file is there or is not."""
    return call()


Kept = tuple[str, str]
"""The digest of a request, and the reply as it was kept."""


class Journal(Protocol):
    """The part of the ledger that keeps replies by place: run, question, attempt, seat, step. The first reply of a place stays."""

    def append_reply(self, run: str, question: str, attempt: int, seat: str, step: int, *, request_sha256: str, body: str) -> Kept: ...

    def replies(self, run: str, question: str, attempt: int) -> dict[tuple[str, int], Kept]: ...


class JournaledClient:
    """Implements ports.ModelClient for one attempt. A call's place is its seat and its number within the seat, never its turn among
    all calls: Policy and Control run side by side, and whichever comes first after a crash must not get the other's reply."""

    def __init__(self, model: ModelClient, journal: Journal, attempt: Attempt, reach: Reach | None = None) -> None:
        self.model, self.journal, self.attempt, self.reach = model, journal, attempt, reach or _once
        self._steps: Counter[str] = Counter()
        self._before: dict[tuple[str, int], Kept] | None = None

    @property
    def origin(self) -> Origin:
        """As the model declares itself; one that declares nothing is not live."""
        return declared_by(self.model)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The journalled reply, or a new one, which is in the journal before it is used.

        Raises Refused where the journal holds a reply to another request (the seat is then unavailable and the question BLOCKs), and
        whatever the model raises. A failed call is not journalled: after a crash it is tried again.
        """
        self._steps[request.seat] += 1
        step, wanted = self._steps[request.seat], request.digest
        if self._before is None:  # what an earlier process kept; nobody else writes here while this one holds the run
            self._before = await self.reach(lambda: self.journal.replies(*self._attempt))
        if (kept := self._before.get((request.seat, step))) is not None:
            return self._read(request.seat, wanted, kept)
        reply = await self.model.complete(request)
        place, body = (*self._attempt, request.seat, step), reply.model_dump_json()
        kept = await self.reach(lambda: self.journal.append_reply(*place, request_sha256=wanted, body=body))
        return self._read(request.seat, wanted, kept)

    @property
    def _attempt(self) -> tuple[str, str, int]:
        return self.attempt.run, self.attempt.question.ref, self.attempt.number

    def _read(self, seat: str, wanted: str, kept: Kept) -> ModelReply:
        digest, body = kept
        if digest != wanted:
            raise Refused(
                "the journal holds a reply to another request: prompts, evidence or readings changed after the run stopped",
                where=f"{self.attempt.key}:{seat}",
                remedy=f"`trustops recheck {self.attempt.question.ref}` asks again.",
            )
        return ModelReply.model_validate_json(body)
