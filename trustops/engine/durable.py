"""The durable engine: DBOS on a SQLite file (architecture.md, "Durable execution"; docs/decisions/0010).

A question is a workflow `run:question:attempt` on the queue `questions`; the graph runs inside it without a checkpointer. A seat's
call is a workflow of its own, `run:question:attempt:seat`, known by its name and not by its place among its parent's steps. Replies
lie in the ledger, so the engine's tables hold names and states only.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from signal import SIG_DFL, SIGTERM, getsignal
from uuid import uuid4

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID

from trustops.domain.errors import Refused
from trustops.engine.journal import Journal, JournaledClient, Step
from trustops.engine.leases import Leases
from trustops.ports import AnswerQuestion, Attempt, ModelClient

QUEUE = "questions"
POLL_S = 0.05
OPEN = ("PENDING", "ENQUEUED", "DELAYED", "CANCELLED")
"""States of a workflow that a process left behind and that can go on."""


@dataclass(slots=True)
class _Work:
    """What the workflows of this process do. Their rows hold names alone, so a process finds the work under the name."""

    attempts: dict[str, Attempt] = field(default_factory=dict)
    answer: AnswerQuestion | None = None
    started: dict[str, asyncio.Future[asyncio.Task[object]]] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)
    leftover: frozenset[str] = frozenset()


_work = _Work()
logging.getLogger("dbos").addHandler(logging.NullHandler())  # else DBOS writes to the terminal; what fails is raised, not logged


@DBOS.workflow(name="question")
async def _question(key: str) -> str:
    """One attempt at one question. Its decision is written to the ledger; the row here says only that it was."""
    task = asyncio.current_task()
    if key not in _work.attempts or _work.answer is None or task is None:
        raise asyncio.CancelledError  # the run is being stopped: the row stays as it is and can be taken up
    _work.started[key].set_result(task)
    await _work.answer(_work.attempts[key])
    return key


@DBOS.workflow(name="seat")
async def _seat(name: str) -> str:
    """One call of one seat. The reply is in the ledger when this returns; the row here holds its name only."""
    await _work.steps[name]()
    return name


class DurableEngine:
    """Implements ports.Engine. One durable run a process at a time; several processes share the file."""

    durable = True

    def __init__(self, folder: Path, journal: Journal) -> None:
        self.name = f"durable, dbos {version('dbos')}, langgraph {version('langgraph')}"
        self.file, self.journal = folder / "engine.db", journal
        self.leases = Leases(folder / "leases")

    def client(self, model: ModelClient, attempt: Attempt) -> ModelClient:
        """The model behind the attempt's journal; each of its calls is a workflow of its own."""
        return JournaledClient(model, self.journal, attempt, _perform)

    def held(self, run: str) -> bool:
        """Whether a living process works on the run."""
        return self.leases.held(run)

    async def run(self, run: str, attempts: Sequence[Attempt], work: AnswerQuestion, *, concurrency: int) -> None:
        """All attempts, at most `concurrency` at once. The first failure cancels the rest and is raised.

        Cancelled, or on SIGTERM, it starts nothing more, breaks off what is in work and leaves all of it to be taken up. Raises Refused
        while another process works on the run.
        """
        if _work.attempts:
            raise Refused("this process works on another run", where=run, remedy="Start it when that one has ended.")
        with self.leases.holding(run), _stopping_on_sigterm():
            self.journal.open()
            async with self._launched(run, concurrency):
                await self._all(attempts, work)

    async def _all(self, attempts: Sequence[Attempt], work: AnswerQuestion) -> None:
        loop = asyncio.get_running_loop()
        _work.attempts, _work.answer = {attempt.key: attempt for attempt in attempts}, work
        _work.started = {key: loop.create_future() for key in _work.attempts}
        try:
            await _submit(list(_work.attempts))
            async with asyncio.TaskGroup() as group:
                for started in _work.started.values():
                    group.create_task(_follow(started))
        finally:
            _work.attempts, _work.answer, _work.started = {}, None, {}

    @asynccontextmanager
    async def _launched(self, run: str, concurrency: int) -> AsyncIterator[None]:
        """DBOS on the engine's file, and its end. The run is the application's version: a process takes up its own run's rows only."""
        with closing(sqlite3.connect(self.file)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")  # stays with the file; without it a step costs ten times as much
        DBOS(config=_config(self.file, run))
        try:
            DBOS.launch()  # inside the running loop, so that workflows run on it and the model's connections stay with it
            await DBOS.register_queue_async(QUEUE, worker_concurrency=concurrency, polling_interval_sec=POLL_S, on_conflict="always_update")
            _work.leftover = frozenset(status.workflow_id for status in await DBOS.list_workflows_async(workflow_id_prefix=f"{run}:"))
            yield
        finally:
            await asyncio.to_thread(DBOS.destroy)


def _config(file: Path, run: str) -> DBOSConfig:
    """The executor's name is new in every process: nothing is recovered by itself at launch, only what `_submit` names."""
    return DBOSConfig(
        name="trustops",
        system_database_url=f"sqlite:///{file}",
        serializer=DBOSPortableJSONSerializer(),
        application_version=run,
        executor_id=uuid4().hex,
        log_level="CRITICAL",
        enable_otlp=False,
        db_engine_kwargs={"creator": partial(_connection, file)},
    )


def _connection(file: Path) -> sqlite3.Connection:
    """A NORMAL connection, as runs have on the ledger: it survives the end of the process, and the replies are in the ledger anyway."""
    connection = sqlite3.connect(file, check_same_thread=False)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


async def _submit(keys: list[str]) -> None:
    """Puts attempts on the queue. What a dead process left open is resumed; what it ended without a decision begins anew."""
    known = {status.workflow_id: status.status for status in await DBOS.list_workflows_async(workflow_ids=keys)} if keys else {}
    left = [key for key in keys if known.get(key) in OPEN]
    ended = [key for key in known if key not in left]
    if left:
        await DBOS.resume_workflows_async(left, queue_name=QUEUE)
    if ended:
        await DBOS.delete_workflows_async(ended)
    for key in keys:
        if key not in left:
            with SetWorkflowID(key):
                await DBOS.enqueue_workflow_async(QUEUE, _question, key)


async def _follow(started: asyncio.Future[asyncio.Task[object]]) -> None:
    """Waits for a workflow of this process; cancelled, it cancels it."""
    await (await started)


async def _perform(name: str, step: Step) -> None:
    """One step as a workflow known by its name. What a dead process left under the name kept no reply, so it is begun anew.

    It starts outside its parent's context: DBOS tells a workflow's children apart by the order in which they start, and that order
    differs between a run and its repetition where two seats work side by side.
    """
    if name in _work.leftover:
        await asyncio.create_task(DBOS.delete_workflows_async([name]), context=Context())
    _work.steps[name] = step
    try:
        await asyncio.create_task(_named(name), context=Context())
    finally:
        del _work.steps[name]


async def _named(name: str) -> None:
    with SetWorkflowID(name):
        await _seat(name)


@contextmanager
def _stopping_on_sigterm() -> Iterator[None]:
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
