"""The workflows of the durable engine: the only module that imports DBOS, and only when something runs.

A question is a workflow `run:question:attempt` on the queue `questions`, in the partition of its organisation. A seat's call is none: its
place in the journal says whether it was made. Several runs of a process go on at once; they share the queue, and what it lets run at once.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetEnqueueOptions, SetWorkflowID

from trustops.domain.errors import Refused
from trustops.ports import AnswerQuestion, Attempt

QUEUE = "questions"
POLL_S = 0.05
LOST_S = 20.0
"""So long may pass without any question being begun while there is room for one; then those that wait are put on the queue anew."""


NOTED_S = 10.0
"""So long may the library take to note that a workflow has ended, or was cancelled."""


@dataclass(frozen=True, slots=True)
class _Task:
    """An attempt that this process works on; `started` gets the task that carries it out, `answered` how that ended."""

    attempt: Attempt
    answer: AnswerQuestion
    started: asyncio.Future[asyncio.Task[object]]
    answered: asyncio.Future[None]


@dataclass(slots=True)
class _Work:
    """What the workflows of this process do. Their rows hold names alone, so a process finds the work under the name."""

    tasks: dict[str, _Task] = field(default_factory=dict)
    file: Path | None = None
    runs: int = 0
    doors: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = field(default_factory=WeakKeyDictionary)


_work = _Work()
logging.getLogger("dbos").addHandler(logging.NullHandler())  # else DBOS writes to the terminal; what fails is raised, not logged


@DBOS.workflow(name="question")
async def _question(key: str) -> str:
    """One attempt at one question. Its decision is written to the ledger; the row here says only that it was."""
    task, current = _work.tasks.get(key), asyncio.current_task()
    if task is None or current is None or task.started.done():
        raise asyncio.CancelledError  # the run is being stopped: what there is of it can be taken up
    task.started.set_result(current)
    try:
        await task.answer(task.attempt)
    except Exception as failure:
        task.answered.set_exception(failure)
        raise
    task.answered.set_result(None)
    return key


async def carry_out(file: Path, organisation: str, run: str, attempts: Sequence[Attempt], work: AnswerQuestion, concurrency: int) -> None:
    """All attempts of a run, on the engine's file. Raises Refused while this process works on another organisation's file.

    Whatever is in the file of the run is begun anew: what came back before is in the ledger's journal, and nowhere else.
    """
    loop = asyncio.get_running_loop()
    mine = {attempt.key: _Task(attempt, work, loop.create_future(), loop.create_future()) for attempt in attempts}
    async with _launched(file, run, concurrency):
        await _forget(run)
        _work.tasks.update(mine)
        try:
            await _submit(list(mine), organisation)
            async with asyncio.TaskGroup() as group:
                healing = group.create_task(_heal(mine, organisation, concurrency))
                following = [group.create_task(_follow(task)) for task in mine.values()]
                if following:
                    await asyncio.wait(following)
                healing.cancel()
        finally:
            for key in mine:
                del _work.tasks[key]
            await _forget(run)


@asynccontextmanager
async def _launched(file: Path, run: str, concurrency: int) -> AsyncIterator[None]:
    """DBOS on the engine's file, from the first run of this process to the end of the last one that goes on."""
    loop = asyncio.get_running_loop()
    door = _work.doors.setdefault(loop, asyncio.Lock())
    async with door:
        if _work.runs and _work.file != file:
            raise Refused("this process works for another organisation", where=run, remedy="Start it when that has ended.")
        if not _work.runs:
            _work.file = file
            await _launch(file, concurrency)
        _work.runs += 1
    try:
        yield
    finally:
        async with door:
            _work.runs -= 1
            if not _work.runs:
                await _destroy(loop)


async def _launch(file: Path, concurrency: int) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")  # stays with the file; without it a step costs ten times as much
    DBOS(config=_config(file))
    try:
        DBOS.launch()  # inside the running loop, so that workflows run on it and the model's connections stay with it
        await DBOS.register_queue_async(
            QUEUE,
            worker_concurrency=concurrency,
            partition_worker_concurrency=concurrency,
            polling_interval_sec=POLL_S,
            on_conflict="always_update",
        )
    except BaseException:
        await _destroy(asyncio.get_running_loop())
        raise


async def _destroy(loop: asyncio.AbstractEventLoop) -> None:
    """Ends DBOS. It had put its own threads under the loop, which others use too and which end with it."""
    loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="trustops"))
    await asyncio.to_thread(DBOS.destroy)


def _config(file: Path) -> DBOSConfig:
    """The version is new in every process, and a process takes rows of its own version only: nobody does another one's work, and nothing
    is recovered by itself at launch."""
    mine = uuid4().hex
    return DBOSConfig(
        name="trustops",
        system_database_url=f"sqlite:///{file}",
        serializer=DBOSPortableJSONSerializer(),
        application_version=mine,
        executor_id=mine,
        log_level="CRITICAL",
        enable_otlp=False,
        db_engine_kwargs={"creator": partial(_connection, file)},
    )


def _connection(file: Path) -> sqlite3.Connection:
    """A NORMAL connection, as runs have on the ledger: it survives the end of the process, and the replies are in the ledger anyway."""
    connection = sqlite3.connect(file, check_same_thread=False)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


async def _forget(run: str) -> None:
    """Removes the rows of a run. Only who holds the run's lease does that, so none of them is at work elsewhere."""
    found = await DBOS.list_workflows_async(workflow_id_prefix=f"{run}:", load_input=False, load_output=False)
    left = [status.workflow_id for status in found]
    if left:
        await DBOS.delete_workflows_async(left)


async def _submit(keys: list[str], organisation: str) -> None:
    """Puts attempts on the queue, in the partition of their organisation. The place in its run is an attempt's priority, so that a short
    run does not wait for all of a long one that began before it."""
    for place, key in enumerate(keys, start=1):
        with SetWorkflowID(key), SetEnqueueOptions(queue_partition_key=organisation, priority=place):
            await DBOS.enqueue_workflow_async(QUEUE, _question, key)


async def _heal(mine: Mapping[str, _Task], organisation: str, concurrency: int) -> None:
    """Puts questions on the queue anew that the engine took off it and did not begin: where a workflow cannot be started, it writes a
    line to its log and goes on, and the run would wait for ever. One that begins twice after all is ended at once (`_question`)."""
    known = sum(task.started.done() for task in mine.values())
    while True:
        await asyncio.sleep(LOST_S)
        begun = [task for task in mine.values() if task.started.done()]
        waiting = [key for key, task in mine.items() if not task.started.done()]
        working = sum(not task.started.result().done() for task in begun if not task.started.cancelled())
        if waiting and len(begun) == known and working < concurrency:
            await DBOS.delete_workflows_async(waiting)
            await _submit(waiting, organisation)
        known = len(begun)


async def _follow(task: _Task) -> None:
    """Waits until a workflow of this process has answered; cancelled, it cancels it. What the library still notes of it afterwards is
    waited for, but not for ever: the decision is in the ledger."""
    working = await task.started
    try:
        either: list[asyncio.Future[Any]] = [working, task.answered]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        working.cancel()
        await asyncio.wait([working], timeout=NOTED_S)
        raise
    await asyncio.wait([working], timeout=NOTED_S)
    if not working.done():
        working.cancel()
    await (task.answered if task.answered.done() else working)
