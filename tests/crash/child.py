"""The program in a child that can be killed. Children are forked from a process that has imported everything once: starting is quick."""

from __future__ import annotations

import multiprocessing
import os
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing.process import BaseProcess
from pathlib import Path

PRELOAD = ["anthropic", "langgraph.graph", "trustops.engine.workflows", "trustops.workflow.machine", "trustops.cli.app", __name__]
FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(PRELOAD)


def start(*words: str | Path, complaints: Path) -> BaseProcess:
    """Starts the program with these words; what it says on stderr goes to the end of a file."""
    process = FORKING.Process(target=_program, args=([str(word) for word in words], str(complaints)), daemon=True)
    process.start()
    return process


def _program(words: list[str], complaints: str) -> None:
    from trustops.cli.app import run

    with (
        open(os.devnull, "w", encoding="utf-8") as nothing,
        open(complaints, "a", encoding="utf-8") as told,
        redirect_stdout(nothing),
        redirect_stderr(told),
    ):
        run(words)
