"""Where races are run: by threads that share two offices, and by processes that each have their own."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.histories.world import World, confine, here, living
from tests.races.actors import CAST, Part, Told, act
from trustops import assembly
from trustops.domain.authenticity import EntryPoint

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["langgraph.graph", "trustops.workflow.machine", __name__])
PATIENCE_S = 60.0


@contextmanager
def opened(folder: Path) -> Iterator[World]:
    """The organisation as another process would open it."""
    world = living(folder, assembly.office(folder, entry=EntryPoint.EVALUATION))
    try:
        yield world
    finally:
        world.close()


def by_threads(race: int, world: World) -> list[Told]:
    """All eight at once; half of them in one office, half in another."""
    start = threading.Barrier(len(CAST))
    with ExitStack() as stack, ThreadPoolExecutor(len(CAST)) as pool:
        offices = (world, stack.enter_context(opened(world.folder)))

        def play(number: int) -> list[Told]:
            start.wait(PATIENCE_S)
            return act(Part(race, number), offices[number % 2])

        order = list(range(len(CAST)))
        Part(race, 0).luck.shuffle(order)
        return [told for done in [pool.submit(play, number) for number in order] for told in done.result(PATIENCE_S)]


class Troupe:
    """Eight processes that play race after race, each with an office of its own."""

    def __init__(self) -> None:
        self.start: Any = FORKING.Barrier(len(CAST))  # kept: it is gone from the system with its last holder here
        self.pipes: list[Connection] = []
        self.processes = []
        for number in range(len(CAST)):
            mine, theirs = FORKING.Pipe()
            process = FORKING.Process(target=_player, args=(number, theirs, self.start), daemon=True)
            process.start()
            self.pipes.append(mine)
            self.processes.append(process)

    def play(self, race: int, world: World) -> list[Told]:
        for pipe in self.pipes:
            pipe.send((race, str(world.folder)))
        return [told for pipe in self.pipes for told in _received(pipe)]

    def close(self) -> None:
        for pipe, process in zip(self.pipes, self.processes, strict=True):
            pipe.send(None)
            process.join(PATIENCE_S)
            if process.exitcode is None:
                process.kill()
            assert process.exitcode == 0


def _received(pipe: Connection) -> Sequence[Told]:
    if not pipe.poll(PATIENCE_S):
        raise TimeoutError("an actor does not answer")
    found: Sequence[Told] = pipe.recv()
    return found


def _player(number: int, pipe: Connection, start: Any) -> None:
    confine.call = here  # type: ignore[assignment]
    while (job := pipe.recv()) is not None:
        race, folder = job
        with opened(Path(folder)) as world:
            start.wait(PATIENCE_S)
            pipe.send(act(Part(race, number), world))
