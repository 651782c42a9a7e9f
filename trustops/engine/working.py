"""A worker: it answers questions of any run of its organisations, and takes over runs whose process is gone.

It needs the workspaces as the others have them (settings, prompts, evidence, controls); everything that is written goes to the database.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trustops.domain.errors import Refused, TrustOpsError, UsageError
from trustops.engine.board import Claim
from trustops.engine.shared import LATER_S, SOON_S, SharedEngine, carry_out, reached
from trustops.operations.answering import Brake, Prepared, answer_question, rest, run_review
from trustops.operations.office import Office
from trustops.operations.resuming import all_left, join, take_up
from trustops.operations.telling import Notebook
from trustops.ports import Attempt

log = logging.getLogger("trustops.engine.worker")
KEPT = 32
"""Runs whose readings and material a worker keeps at hand."""
Finish = Callable[[Office, Prepared], None]
"""What follows the end of a run: grades, traces."""


@dataclass(frozen=True, slots=True)
class Place:
    """One organisation that a worker works for, with the part of its engine that many share."""

    office: Office
    engine: SharedEngine


class Worker:
    """`concurrency` questions at once, over all organisations. `newest` is the schema that this program knows."""

    def __init__(self, offices: Sequence[Office], *, concurrency: int, newest: str, finish: Finish) -> None:
        self.places: dict[str, Place] = {}
        for office in offices:
            if not isinstance(office.engine, SharedEngine):
                raise UsageError(
                    "a worker needs a database that it shares",
                    where=str(office.workspace),
                    remedy="Set TRUSTOPS_DATABASE, or `trustops serve`.",
                )
            office.engine.helped = True
            self.places[office.organisation] = Place(office, office.engine)
        self.presence = next(iter(self.places.values())).engine.presence
        self.board = self.presence.board
        self.concurrency, self.newest, self.finish = concurrency, newest, finish
        self.brake, self.why = Brake(), ""
        self.answered = 0
        self._runs: dict[tuple[str, str], Prepared] = {}
        self._taken: dict[tuple[str, str], asyncio.Task[None]] = {}

    def drain(self, why: str = "told to stop") -> None:
        """Begins nothing more and ends what is in work; then `work` returns."""
        self.why = self.why or why
        self.brake.pulled = True

    async def work(self) -> str:
        """Until it is drained; why that was."""
        await reached(self.presence.join)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.concurrency):
                    group.create_task(self._answer())
                group.create_task(self._look_after())
        finally:
            for task in self._taken.values():
                task.cancel()  # they wait for the others' answers; the runs are taken up where a worker is
            if self._taken:
                await asyncio.wait(list(self._taken.values()))
            await asyncio.to_thread(self.presence.leave)
        return self.why

    async def _answer(self) -> None:
        """One question after the other, wherever the fewest are in work."""
        wait, editions = SOON_S, {org: place.engine.edition for org, place in self.places.items()}
        while not self.brake.pulled:
            claim = await reached(lambda: self.board.claim(editions))
            if claim is None:
                await asyncio.sleep(wait)
                wait = min(LATER_S, wait * 1.5)
                continue
            wait = SOON_S
            await self._carry_out(claim)

    async def _carry_out(self, claim: Claim) -> None:
        place = self.places[claim.org]
        claim = await place.engine.judged(claim)
        prepared = await self._joined(place.office, claim)
        question = None
        if prepared is not None:
            question = next((q for q in prepared.review.questionnaire.questions if q.ref == claim.question), None)
        if prepared is None or question is None:
            await reached(lambda: self.board.put_back(claim, counted=False, resting=True))
            return
        notebook = Notebook(place.office.ledger, claim.run, lambda *_: None)

        async def work(attempt: Attempt) -> None:
            if attempt.again:
                notebook.remember(attempt.question.ref)
            if said := await answer_question(place.office, prepared, attempt, notebook):
                rest(place.office, prepared.run, Brake(True, 1, said), lambda *_: None)
                raise _Unpaid(said)

        attempt = Attempt(claim.run, question, claim.attempt, claim.tries, claim.begun > 1)
        await carry_out(self.board, claim, attempt, work)
        self.answered += 1

    async def _joined(self, office: Office, claim: Claim) -> Prepared | None:
        """What the questions of a run share, made once; None where the run rests or is over. Looked at anew for each question."""
        key = (claim.org, claim.run)
        run = await reached(lambda: office.ledger.get_run(claim.run))
        if run is None or run.state != "RUNNING" or run.paused:
            return None
        if key not in self._runs:
            made = await reached(lambda: join(office, claim.run))
            if made is None:
                return None
            self._runs[key] = made
            for old in list(self._runs)[:-KEPT]:
                del self._runs[old]
        return self._runs[key]

    async def _look_after(self) -> None:
        """Takes over runs that nobody holds; goes when the database has become newer than this program."""
        while not self.brake.pulled:
            if await reached(self.board.schema) > self.newest:
                self.drain("the database is of a newer version: this worker makes room for one of that version")
            for place in self.places.values():
                await self._take_over(place.office)
            await asyncio.sleep(min(2.0, self.presence.lease_s / 2))

    async def _take_over(self, office: Office) -> None:
        for run in await reached(lambda: all_left(office)):
            key = (office.organisation, run.id)
            if run.paused or self.brake.pulled or (key in self._taken and not self._taken[key].done()):
                continue
            self._taken[key] = asyncio.create_task(self._hold(office, run.id))

    async def _hold(self, office: Office, run: str) -> None:
        """Carries a run to its end as whoever began it would have; its questions are answered by all workers, this one included."""

        def watch(kind: str, question: str, data: Mapping[str, Any]) -> None:
            del kind, question, data

        try:
            prepared = await asyncio.to_thread(take_up, office, run, watch)
            self._runs[office.organisation, run] = replace(prepared, done=frozenset())
            await run_review(office, prepared, watch)
        except TrustOpsError as said:  # paused, cancelled, drained, another one was quicker, the database is away
            log.info("%s", said)
            return
        try:
            self.finish(office, prepared)
        except TrustOpsError as failed:
            log.warning("%s", failed)


class _Unpaid(Refused):
    """The review's money is spent; the run rests in the books."""
