"""The inline engine: questions side by side, bounded, in this process and without a journal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from importlib.metadata import version

from trustops.operations.paying import Purse
from trustops.ports import AnswerQuestion, Attempt, ModelClient


class InlineEngine:
    """Implements ports.Engine. The name records what executed a run (evaluation.md, "Authenticity")."""

    durable = False
    troubles = 0

    def __init__(self) -> None:
        self.name = f"inline, langgraph {version('langgraph')}"

    def client(self, model: ModelClient, attempt: Attempt) -> ModelClient:
        """The model itself."""
        del attempt
        return model

    def purse(self, review: str, limit: Decimal, spent: Decimal) -> Purse:
        """This process's own: nobody else pays for a review meanwhile."""
        del review
        return Purse(limit, spent)

    def hold(self, run: str) -> None:
        """Nothing: a run that cannot be taken up needs no lease."""

    def let_go(self, run: str) -> None:
        """Nothing was held."""

    def held(self, run: str) -> bool:
        """Not known: an inline run holds no lease and cannot be taken up."""
        del run
        return False

    async def run(self, run: str, attempts: Sequence[Attempt], work: AnswerQuestion, *, concurrency: int) -> None:
        """All attempts, at most `concurrency` at once. The first failure cancels the rest and is raised."""
        del run
        gate = asyncio.Semaphore(concurrency)

        async def bounded(attempt: Attempt) -> None:
            async with gate:
                await work(attempt)

        async with asyncio.TaskGroup() as group:
            for attempt in attempts:
                group.create_task(bounded(attempt))
