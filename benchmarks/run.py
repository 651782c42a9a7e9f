"""All measurements, one table: what, figure, command. `make bench`. It asserts nothing; read benchmarks/README.md before you compare.

    python benchmarks/run.py [--only WORD] [--full] [--markdown]

`--row NAME` measures one of this file's own rows by itself; the table runs each row in a process of its own. `--full` takes the counts of
docs/performance.md, which take an hour; `--markdown` prints the table as that page has it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too
WIDE = 62
"""Characters of the first column."""
KEPT = re.compile(r"^ALL |us/sentence")
"""The lines of a long report that are its sum."""
TRUTHS = ("acme", "brightwell")


def help_wall() -> str:
    """`trustops --help`, whole process; the quickest of five."""
    return f"{min(_timed([sys.executable, '-m', 'trustops', '--help']) for _ in range(5)) * 1000:.0f} ms wall (min of 5)"


def first_event() -> str:
    """From opening the office to the run's first event in the ledger, and to the first one of a seat; start of Python not counted."""
    from trustops import assembly
    from trustops.domain.authenticity import EntryPoint
    from trustops.operations.answering import prepare, run_review
    from trustops.operations.intake import take_in

    heard: dict[str, float] = {}

    def watch(kind: str, question: str, data: Mapping[str, Any]) -> None:
        del question, data
        heard.setdefault(kind, time.perf_counter() - begun)

    with tempfile.TemporaryDirectory() as folder:
        house, file = _demo(Path(folder))
        begun = time.perf_counter()
        office = assembly.office(house, entry=EntryPoint.EVALUATION)
        prepared = prepare(office, take_in(office, file), only=("Q-005",), watch=watch)
        asyncio.run(run_review(office, prepared, watch))
    event, seat = heard["run_started"] * 1000, heard["seat_started"] * 1000
    return f"run_started {event:.0f} ms, first seat {seat:.0f} ms (evidence is read between)"


def offline_review(*, durable: bool = False) -> str:
    """The 50 demo questions, offline, after evidence was read and indexed; `durable` with the engine of the command line."""
    from trustops import assembly
    from trustops.domain.authenticity import EntryPoint
    from trustops.operations.answering import prepare, run_review
    from trustops.operations.intake import take_in

    with tempfile.TemporaryDirectory() as folder:
        house, file = _demo(Path(folder))
        office = assembly.office(house, entry=EntryPoint.EVALUATION, durable=durable)
        prepared = prepare(office, take_in(office, file), watch=_deaf)
        wall, cpu = time.perf_counter(), time.process_time()
        asyncio.run(run_review(office, prepared, _deaf))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        asked = len(prepared.review.questionnaire.questions)
    return f"{asked} questions: {cpu:.1f} s CPU, {wall:.1f} s wall"


def _demo(folder: Path) -> tuple[Path, Path]:
    from trustops.operations.founding import found

    made = found(folder / "acme", name="", demo=True)
    return made.workspace, made.workspace / "questionnaire.xlsx"


def _deaf(kind: str, question: str, data: Mapping[str, Any]) -> None:
    """Nobody watches."""


def _timed(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, env=_environment(), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def _environment() -> dict[str, str]:
    """Without keys: nothing here may reach a provider."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "OPENAI_"))}
    return kept | {"PYTHONPATH": str(ROOT)}


OWN: dict[str, Callable[[], str]] = {
    "help": help_wall,
    "first-event": first_event,
    "offline-review": offline_review,
    "durable-review": partial(offline_review, durable=True),
}
TITLES = {
    "help": "`trustops --help`",
    "first-event": "time to first event of a review (Q-005)",
    "offline-review": "offline review of the demo, after indexing",
    "durable-review": "the same with the durable engine",
}


SCALE = {
    "durability: processor time of a question": (["overhead.py"], ["overhead.py"]),
    "growth: one review of each length": (["overhead.py", "--growth", "50", "500"], ["overhead.py", "--growth", "50", "500", "5000"]),
    "workers on PostgreSQL: 1, 2, 4": (
        ["workers.py"],
        ["workers.py", "--questions", "5000", "--window", "60", "--latency", "4", "--concurrency", "16"],
    ),
    "orchestration beside other libraries": (["peers.py", "--latency", "0.1", "--rounds", "3"], ["peers.py"]),
    "a million questions a day, on paper": (["simulate.py"], ["simulate.py"]),
}
"""What grows: by title the program in short, and in full."""


def rows(full: bool = False) -> Iterator[tuple[str, list[str]]]:
    """What is measured and by which command; a program that is not there is left out."""
    for name in OWN:
        yield TITLES[name], ["benchmarks/run.py", "--row", name]
    if _there("machine.py"):
        yield "CPU per question: graph, seats and checks, replies from memory", ["benchmarks/machine.py"]
    if _there("facts.py"):
        yield "reader of facts, labelled sentences", ["benchmarks/facts.py"]
    for name in TRUTHS if _there("retrieval.py") else ():
        golden = f"golden/{name}"
        yield f"retrieval, {name}", ["benchmarks/retrieval.py", f"{golden}/truth.yaml", "-w", f"{golden}/workspace"]
    for title, (short, long) in SCALE.items():
        program, *arguments = long if full else short
        if _there(program):
            yield title, [f"benchmarks/{program}", *arguments]


def _there(name: str) -> bool:
    return (ROOT / "benchmarks" / name).is_file()


def measure(arguments: list[str]) -> list[str]:
    """What the command prints, of a long report the sums; or why there is no figure."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=_environment(), capture_output=True, text=True)
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode or not lines:
        why = (done.stderr or done.stdout).strip().splitlines()
        return [f"not measured: {why[-1] if why else f'exit code {done.returncode}'}"]
    return [line for line in lines if KEPT.search(line)] or lines


def machine() -> str:
    """What it was measured on, and how busy that was."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        model = next((line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("model name")), platform.machine())
    except OSError:
        model = platform.machine()
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    return f"{date.today()}, Python {platform.python_version()}, {os.cpu_count()} processors ({model}), {load}"


def table(only: str, *, full: bool, markdown: bool) -> None:
    """One row after the other, printed as it is measured: what, figure, and below it the command."""
    print(machine(), end="\n\n| what | figure | command |\n|---|---|---|\n" if markdown else "\n", flush=True)
    for title, arguments in rows(full):
        if only.lower() not in title.lower():
            continue
        first, *more = measure(arguments)
        if markdown:
            print(f"| {title.replace('|', '/')} | {'<br>'.join([first, *more])} | `python {' '.join(arguments)}` |", flush=True)
            continue
        print(f"{title:<{WIDE}}{first}")
        print("".join(f"{'':<{WIDE}}{line}\n" for line in more), end="")
        print(f"    $ python {' '.join(arguments)}", flush=True)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--row", choices=sorted(OWN), help="measure this one here")
    options.add_argument("--only", default="", help="rows whose title holds this word")
    options.add_argument("--full", action="store_true", help="the long counts of what grows")
    options.add_argument("--markdown", action="store_true", help="as a table of Markdown")
    chosen = options.parse_args()
    print(OWN[chosen.row]()) if chosen.row else table(chosen.only, full=chosen.full, markdown=chosen.markdown)
