"""worker: a process that answers questions of everybody's runs, on any number of machines."""

from __future__ import annotations

import asyncio
import logging
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.options import HERE
from trustops.cli.reviewing import conclude
from trustops.cli.screen import say

if TYPE_CHECKING:
    from trustops.engine.working import Worker


def worker(
    concurrency: Annotated[int, typer.Option("--concurrency", help="Questions in work at once, over all workspaces.", min=1, max=256)] = 6,
    name: Annotated[str, typer.Option("--name", help="How it is called; else the machine's name and the process's number.")] = "",
    workspaces: Annotated[list[Path] | None, typer.Option("--workspace", "-w", help="A workspace; may be given again.")] = None,
) -> None:
    """Answer questions of all runs of these workspaces, and take over runs whose process is gone. It needs TRUSTOPS_DATABASE, and the
    workspaces as the other machines have them. SIGTERM or Ctrl+C drains: what is in work is ended, the rest is left to the others."""
    from trustops import assembly

    made = assembly.worker(workspaces or [HERE], concurrency=concurrency, name=name, finish=conclude)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("trustops.engine").setLevel(logging.INFO)
    called = made.presence.board.name
    if called in made.presence.board.names():
        say(f"Another worker is called {called}: both work, and neither takes what the other has.")
    say(f"Worker {called}: {concurrency} questions at once, for {', '.join(made.places)}.")
    why = asyncio.run(_until_told(made))
    say(f"Worker {called} ends, {why}. It answered {made.answered} questions; what is left waits for others.")


async def _until_told(made: Worker) -> str:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, made.drain)
    return await made.work()
