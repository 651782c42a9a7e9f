"""What orchestration costs: 50 questions of five calls, TrustOps beside plain asyncio, LangGraph, openai-agents, pydantic-ai and crewai.

    python benchmarks/peers.py [--latency 0.1 1.0] [--concurrency 10 50] [--rounds 5] [--only NAME ...]

All ask the same fake provider (Chat Completions, a process of its own), which takes `latency` seconds for a reply. All send the requests
that TrustOps sends for the demo's questions: commander; policy and control side by side; answer; reviewer. The sides take turns in every
round, each after a round that is not counted, so that what is loaded at first use is loaded; medians are compared. The server counts the
calls: a side whose round has another number than 250 is not measured.

What is not alike: TrustOps also searches evidence, reads facts, checks every sentence, and writes events, records and the audit chain;
durable, it journals every reply besides. The peers send, wait and parse JSON. Where a reply takes half a second or longer there are
--rounds-slow rounds; crewai has one round everywhere.

Each peer has an environment of its own under .bench/peers, made here by pip at the first run, with the versions below. What cannot be
installed or does not run is told as not measured, with the reason.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from benchmarks.gateway import Kept, Turns, by_question, quiet  # noqa: E402
from trustops import assembly  # noqa: E402
from trustops.domain.chain import sha256  # noqa: E402
from trustops.operations.answering import alone, prepare, run_review  # noqa: E402
from trustops.operations.founding import found  # noqa: E402
from trustops.operations.intake import take_in  # noqa: E402
from trustops.operations.office import Office  # noqa: E402
from trustops.ports import StoredReview  # noqa: E402
from trustops.providers.gateway import Gateway  # noqa: E402
from trustops.providers.schema import for_openai  # noqa: E402
from trustops.testing.provider import FakeProvider, serve  # noqa: E402
from trustops.testing.scripts import Asked, Script  # noqa: E402

CACHE = ROOT / ".bench" / "peers"
PLAIN, LEVELS, SEATS = "asyncio", 4, 5
PEERS = {
    PLAIN: ("with_asyncio.py", ["openai==3.57.0"]),
    "langgraph": ("with_langgraph.py", ["langgraph==1.2.24", "openai==3.57.0"]),
    "openai-agents": ("with_openai_agents.py", ["openai-agents==0.24.0", "openai==3.57.0"]),
    "pydantic-ai": ("with_pydantic_ai.py", ["pydantic-ai-slim[openai]==2.68.0", "openai==3.57.0"]),
    "crewai": ("with_crewai.py", ["crewai==1.15.30"]),
}
ONCE = ("crewai",)
"""So slow that one round must do."""
LONGEST_S = 600


class Spent(NamedTuple):
    """Seconds of the wall, and of the side's own processor time, for all questions."""

    wall: float
    cpu: float


class NotMeasured(RuntimeError):
    """A peer that cannot be installed, or does not do its calls; the words say why."""


Side = Callable[[str, int], Spent]
"""All questions at a provider's address, so many at once."""


# -- the provider ----------------------------------------------------------------------------------------------------------------


def _served(pipe: Connection, said: dict[str, str], by_seat: dict[str, str], delay_s: float) -> None:
    def answer(asked: Asked) -> str:
        return said.get(sha256(asked.user.encode())) or by_seat[asked.seat]  # who words prompts anew gets another question's reply

    provider = FakeProvider(Script(otherwise=answer), delay_s=delay_s)
    with serve(provider) as url:
        pipe.send(url)
        while pipe.recv():
            pipe.send(provider.calls)


class Provider:
    """The fake provider in a process of its own."""

    def __init__(self, url: str, pipe: Connection) -> None:
        self.url, self.pipe = url, pipe

    @property
    def calls(self) -> int:
        """Requests so far."""
        self.pipe.send(True)
        return int(self.pipe.recv())


@contextmanager
def provider(said: dict[str, str], by_seat: dict[str, str], delay_s: float) -> Iterator[Provider]:
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_served, args=(theirs, said, by_seat, delay_s), daemon=True)
    process.start()
    try:
        yield Provider(mine.recv(), mine)
    finally:
        mine.send(False)
        process.join(10)


# -- the sides -------------------------------------------------------------------------------------------------------------------


