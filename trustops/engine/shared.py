"""The engine of many machines: questions of a run lie on a board in the shared database, and any worker answers them.

What makes a run durable is what makes it so on one machine: every reply is in the organisation's journal before it is used, every decision
is one transaction, and both are taken once by their keys. The board only says who is at what; why it is no queue of DBOS's is told in
docs/decisions/0020.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from importlib.metadata import version
from typing import TypeVar

from trustops.domain.errors import Overtaken, Refused, Unavailable
from trustops.engine.board import RESTING, WAITING, Board, Claim
from trustops.engine.durable import stopping_on_sigterm
from trustops.engine.journal import Journal, JournaledClient
from trustops.engine.money import SharedPurse
from trustops.engine.presence import Presence
from trustops.operations.answering import MOST_TRIES
from trustops.operations.paying import Purse
from trustops.ports import AnswerQuestion, Attempt, ModelClient

T = TypeVar("T")
log = logging.getLogger("trustops.engine")
log.addHandler(logging.NullHandler())
SOON_S, LATER_S = 0.05, 0.5
"""How often who waits looks at the board: at first, and when nothing happens."""
LOOKING = 0.05
"""The share of its time for which who waits may look: a look at a run of thousands of questions takes a hundred times one of fifty."""
AWAY_S = 0.5
"""How long a worker waits before it tries the database again."""
LONGEST_AWAY_S = 900.0
"""How long the database may be away before who waits for it gives up."""


class SharedEngine:
    """Implements ports.Engine for one organisation of a shared database. `edition` names the program, rules and prompts that a run began
    with: only a worker of the same edition helps. `helped` says that workers of this process answer, and `run` only waits."""

    durable = True

    def __init__(
        self, presence: Presence, organisation: str, journal: Journal, edition: str, outages: Callable[[], int] = lambda: 0
    ) -> None:
        self.name = f"durable, postgresql, langgraph {version('langgraph')}"
        self.presence, self.organisation, self.journal, self.edition = presence, organisation, journal, edition
        self.board, self._outages = presence.board, outages
        self.helped = False
        self._holding: set[str] = set()

    def client(self, model: ModelClient, attempt: Attempt) -> ModelClient:
        """The model behind the attempt's journal."""
        return JournaledClient(model, self.journal, attempt, reached)

    @property
    def troubles(self) -> int:
        """How often the database was away from this process."""
        return self._outages()

    def purse(self, review: str, limit: Decimal, spent: Decimal) -> Purse:
        """One for all workers of the review."""
        return SharedPurse(self.board, self.organisation, review, limit, spent)

    def hold(self, run: str) -> None:
        """Takes the run's lease; raises Refused where a living process has it."""
        self.presence.join()
        held = False
        try:
            held = self.board.hold(self.organisation, run)
        finally:
            if not held:
                self.presence.leave()
        if not held:
            raise Refused("a process works on this run", where=run, remedy=f"`trustops watch {run}` shows it.")
        self._holding.add(run)

    def let_go(self, run: str) -> None:
        """Gives the lease back; nothing where it is not held here. Without the database it runs out by itself."""
        if run not in self._holding:
            return
        self._holding.discard(run)
        try:
            self.board.let_go(self.organisation, run)
        except Unavailable:
            return
        finally:
            self.presence.leave()

    def held(self, run: str) -> bool:
        """Whether a living process holds the run."""
        return bool(self.board.holder(self.organisation, run))

    async def run(self, run: str, attempts: Sequence[Attempt], work: AnswerQuestion, *, concurrency: int) -> None:
        """All attempts, at most `concurrency` at once here, and what other workers take. Cancelled, or on SIGTERM, it begins nothing more,
        breaks off what is in work here and leaves all of it to be taken up. Raises Overtaken where others took this process for dead."""
        mine = {attempt.question.ref: attempt for attempt in attempts}
        whole, lost = False, self.presence.lost
        with stopping_on_sigterm():
            try:
                await reached(lambda: self._submit(run, attempts))
                states = [RESTING] if self.helped else [WAITING, RESTING]
                number = 1 if self.helped else concurrency
                helpers = [asyncio.create_task(self._answer(run, mine, work, states)) for _ in range(number)]
                try:
                    await self._settled(run, mine, lost)
                finally:
                    await _ended(helpers)
                whole = True
            finally:
                self._clear(run, all=whole)

    def _submit(self, run: str, attempts: Sequence[Attempt]) -> None:
        self.board.rouse(self.organisation, run)
        self.board.submit(self.organisation, run, [(each.question.ref, each.number) for each in attempts], self.edition)

    def _submit_missing(self, run: str, mine: Mapping[str, Attempt]) -> None:
        there = self.board.there(self.organisation, run)
        self._submit(run, [each for ref, each in mine.items() if ref not in there])

    def _clear(self, run: str, *, all: bool) -> None:
        try:
            self.board.clear(self.organisation, run, all=all)
        except Unavailable:
            return  # they wait on the board until the run is taken up

    async def _settled(self, run: str, mine: Mapping[str, Attempt], lost: int) -> None:
        """Until every question of the run is done, wherever; looks often while something happens. Whatever is no longer on the board is put
        there again: only a question that is done is done."""
        wait, before, refs = SOON_S, -1, list(mine)
        while True:
            began = time.monotonic()
            left, missing = await reached(lambda: self.board.left(self.organisation, run, refs))
            took = time.monotonic() - began
            if not left:
                return
            wait, before = (SOON_S if left != before else min(LATER_S, wait * 1.5)), left
            if self.presence.lost != lost:
                lost = self.presence.lost
                if not await reached(lambda: self.board.hold(self.organisation, run)):
                    raise Overtaken("another process took the run over", where=run, remedy=f"`trustops watch {run}` shows it.")
            if missing:
                await reached(lambda: self._submit_missing(run, mine))
            await asyncio.sleep(max(wait, min(LATER_S, took / LOOKING)))

    async def _answer(self, run: str, mine: Mapping[str, Attempt], work: AnswerQuestion, states: list[str]) -> None:
        """Answers questions of the run, one after the other, until it is cancelled; those that rest are this process's alone."""
        wait = SOON_S
        while True:
            claim = await reached(lambda: self.board.claim({self.organisation: self.edition}, run, states))
            if claim is None or claim.question not in mine:
                await asyncio.sleep(wait)
                wait = min(LATER_S, wait * 1.5)
                continue
            wait = SOON_S
            claim = await self.judged(claim)
            await carry_out(self.board, claim, replace(mine[claim.question], tries=claim.tries, again=claim.begun > 1), work)

    async def judged(self, claim: Claim) -> Claim:
        """The claim as its tries count: a worker that was killed took all its questions with it, and only one that brings no reply from
        one try to the next is poison."""
        if claim.tries == 1:
            return claim
        kept = await reached(lambda: len(self.journal.replies(claim.run, claim.question, claim.attempt)))
        return await reached(lambda: self.board.progressed(claim, kept))


