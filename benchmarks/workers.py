"""How the answering of one review grows with workers: 1, 2 and 4 processes of `trustops worker` on one PostgreSQL, one fake provider.

    python benchmarks/workers.py [--questions 600] [--window 20] [--latency 1.0] [--concurrency 6] [--json FILE]

One review lies on the board. Workers come and go (1, 2, 4, 2, 1 at work), and in each window the replies that the journal gained are
counted: the windows are interleaved within one run, so that what else the machine does falls on all of them. Then four workers finish the
review, and every question must have five replies, one decision and one version, once each. A reply takes `latency` seconds on average
(half to one and a half times), and says what the offline provider says to the same seat. The board's holder is this process, which answers
nothing. PostgreSQL is the one of the tests, with fsync switched on; its processor time and the workers' are read from the kernel.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from benchmarks.gateway import Kept, quiet  # noqa: E402
from tests import postgresql  # noqa: E402
from tests.conftest import make_workspace  # noqa: E402
from tests.crash.organisation import NUMBER  # noqa: E402
from trustops import assembly  # noqa: E402
from trustops.domain.chain import sha256  # noqa: E402
from trustops.domain.errors import TrustOpsError  # noqa: E402
from trustops.operations.answering import prepare, run_review  # noqa: E402
from trustops.operations.intake import take_in  # noqa: E402
from trustops.testing.provider import FakeProvider, serve  # noqa: E402
from trustops.testing.scripts import Asked, Script  # noqa: E402

ORDER = (1, 2, 4, 2, 1)
SEATS = 5
TEXT = "Are audit logs kept for at least one year for customer {}?"
TICK = os.sysconf("SC_CLK_TCK")


# -- the provider and the organisation -------------------------------------------------------------------------------------------


def write(place: Path, numbers: list[int], more: str = "") -> Path:
    """The small organisation of the tests with so many questions; its questionnaire."""
    file = make_workspace(place)
    with (place / "trustops.toml").open("a", encoding="utf-8") as settings:
        settings.write(more)
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("ID", "Question", "Answer"), *((f"N-{n}", TEXT.format(n), "") for n in numbers)])
    return file


def replies() -> dict[str, str]:
    """What the offline provider says in each seat, with `7000` where the question's number belongs."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "kestrel"
        file = write(place, [7000])
        office = assembly.office(place)
        kept = Kept(office)
        prepared = prepare(office, take_in(office, file), watch=quiet)
        asyncio.run(run_review(replace(office, client=kept), prepared, quiet))
        asked = [pair for turn in kept.turns.values() for pair in turn.items()]
        return {seat: kept.said[sha256(request.user.encode())] for seat, request in asked}


