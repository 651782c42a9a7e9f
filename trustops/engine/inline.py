"""The inline engine: questions side by side, bounded, in this process and without a journal."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from importlib.metadata import version

from trustops.domain.question import Question
from trustops.ports import AnswerQuestion


class InlineEngine:
    """Implements ports.Engine. The name records what executed a run (evaluation.md, "Authenticity")."""

    def __init__(self) -> None:
        self.name = f"inline, langgraph {version('langgraph')}"

    async def run(self, questions: Iterable[Question], work: AnswerQuestion, *, concurrency: int) -> None:
        """All questions, at most `concurrency` at once. The first failure cancels the rest and is raised."""
        gate = asyncio.Semaphore(concurrency)

        async def bounded(question: Question) -> None:
            async with gate:
                await work(question)

        async with asyncio.TaskGroup() as group:
            for question in questions:
                group.create_task(bounded(question))
