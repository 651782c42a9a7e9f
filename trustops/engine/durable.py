"""The durable engine: a run survives its process (architecture.md, "Durable execution"; docs/decisions/0010).

The graph runs inside a workflow without a checkpointer. Replies lie in the ledger, so the engine's tables hold names and states only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from signal import SIG_DFL, SIGTERM, getsignal

from trustops.engine.journal import Journal, JournaledClient
from trustops.engine.leases import Leases
from trustops.operations.paying import Purse
from trustops.ports import AnswerQuestion, Attempt, ModelClient


class DurableEngine:
    """Implements ports.Engine. Several runs of a process, and several processes, share the file. Looking at leases costs no import."""

    durable = True
    troubles = 0

    def __init__(self, folder: Path, organisation: str, journal: Journal) -> None:
        self.name = f"durable, dbos {version('dbos')}, langgraph {version('langgraph')}"
        self.file, self.organisation, self.journal = folder / "engine.db", organisation, journal
        self.leases = Leases(folder / "leases")

    def client(self, model: ModelClient, attempt: Attempt) -> ModelClient:
        """The model behind the attempt's journal."""
        return JournaledClient(model, self.journal, attempt)

    def purse(self, review: str, limit: Decimal, spent: Decimal) -> Purse:
        """This process's own: nobody else pays for a review meanwhile."""
        del review
        return Purse(limit, spent)

    def hold(self, run: str) -> None:
        """Takes the run's lease; raises Refused where another process works on it."""
        self.leases.take(run)

    def let_go(self, run: str) -> None:
        """Gives the lease back; nothing where it is not held here."""
        self.leases.give_back(run)

    def held(self, run: str) -> bool:
        """Whether a living process works on the run."""
        return self.leases.held(run)

    async def run(self, run: str, attempts: Sequence[Attempt], work: AnswerQuestion, *, concurrency: int) -> None:
        """All attempts, at most `concurrency` at once. The first failure cancels the rest and is raised.

        Cancelled, or on SIGTERM, it starts nothing more, breaks off what is in work and leaves all of it to be taken up.
        """
        from trustops.engine.workflows import carry_out

        with stopping_on_sigterm():
            await carry_out(self.file, self.organisation, run, attempts, work, concurrency)


@contextmanager
def stopping_on_sigterm() -> Iterator[None]:
    """SIGTERM cancels the run, as Ctrl+C does; a host with a handler of its own keeps it."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    mine = getsignal(SIGTERM) is SIG_DFL and task is not None
    if mine and task is not None:
        with suppress(NotImplementedError, ValueError, RuntimeError):  # no signals on this system, or not in this thread
            loop.add_signal_handler(SIGTERM, task.cancel)
    try:
        yield
    finally:
        if mine:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(SIGTERM)