def installed(name: str, wanted: list[str]) -> Path:
    """The Python of the peer's environment, which is made where it is missing or has other versions."""
    folder = CACHE / name
    python, mark = folder / "bin" / "python", folder / "installed"
    if not (mark.is_file() and mark.read_text(encoding="utf-8").split() == wanted):
        print(f"installing {' '.join(wanted)} into {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
        venv.create(folder, clear=True, with_pip=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise NotMeasured(f"pip: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
        mark.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    return python


class Peer:
    """A peer's process, which has loaded and waits for rounds."""

    def __init__(self, name: str, requests: Path, folder: Path) -> None:
        script, wanted = PEERS[name]
        self.complaints = folder / f"{name}.txt"
        command = [str(installed(name, wanted)), str(ROOT / "benchmarks" / "peer" / script), str(requests)]
        with self.complaints.open("w", encoding="utf-8") as complaints:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, text=True)
        self.told("ready")

    def told(self, key: str) -> dict[str, Any]:
        """The next line of JSON with this key; what libraries print is passed over."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{") and f'"{key}"' in line:
                return dict(json.loads(line))
        self.process.wait(10)
        said = self.complaints.read_text(encoding="utf-8").strip().splitlines()
        raise NotMeasured(said[-1] if said else f"ended with {self.process.returncode}")

    def __call__(self, url: str, concurrency: int) -> Spent:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"url": url, "concurrency": concurrency}) + "\n")
        self.process.stdin.flush()
        told = self.told("wall")
        return Spent(told["wall"], told["cpu"])

    def close(self) -> None:
        self.process.kill()
        self.process.wait(10)


def ours(office: Office, review: StoredReview, url: str, concurrency: int) -> Spent:
    """A review by TrustOps; reading its evidence is not counted."""
    client = Gateway(assembly.provider_at(url, "chat"), concurrency=2 * concurrency)
    live = replace(office, client=client, concurrency=concurrency)
    prepared = prepare(live, review, watch=quiet)
    worked, began = time.process_time(), time.perf_counter()
    asyncio.run(alone(live, run_review(live, prepared, quiet)))
    return Spent(time.perf_counter() - began, time.process_time() - worked)


class Scene(NamedTuple):
    """What all sides share: the requests in a file, the replies by request and by seat, TrustOps' own sides, the number of questions."""

    requests: Path
    said: dict[str, str]
    by_seat: dict[str, str]
    ours: dict[str, Side]
    questions: int


def scene(folder: Path) -> Scene:
    made = found(folder / "demo", name="", demo=True)
    sides: dict[str, Side] = {}
    kept, turns = None, Turns()
    for name, durable in (("TrustOps inline", False), ("TrustOps durable", True)):
        office = assembly.office(made.workspace, durable=durable)
        review = take_in(office, made.workspace / "questionnaire.xlsx")
        if kept is None:
            kept = Kept(office)
            turns = by_question(kept, office, review)
        sides[name] = partial(ours, office, review)
    assert kept is not None
    requests = folder / "requests.json"
    questions = [
        {
            seat: {"system": one.system, "user": one.user, "schema": for_openai(one.shape), "max_tokens": one.max_tokens}
            for seat, one in seats.items()
        }
        for seats in turns.values()
    ]
    requests.write_text(json.dumps(questions), encoding="utf-8")
    by_seat = {seat: kept.said[sha256(one.user.encode())] for seats in turns.values() for seat, one in seats.items()}
    return Scene(requests, kept.said, by_seat, sides, len(questions))


def sizes(shared: Scene) -> str:
    """How long requests and replies are, in tokens of four characters."""
    asked = [seat for question in json.loads(shared.requests.read_text(encoding="utf-8")) for seat in question.values()]
    sent = [len(seat["system"]) + len(seat["user"]) + len(json.dumps(seat["schema"])) for seat in asked]
    told = [len(text) for text in shared.said.values()]
    return f"{len(asked)} requests of {statistics.mean(sent) / 4:.0f} tokens, replies of {statistics.mean(told) / 4:.0f} (short ones)"


# -- rounds ----------------------------------------------------------------------------------------------------------------------


def one_round(side: Side, at: Provider, concurrency: int, wanted: int) -> Spent:
    before = at.calls
    spent = side(at.url, concurrency)
    if (calls := at.calls - before) != wanted:
        raise NotMeasured(f"{calls} calls reached the provider, not {wanted}")
    return spent


def compare(
    sides: dict[str, Side], at: Provider, concurrency: int, wanted: int, rounds: int, lost: dict[str, str]
) -> dict[str, list[Spent]]:
    """By side, what each round took. A side that fails leaves, and `lost` says why."""
    spent: dict[str, list[Spent]] = {name: [] for name in sides if name not in lost}
    for number in range(rounds):
        for name in list(spent):
            if number and name in ONCE:
                continue
            try:
                spent[name].append(one_round(sides[name], at, concurrency, wanted))
            except NotMeasured as why:
                lost[name] = str(why)
                del spent[name]
    return spent


def table(spent: dict[str, list[Spent]], latency: float, concurrency: int, questions: int) -> None:
    if PLAIN not in spent:
        raise SystemExit("plain asyncio was not measured, and nothing can be compared with it")
    ideal = LEVELS * latency * -(-questions // concurrency)
    print(f"\n{questions} questions, {latency * 1000:.0f} ms a reply, {concurrency} at once: at best {ideal:.2f} s")
    plain = statistics.median(each.wall for each in spent[PLAIN])
    for name, rounds in spent.items():
        walls = sorted(each.wall for each in rounds)
        wall, cpu = statistics.median(walls), statistics.median(each.cpu for each in rounds) / questions * 1000
        print(
            f"{name:<17} {wall:6.2f} s ({walls[0]:.2f} to {walls[-1]:.2f}), {wall / plain:5.2f} x asyncio, "
            f"{cpu:6.1f} ms processor a question, {len(rounds)} rounds",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, nargs="+", default=[0.1, 1.0], metavar="SECONDS")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[10, 50], metavar="N")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rounds-slow", type=int, default=2, help="where a reply takes half a second or longer")
    parser.add_argument("--only", nargs="+", choices=[name for name in PEERS if name != PLAIN], help="these peers, beside asyncio")
    options = parser.parse_args()
    lost: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        shared = scene(Path(scratch))
        print(sizes(shared), flush=True)
        sides: dict[str, Side] = {}
        for name in PEERS if options.only is None else [PLAIN, *options.only]:
            try:
                sides[name] = peer = Peer(name, shared.requests, Path(scratch))
                stack.callback(peer.close)
            except NotMeasured as why:
                lost[name] = str(why)
        sides |= shared.ours
        with provider(shared.said, shared.by_seat, 0.0) as at:
            compare(sides, at, max(options.concurrency), SEATS * shared.questions, 1, lost)
        for latency in options.latency:
            with provider(shared.said, shared.by_seat, latency) as at:
                for concurrency in options.concurrency:
                    rounds = options.rounds if latency < 0.5 else options.rounds_slow
                    spent = compare(sides, at, concurrency, SEATS * shared.questions, rounds, lost)
                    table(spent, latency, concurrency, shared.questions)
    for name, why in lost.items():
        print(f"{name}: not measured: {why}")


if __name__ == "__main__":
    main()
