"""Runs that this process carries out, and the bell that tells their watchers to look into the event table."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from pydantic import JsonValue

from trustops.domain.errors import Refused, TrustOpsError, Unavailable
from trustops.domain.record import RunInfo
from trustops.operations.answering import Brake, Prepared, end_run, prepare, run_review
from trustops.operations.grading import grade_run
from trustops.operations.office import Office
from trustops.operations.resuming import all_left, take_up
from trustops.operations.telling import Watch
from trustops.operations.trusting import record_trust
from trustops.ports import StoredReview

log = logging.getLogger("trustops.console")
Preparing = Callable[[Watch], Prepared]
DRAIN_S = 8.0
"""How long a service that stops waits for the questions that are in work."""
LONGEST_S = 60.0
"""How long it waits for what cannot be broken off: a thread that reads evidence. The process ends all the same, and the run is taken up."""


class Bell:
    """Rings when a run of this process went on, for the run and for its review. It carries nothing: who hears it reads the table, which
    alone is true."""

    def __init__(self) -> None:
        self._condition = asyncio.Condition()
        self._rung: Counter[str] = Counter()

    def count(self, run: str) -> int:
        """How often it rang for a run; taken before reading the table, so that no ring between reading and waiting is lost."""
        return self._rung[run]

    async def ring(self, run: str) -> None:
        async with self._condition:
            self._rung[run] += 1
            self._rung[run.rpartition(".")[0]] += 1
            self._condition.notify_all()

    async def wait(self, run: str, heard: int, seconds: float) -> None:
        """Until it rang again for the run, or for so many seconds: another process may have appended, and it rings no bell here."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._condition:
                await self._condition.wait_for(lambda: self._rung[run] != heard)