async def carry_out(board: Board, claim: Claim, attempt: Attempt, work: AnswerQuestion) -> None:
    """One question that was claimed here: done, or back on the board. What fails is tried again, and given up at last; without the database
    it waits, and that was no try. Cancelled, it is put back."""
    if claim.tries <= MOST_TRIES + 2:
        working = asyncio.ensure_future(work(attempt))
        try:
            await asyncio.wait([working])
        except asyncio.CancelledError:
            working.cancel()
            await asyncio.wait([working])
            with suppress(Unavailable):
                board.put_back(claim, counted=False)
            raise
        failure = asyncio.CancelledError() if working.cancelled() else working.exception()
        if isinstance(failure, Unavailable):
            await asyncio.sleep(AWAY_S)
        if failure is not None:
            log.warning("%s was not answered at try %d", attempt.key, claim.tries, exc_info=failure)
            poison = not isinstance(failure, Unavailable | Refused)
            await reached(lambda: board.put_back(claim, counted=poison))
            return
    await reached(lambda: board.done(claim))


async def reached(call: Callable[[], T]) -> T:
    """What the board says, as soon as the database is there. Raises Unavailable where it stays away."""
    until = time.monotonic() + LONGEST_AWAY_S
    while True:
        try:
            return await asyncio.to_thread(call)
        except Unavailable:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(AWAY_S)


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Breaks tasks off, and waits until they have left what they had."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
