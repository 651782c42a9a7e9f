"""A model whose replies are kept in the organisation's own ledger, and read back after a crash instead of being paid again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Protocol

from trustops.domain.authenticity import Origin, declared_by
from trustops.domain.errors import Refused
from trustops.ports import Attempt, ModelClient, ModelReply, ModelRequest

Step = Callable[[], Awaitable[None]]
Perform = Callable[[str, Step], Awaitable[None]]
"""Carries out one step under a name of its own."""


class Journal(Protocol):
    """The part of the ledger that keeps replies by place: run, question, attempt, seat, step."""

    def append_reply(self, run: str, question: str, attempt: int, seat: str, step: int, *, request_sha256: str, body: str) -> None: ...

    def reply(self, run: str, question: str, attempt: int, seat: str, step: int) -> tuple[str, str] | None: ...


class JournaledClient:
    """Implements ports.ModelClient for one attempt. A call's place is its seat and its number within the seat, never its turn among
    all calls: Policy and Control run side by side, and whichever comes first after a crash must not get the other's reply."""

    def __init__(self, model: ModelClient, journal: Journal, attempt: Attempt, perform: Perform) -> None:
        self.model, self.journal, self.attempt, self.perform = model, journal, attempt, perform
        self._steps: Counter[str] = Counter()

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
        step = self._steps[request.seat]
        if (kept := self._kept(request, step)) is not None:
            return kept

        async def ask() -> None:
            reply = await self.model.complete(request)
            self.journal.append_reply(*self._place(request.seat, step), request_sha256=request.digest, body=reply.model_dump_json())

        name = f"{self.attempt.key}:{request.seat}"
        await self.perform(name if step == 1 else f"{name}:{step}", ask)
        kept = self._kept(request, step)
        if kept is None:
            raise Refused("the reply was not kept", where=name, remedy="`trustops recheck` asks again.")
        return kept

    def _place(self, seat: str, step: int) -> tuple[str, str, int, str, int]:
        return self.attempt.run, self.attempt.question.ref, self.attempt.number, seat, step

    def _kept(self, request: ModelRequest, step: int) -> ModelReply | None:
        row = self.journal.reply(*self._place(request.seat, step))
        if row is None:
            return None
        digest, body = row
        if digest != request.digest:
            raise Refused(
                "the journal holds a reply to another request: prompts, evidence or readings changed after the run stopped",
                where=f"{self.attempt.key}:{request.seat}",
                remedy=f"`trustops recheck {self.attempt.question.ref}` asks again.",
            )
        return ModelReply.model_validate_json(body)