class Runs:
    """Starts runs in the background, and takes up those that were left behind. Whoever watches or leaves has no influence on them."""

    def __init__(self, office: Office) -> None:
        self.office, self.bell = office, Bell()
        self.stopping = False
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._grading: set[asyncio.Task[None]] = set()
        self._brakes: dict[str, Brake] = {}
        """By run: what is paused, or has no money left, is one run and not its neighbours."""
        self._index = asyncio.Lock()

    def hear(self) -> AbstractContextManager[None]:
        """Rings the bell also for what other processes append, where the ledger can tell; the look every second does so anyway."""
        hears, loop = getattr(self.office.ledger, "hears", None), asyncio.get_running_loop()

        def heard(run: str) -> None:
            ringing: Any = self.bell.ring(run)
            asyncio.run_coroutine_threadsafe(ringing, loop)

        return contextlib.nullcontext() if hears is None else hears(heard)

    @property
    def indexing(self) -> asyncio.Lock:
        """Held by whoever replaces the index or takes new snapshot versions, so that one does at a time."""
        return self._index

    @property
    def going(self) -> int:
        """Runs that this process carries out now."""
        return len(self._tasks)

    @property
    def settled(self) -> bool:
        """Whether it has nothing in hand: no run, and no grades of one."""
        return not self._tasks and not self._grading

    async def start(self, review: StoredReview, only: Sequence[str]) -> str:
        """The id of a new run, as soon as it is on record.

        Raises UnknownName for a question that is not there, Refused while a run of the same review goes on (both would write the
        same attempt), and Unavailable while the service stops.
        """
        return await self._begin(review.id, lambda watch: prepare(self.office, review, only=tuple(only), watch=watch))

    async def resume(self, run: RunInfo) -> str:
        """Takes up a run that was paused, stopped or left behind; raises as `start` does, and Refused where it is over or in work."""
        return await self._begin(run.review, lambda watch: take_up(self.office, run.id, watch))

    async def take_up_all(self) -> None:
        """Every run that was left behind and not paused, one at a time in each review. What cannot be taken up is logged and stays."""
        for run in await asyncio.to_thread(all_left, self.office):
            if not run.paused and not self.stopping:
                task = asyncio.create_task(self._take_up(run, self._tasks.get(run.review)))
                self._keep(run.review, task)

    async def stop(self) -> None:
        """Nothing is started any more. Durable runs begin no new question, end those in work if it takes no longer than `DRAIN_S`, and
        go on at the next start; others are cancelled. Waits until every run has come to rest, `LONGEST_S` at most."""
        self.stopping = True
        for brake in self._brakes.values():
            brake.pulled = True
        if self.office.engine.durable and self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=DRAIN_S)
        for task in self._answering:
            task.cancel()
        if left := [*self._tasks.values(), *self._grading]:
            await asyncio.wait(left, timeout=LONGEST_S)
        if self._grading:
            await asyncio.wait(self._grading, timeout=LONGEST_S)

    async def _begin(self, review: str, preparing: Preparing) -> str:
        if self.stopping:
            raise Unavailable("the service is stopping", remedy="Try again when it is back.")
        if review in self._tasks:
            raise Refused("a run of this review is going on", where=review, remedy="Wait for its end, then start another.")
        recorded: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._work(preparing, recorded))
        self._keep(review, task, recorded)
        first: list[asyncio.Future[Any]] = [task, recorded]
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        if not recorded.done():
            task.result()  # raises what kept the run from being recorded
        return await recorded

    async def _take_up(self, run: RunInfo, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        if not self.stopping:
            await self._work(lambda watch: take_up(self.office, run.id, watch), asyncio.get_running_loop().create_future())

    async def _work(self, preparing: Preparing, recorded: asyncio.Future[str]) -> None:
        watch = _Watch(self.bell, recorded)
        async with self._index:  # one at a time replaces the index and takes new snapshot versions
            prepared = await asyncio.to_thread(preparing, watch)
        if self.stopping:  # a thread cannot be cancelled, so the run comes to rest here
            if not self.office.engine.durable:
                end_run(self.office, prepared.run, "CANCELLED", watch)
            self.office.engine.let_go(prepared.run.id)
            return
        current = asyncio.current_task()
        assert current is not None
        brake = self._brakes[prepared.run.id] = Brake()
        self._answering.add(current)
        try:
            await run_review(self.office, prepared, watch, brake)
        finally:
            self._answering.discard(current)
            del self._brakes[prepared.run.id]
        grading = asyncio.create_task(asyncio.to_thread(_grade, self.office, prepared.run))  # the run is over: another may begin meanwhile
        self._grading.add(grading)
        grading.add_done_callback(self._grading.discard)

    def _keep(self, review: str, task: asyncio.Task[None], recorded: asyncio.Future[str] | None = None) -> None:
        self._tasks[review] = task
        task.add_done_callback(lambda done: self._ended(review, done, known=recorded is None or recorded.done()))

    def _ended(self, review: str, task: asyncio.Task[None], *, known: bool) -> None:
        if self._tasks.get(review) is task:
            del self._tasks[review]
        failure = None if task.cancelled() else task.exception()
        if isinstance(failure, Refused):  # paused, cancelled or stopped: the books say so
            log.info("%s", failure)
        elif failure is not None and known:  # before that, whoever started the run is told
            log.error("a run of %s failed", review, exc_info=failure)


def _grade(office: Office, run: RunInfo) -> None:
    """Scores of the seats and skills. The run is over and stands whatever becomes of them; what failed is logged, and
    `trustops score grade` makes up for it."""
    try:
        grade_run(office, run)
        record_trust(office)
    except (TrustOpsError, ValueError, LookupError, TypeError, OSError) as failed:
        log.warning("run %s could not be graded: %s", run.id, failed)


class _Watch:
    """What a run calls at each step, from the loop or from the thread that prepares it."""

    def __init__(self, bell: Bell, recorded: asyncio.Future[str]) -> None:
        self.bell, self.recorded, self.run = bell, recorded, ""
        self.loop = asyncio.get_running_loop()

    def __call__(self, kind: str, question: str, data: Mapping[str, JsonValue]) -> None:
        del question
        if kind == "run_started":
            self.run = str(data["run"])
            self.loop.call_soon_threadsafe(self._settle)
        ringing: Any = self.bell.ring(self.run)
        asyncio.run_coroutine_threadsafe(ringing, self.loop)

    def _settle(self) -> None:
        if not self.recorded.done():
            self.recorded.set_result(self.run)
