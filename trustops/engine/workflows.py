"""The workflows of the durable engine: the only module that imports DBOS, and only when something runs.

A question is a workflow `run:question:attempt` on the queue `questions`; a seat's call is a workflow of its own, known by its name.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from uuid import uuid4

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID

from trustops.domain.errors import Refused
from trustops.engine.journal import Step
from trustops.ports import AnswerQuestion, Attempt

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


async def carry_out(file: Path, run: str, attempts: Sequence[Attempt], work: AnswerQuestion, concurrency: int) -> None:
    """All attempts of a run, on the engine's file. Raises Refused while this process works on another run."""
    if _work.attempts:
        raise Refused("this process works on another run", where=run, remedy="Start it when that one has ended.")
    loop = asyncio.get_running_loop()
    _work.attempts, _work.answer = {attempt.key: attempt for attempt in attempts}, work
    _work.started = {key: loop.create_future() for key in _work.attempts}
    try:
        async with _launched(file, run, concurrency):
            await _submit(list(_work.attempts))
            async with asyncio.TaskGroup() as group:
                for started in _work.started.values():
                    group.create_task(_follow(started))
    finally:
        _work.attempts, _work.answer, _work.started = {}, None, {}


@asynccontextmanager
async def _launched(file: Path, run: str, concurrency: int) -> AsyncIterator[None]:
    """DBOS on the engine's file, and its end. The run is the application's version: a process takes up its own run's rows only."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")  # stays with the file; without it a step costs ten times as much
    DBOS(config=_config(file, run))
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


async def perform(name: str, step: Step) -> None:
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