def _provider(pipe: Connection, said: dict[str, str], latency_s: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    luck = random.Random(7)

    async def answer(asked: Asked) -> str:
        await asyncio.sleep(latency_s * luck.uniform(0.5, 1.5))
        named = NUMBER.search(asked.user)
        return said[asked.seat].replace("7000", named.group(1) if named else "7000")

    with serve(FakeProvider(Script(otherwise=answer))) as url:
        pipe.send(url)
        pipe.recv()


@contextmanager
def provider(said: dict[str, str], latency_s: float) -> Iterator[str]:
    """The fake provider in a process of its own; its address."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_provider, args=(theirs, said, latency_s), daemon=True)
    process.start()
    try:
        yield mine.recv()
    finally:
        mine.send(None)
        process.join(10)


# -- what the kernel and the database count --------------------------------------------------------------------------------------


def spent_by(pid: int) -> float:
    """Seconds of processor time of a process so far; 0 where it is gone."""
    with suppress(OSError):
        told = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(told[11]) + int(told[12])) / TICK
    return 0.0


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(entry.read_text(encoding="ascii").rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(entry.parent.name))
    return found


class Books(NamedTuple):
    """Where the scene stands at an instant: seconds, replies in the journal, transactions and busy milliseconds of the database, and
    processor seconds of the database by process."""

    at: float
    replies: int
    transactions: int
    busy_ms: float
    database: dict[int, float]


class Scene:
    """One review on the board, and the workers at it."""

    def __init__(self, folder: Path, questions: int, concurrency: int, url: str) -> None:
        self.place, self.concurrency, self.questions = folder / "kestrel", concurrency, questions
        self.name = postgresql.fresh_database()
        postgresql.write(self.name, "ALTER SYSTEM SET fsync = on")
        postgresql.write(self.name, "SELECT pg_reload_conf()")
        self.environment = os.environ | {
            "TRUSTOPS_DATABASE": postgresql.address(self.name, postgresql.ROLE),
            "PYTHONPATH": str(ROOT),
            "TRUSTOPS_EMBEDDINGS": "off",
        }
        model = f'[models]\ndefault = "wire"\n\n[models.profiles.wire]\nprovider = "anthropic"\nmodel = "scripted"\nbase_url = "{url}"\n'
        self.file = write(self.place, list(range(1, questions + 1)), f"\n{model}\n[storage]\npool = 8\n")
        self.postmaster = int((Path(postgresql.server().pgdata) / "postmaster.pid").read_text(encoding="ascii").split()[0])
        self.workers: list[subprocess.Popen[bytes]] = []
        self.ended: list[str] = []
        self.complaints = (folder / "complaints").open("wb")

    def hold(self) -> None:
        """The review is put on the board and held by this process, which answers nothing of it."""
        os.environ.update({key: self.environment[key] for key in ("TRUSTOPS_DATABASE", "TRUSTOPS_EMBEDDINGS")})
        office = assembly.office(self.place, durable=True)
        office.engine.helped = True  # type: ignore[attr-defined]
        prepared = prepare(office, take_in(office, self.file), watch=quiet)

        def run() -> None:
            try:
                asyncio.run(run_review(office, prepared, quiet))
                self.ended.append("finished")
            except TrustOpsError as said:
                self.ended.append(str(said))

        threading.Thread(target=run, daemon=True).start()

    def employ(self, number: int) -> None:
        """So many workers are there, with their hands full and past what they do once: those that are too many have drained."""
        for one in self.workers[number:]:
            one.send_signal(signal.SIGTERM)
        for one in self.workers[number:]:
            one.wait(120)
        del self.workers[number:]
        command = [sys.executable, "-m", "trustops", "worker", "--concurrency", str(self.concurrency), "-w", str(self.place)]
        while len(self.workers) < number:
            self.workers.append(subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=self.complaints, stderr=self.complaints))
        until = time.monotonic() + 120
        while self.taken() < number * self.concurrency and not self.ended:
            if time.monotonic() > until:
                raise SystemExit(f"workers do not come: {Path(self.complaints.name).read_text(encoding='utf-8')[-500:]}")
            time.sleep(0.2)
        warm = self.replies() + 2 * SEATS * number * self.concurrency
        while self.replies() < warm and not self.ended:
            time.sleep(0.2)

    def replies(self) -> int:
        return int(postgresql.rows(self.name, "SELECT count(*) FROM journal")[0][0])

    def taken(self) -> int:
        return int(postgresql.rows(self.name, "SELECT count(*) FROM trustops_engine.tasks WHERE state = 'TAKEN'")[0][0])

    def books(self) -> Books:
        counted = "SELECT xact_commit, active_time FROM pg_stat_database WHERE datname = %s"
        transactions, busy = postgresql.rows(self.name, counted, self.name)[0]
        running = {pid: spent_by(pid) for pid in children(self.postmaster)}
        return Books(time.perf_counter(), self.replies(), int(transactions), float(busy), running)

    def close(self) -> None:
        for one in self.workers:
            one.kill()
            one.wait(10)
        self.complaints.close()


# -- windows -----------------------------------------------------------------------------------------------------------------------


class Window(NamedTuple):
    """What so many workers did in a window, by question (five replies)."""

    workers: int
    per_s: float
    cpu_ms: float
    database_cpu_ms: float
    database_busy_ms: float
    transactions: float


def window(scene: Scene, number: int, seconds: float) -> Window:
    scene.employ(number)
    before, worked = scene.books(), [spent_by(one.pid) for one in scene.workers]
    time.sleep(seconds)
    after, working = scene.books(), [spent_by(one.pid) for one in scene.workers]
    if scene.ended:
        raise SystemExit(f"the review ended within a window ({scene.ended[0]}): ask for more --questions, or a shorter --window")
    questions = (after.replies - before.replies) / SEATS
    database = sum(spent - before.database.get(pid, 0.0) for pid, spent in after.database.items())
    return Window(
        number,
        questions / (after.at - before.at),
        1000 * (sum(working) - sum(worked)) / questions,
        1000 * database / questions,
        (after.busy_ms - before.busy_ms) / questions,
        (after.transactions - before.transactions) / questions,
    )


def exactly_once(scene: Scene) -> str:
    """Whether every question of the review left five replies, one record and one version; ends the program where one did not."""
    wanted = {f"N-{n}" for n in range(1, scene.questions + 1)}
    replies = Counter(row[0] for row in postgresql.rows(scene.name, "SELECT question FROM journal"))
    lost = [each for each in wanted if replies[each] != SEATS]
    for table in ("records", "answers"):
        found = Counter(row[0] for row in postgresql.rows(scene.name, f"SELECT question FROM {table}"))
        lost += [each for each in wanted | set(found) if found[each] != 1]
    ends = postgresql.rows(scene.name, "SELECT state FROM run_ends")
    if lost or ends != [("FINISHED",)]:
        raise SystemExit(f"not exactly once: {sorted(set(lost))[:5]}, the run's ends {ends}")
    return f"{scene.questions} questions, each with {SEATS} replies, one record and one version; the run ended once"


def sums(windows: list[Window]) -> dict[int, Window]:
    """The mean of the windows of each number of workers."""
    by_number = {number: [each for each in windows if each.workers == number] for number in sorted(set(ORDER))}
    means = {number: [sum(column) / len(column) for column in zip(*each, strict=True)] for number, each in by_number.items() if each}
    return {number: Window(number, *mean[1:]) for number, mean in means.items()}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        provider(replies(), options.latency) as url,
    ):
        scene = Scene(Path(folder), options.questions, options.concurrency, url)
        try:
            scene.hold()
            windows = []
            for number in ORDER:
                windows.append(window(scene, number, options.window))
                print(f"window of {number} workers: {windows[-1].per_s:.2f} questions a second", flush=True)
            scene.employ(max(ORDER))
            while not scene.ended:
                time.sleep(0.5)
            once = exactly_once(scene)
        finally:
            scene.close()
    found = sums(windows)
    return {"once": once, "options": vars(options) | {"json": None}, "workers": {number: each._asdict() for number, each in found.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--window", type=float, default=20.0, help="seconds")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds of a reply, on average")
    parser.add_argument("--concurrency", type=int, default=6, help="questions at once in each worker")
    parser.add_argument("--json", type=Path, help="the figures for benchmarks/simulate.py")
    options = parser.parse_args()
    found = measure(options)
    one = found["workers"][1]["per_s"]
    for number, each in found["workers"].items():
        print(
            f"{number} worker{'s' * (number > 1)}: {each['per_s']:.2f} questions a second, {each['per_s'] / one:.2f} times; a question: "
            f"{each['cpu_ms']:.0f} ms processor of workers, {each['database_cpu_ms']:.0f} ms of PostgreSQL, "
            f"{each['database_busy_ms']:.0f} ms in statements, {each['transactions']:.0f} transactions"
        )
    print(found["once"])
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
