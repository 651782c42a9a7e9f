"""The program in a child that can be killed. Children are forked from a process that has imported everything once: starting is quick."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from tests.crash.points import Mark, install

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["tests.crash.warm"])


def start(
    *words: str | Path,
    complaints: Path,
    environment: Mapping[str, str] | None = None,
    mark: Mark | None = None,
    told: Path | None = None,
    drowsy_s: float = 0.0,
) -> BaseProcess:
    """Starts the program with these words; what it says on stderr goes to the end of a file, and on stdout to `told`. `mark` counts its
    effects, and kills it; `drowsy_s` lets every skill take up to so many seconds longer."""
    given = ([str(word) for word in words], str(complaints), dict(environment or {}), mark, str(told or os.devnull), drowsy_s)
    process = FORKING.Process(target=_program, args=given, daemon=True)
    with _another_main():
        process.start()
    return process


@contextmanager
def _another_main() -> Iterator[None]:
    """Else every child runs the test runner's main module again. Only this one name is put back: a thread may import others meanwhile."""
    kept = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = kept


def _program(words: list[str], complaints: str, environment: dict[str, str], mark: Mark | None, told: str, drowsy_s: float) -> None:
    from trustops.cli.app import run

    if drowsy_s:
        _slow_down(drowsy_s)
    _settle(environment)
    if mark is not None:
        _one_by_one()
        install(mark)
    with (
        open(told, "a", buffering=1, encoding="utf-8") as said,
        open(complaints, "a", buffering=1, encoding="utf-8") as complained,
        redirect_stdout(said),
        redirect_stderr(complained),
    ):
        run(words)


def _one_by_one() -> None:
    """Each event in a transaction of its own. How many are written together depends on the clock, and a point must be the same one in every
    run; runs that are killed at random (test_kill, test_writers) write them as the product does."""
    from trustops.operations.telling import Notebook

    take = Notebook._take

    def at_once(self: Notebook, *told: Any) -> None:
        take(self, *told)
        self.flush()

    Notebook._take = at_once  # type: ignore[method-assign]


def _settle(environment: Mapping[str, str]) -> None:
    """The environment of this process; and files are read in it rather than in limited children, which take a third of a second each and
    leave nothing behind that could be lost."""
    from trustops import confine

    def here(target: str, argument: Mapping[str, Any], **_: object) -> Any:
        module, _, name = target.partition(":")
        return json.loads(json.dumps(getattr(import_module(module), name)(dict(argument))))

    confine.call = here
    os.environ.pop("TRUSTOPS_KEY_PASSPHRASE", None)
    os.environ.update(environment)
    if poison := environment.get("TRUSTOPS_TEST_POISON"):
        _deadly(poison)


def _deadly(poison: str) -> None:
    """A seat that is asked a question with these words kills the process, as a library that crashes does; `given up` is asked nothing."""
    from trustops.engine.journal import JournaledClient

    complete = JournaledClient.complete

    async def dying(client: JournaledClient, request: Any) -> Any:
        if poison in request.user and type(client.model).__name__ != "GivenUp":
            os.kill(os.getpid(), signal.SIGKILL)
        return await complete(client, request)

    JournaledClient.complete = dying  # type: ignore[method-assign]


def _slow_down(most_s: float) -> None:
    """Skills of this process take a random time: the order in which seats come to their calls is another one in every run."""
    from trustops.skills.invoke import SkillDesk

    call = SkillDesk.call

    async def slowly(desk: SkillDesk, name: str, query: str) -> object:
        await asyncio.sleep(random.uniform(0.0, most_s))
        return await call(desk, name, query)

    SkillDesk.call = slowly  # type: ignore[method-assign]


def quiet(words: list[str], told: Path, environment: Mapping[str, str]) -> int:
    """The program in this process; how it ended. What it says goes to the end of a file; an error that is nobody's refusal ends us."""
    from trustops.cli.app import run

    _settle(environment)
    with open(told, "a", buffering=1, encoding="utf-8") as said, redirect_stdout(said), redirect_stderr(said), ExitStack() as stack:
        stack.push(_complained)
        try:
            run(words)
        except SystemExit as end:
            return int(end.code or 0)
    return 0


def _complained(kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
    del kind, trace
    if error is not None:
        traceback.print_exception(error)
