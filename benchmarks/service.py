"""The service under load: first event, visible delay of events, watchers held, one question of a long review, uploads at once.

    python benchmarks/service.py [--only first|watchers|question|uploads] [--questions N] [--watchers N] [--many N] [--events N]

The service runs in a process of its own, on loopback, over the demo's evidence and the offline provider. Watchers are plain sockets in this
process, so part of the delay is theirs. A delay is from the moment before an event is written to the moment a watcher has read it, on the
clock that all processes of a machine share. Compare on an idle machine: with two cores, what else runs counts.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from trustops import assembly  # noqa: E402
from trustops.console.app import make_app  # noqa: E402
from trustops.console.server import Place, Server, listen  # noqa: E402
from trustops.domain.record import RunInfo  # noqa: E402
from trustops.operations.founding import found  # noqa: E402
from trustops.operations.signing_in import issue  # noqa: E402
from trustops.testing.workbook import hostile  # noqa: E402

LIVE = "R-0000000000aa"
"""The review whose run is only written to, to be watched."""
HOSTILE = ("encrypted", "not a zip", "zip bomb", "entity bomb", "cell flood", "corner cells only", "no question")


# -- the service, in a process of its own ------------------------------------------------------------------------------------


def serve(folder: Path) -> None:
    """Serves the workspace, says where, and writes an event for each line `RUN` that it reads on its input."""
    office = assembly.office(folder)
    app = make_app(office, streams=5000)
    server, place = Server(app), Place()
    with listen(place.host, 0) as listening:
        token = issue(office, "Marguerite Oyelaran", by="Marguerite Oyelaran", label=secrets.token_hex(4))
        print(json.dumps({"port": listening.getsockname()[1], "token": token}), flush=True)

        async def run() -> None:
            writer = asyncio.create_task(write_events(app, office))
            await server.serve([listening])
            writer.cancel()

        asyncio.run(run())


async def write_events(app: Any, office: Any) -> None:
    """One event a line, with the clock before it was written."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    bell = app.state.organisations[office.organisation].runs.bell
    while line := (await reader.readline()).decode().strip():
        run, _, kind = line.partition(" ")
        if kind == "run_started":
            now = office.clock.now()
            info = {"id": run, "review": LIVE, "started_at": now, "as_of": now, "as_of_given": False, "entry": "product"}
            made = RunInfo.model_validate({**info, "engine": "bench", "profile": "extractive", "questions": ()})
            await asyncio.to_thread(office.ledger.append_run, made)
        if kind == "run_finished":
            await asyncio.to_thread(office.ledger.end_run, run, "FINISHED")
        sent = {"sent": time.monotonic_ns()}
        await asyncio.to_thread(lambda at=run, what=kind, data=sent: office.ledger.append_event(at, what, data=data))
        await bell.ring(run)


class Service:
    """The process, and a client for it."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        told = json.loads(self.process.stdout.readline())
        self.url, self.headers = f"http://127.0.0.1:{told['port']}", {"Authorization": f"Bearer {told['token']}"}
        self.client = httpx2.Client(base_url=self.url, headers=self.headers, timeout=600)
        while True:
            try:
                self.client.get("/healthz")
                return
            except httpx2.TransportError:
                time.sleep(0.05)

    def write(self, run: str, kind: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{run} {kind}\n")
        self.process.stdin.flush()

    def memory_mb(self) -> int:
        """The most that the process ever held."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024

    def processor_s(self) -> float:
        """Processor time that the process used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(60)


@contextmanager
def serving() -> Iterator[Service]:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRUSTOPS_KEYS"] = f"{folder}/keys"
        found(Path(folder) / "demo", name="", demo=True)
        service = Service(Path(folder) / "demo")
        try:
            yield service
        finally:
            service.end()


# -- what is measured --------------------------------------------------------------------------------------------------------


def row(what: str, figure: str, wanted: str = "") -> None:
    print(f"{what:<58}{figure:<34}{wanted}", flush=True)


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def sheet(count: int, name: str) -> bytes:
    """A questionnaire of the demo's questions, as often as it takes."""
    asked = [q["text"] for q in json.loads(parsed())["questions"]]
    made = io.StringIO(newline="")
    rows = csv.writer(made)
    rows.writerow(("ID", "Question", "Answer"))
    rows.writerows((f"{name}-{number + 1:03}", asked[number % len(asked)], "") for number in range(count))
    return made.getvalue().encode()


def parsed() -> str:
    path = ROOT / "golden" / "acme" / "questionnaire.xlsx"
    done = subprocess.run(
        [sys.executable, "-m", "trustops", "parse", str(path), "--json"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout


def first_event(service: Service) -> None:
    """From the request to the first event that a client has read."""
    review, known = "", []
    for number in range(5):
        began = time.perf_counter()
        made = service.client.post("/v1/reviews", files={"file": ("q.csv", sheet_of_one(number))}).json()
        known.append((time.perf_counter() - began, heard_first(service, made["run"], began)))
        review = made["review"]
        rest(service, made["run"])
    row("upload of a file: answered after, first event after", f"{ms(known, 0)}, {ms(known, 1)}")
    known = []
    for _ in range(10):
        began = time.perf_counter()
        made = service.client.post(f"/v1/reviews/{review}/runs", json={}).json()
        known.append((time.perf_counter() - began, heard_first(service, made["run"], began)))
        rest(service, made["run"])
    row("request of a run: answered after, first event after", f"{ms(known, 0)}, {ms(known, 1)}", "<= 150 ms")
    times = []
    for _ in range(50):
        began = time.perf_counter()
        times.append((heard_first(service, made["run"], began),))
    row("request of a stream: first event after", ms(times, 0), "<= 150 ms")


def sheet_of_one(number: int) -> bytes:
    return f"ID,Question,Answer\r\nF-{number},Do all employees use multi-factor authentication?,\r\n".encode()


def heard_first(service: Service, run: str, began: float) -> float:
    with service.client.sse(f"/v1/runs/{run}/events") as source:
        heard = iter(source)
        next(heard)
        return time.perf_counter() - began


def rest(service: Service, run: str) -> None:
    with service.client.sse(f"/v1/runs/{run}/events") as source:
        for _ in source:
            pass


def ms(values: list[Any], place: int) -> str:
    told = [1000 * each[place] for each in values]
    return f"p50 {statistics.median(told):.0f} ms, most {max(told):.0f} ms"


async def watch(service: Service, run: str, expected: int, delays: list[float], ready: asyncio.Semaphore) -> int:
    """One watcher on a socket of its own; how many events it heard."""
    where = urlsplit(service.url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    head = f"GET /v1/runs/{run}/events HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: {service.headers['Authorization']}\r\n\r\n"
    writer.write(head.encode())
    heard = 0
    while (line := await reader.readline()) not in (b"", b"0\r\n"):  # the last chunk
        if line.startswith(b"data: "):
            at = time.monotonic_ns()
            heard += 1
            told = json.loads(line[6:])
            if heard == 1:
                ready.release()
            else:
                delays.append((at - told["data"]["sent"]) / 1e6)
    writer.close()
    return heard


async def watched(service: Service, watchers: int, events: int, pause_s: float) -> None:
    run, delays, ready = f"{LIVE}.{secrets.randbelow(90000) + 1}", [], asyncio.Semaphore(0)
    service.write(run, "run_started")
    await asyncio.sleep(0.5)
    watching = [asyncio.create_task(watch(service, run, events + 2, delays, ready)) for _ in range(watchers)]
    for _ in range(watchers):
        await asyncio.wait_for(ready.acquire(), 120)
    before = service.processor_s()
    for _ in range(events):
        service.write(run, "decided")
        await asyncio.sleep(pause_s)
    service.write(run, "run_finished")
    heard = await asyncio.wait_for(asyncio.gather(*watching), 300)
    used = service.processor_s() - before
    lost = watchers * (events + 2) - sum(heard)
    figure = f"p50 {statistics.median(delays):.0f}, p95 {quantile(delays, 0.95):.0f}, most {max(delays):.0f} ms"
    row(f"{watchers} watchers, {events} events: visible delay", figure, "p95 <= 50 ms" if watchers <= 200 else "")
    row(f"{watchers} watchers, {events} events: processor", f"{1e6 * used / (watchers * (events + 1)):.0f} us a delivery")
    row(f"{watchers} watchers, {events} events: lost", f"{lost} of {watchers * (events + 2)}", "0")


def question(service: Service, count: int) -> None:
    """One question of a long review, one request after the other."""
    made = service.client.post("/v1/reviews", files={"file": ("long.csv", sheet(count, "L"))}).json()
    rest(service, made["run"])
    where = f"/v1/reviews/{made['review']}/questions"
    times = []
    for number in range(200):
        began = time.perf_counter()
        got = service.client.get(f"{where}/L-{number % count + 1:03}")
        times.append(1000 * (time.perf_counter() - began))
        assert got.status_code == 200, got.text
    row(f"one question of {count}, as JSON", f"p50 {statistics.median(times):.0f} ms, p95 {quantile(times, 0.95):.0f} ms", "p95 <= 60 ms")
    began = time.perf_counter()
    service.client.get(f"/v1/reviews/{made['review']}")
    row(f"the whole review of {count}, as JSON", f"{1000 * (time.perf_counter() - began):.0f} ms")


async def uploads(service: Service, count: int) -> None:
    """Hostile and good files at once, while somebody else asks whether the service is well."""
    files, alive, statuses = hostile(), [], Counter[int]()
    payloads = [
        ("q.csv", sheet_of_one(1000 + number)) if number % 2 else ("q.xlsx", files[HOSTILE[number // 2 % len(HOSTILE)]]())
        for number in range(count)
    ]
    done = asyncio.Event()
    async with httpx2.AsyncClient(
        base_url=service.url, headers=service.headers, timeout=600, limits=httpx2.Limits(max_connections=None)
    ) as client:

        async def send(name: str, data: bytes) -> None:
            statuses[(await client.post("/v1/reviews", files={"file": (name, data)})).status_code] += 1

        async def look() -> None:
            while not done.is_set():
                began = time.perf_counter()
                assert (await client.get("/healthz")).status_code == 200
                alive.append(1000 * (time.perf_counter() - began))
                await asyncio.sleep(0.05)

        looking = asyncio.create_task(look())
        began = time.perf_counter()
        await asyncio.gather(*(send(*each) for each in payloads))
        took = time.perf_counter() - began
        done.set()
        await looking
        assert (await client.get("/readyz")).status_code == 200
    told = ", ".join(f"{number} x {status}" for status, number in sorted(statuses.items()))
    row(f"{count} uploads at once, half of them hostile", f"{told} in {took:.1f} s", "202 and 422 only")
    row("health meanwhile", f"p95 {quantile(alive, 0.95):.0f} ms, most {max(alive):.0f} ms", "alive")
    row("most memory of the service so far", f"{service.memory_mb()} MB", "bounded")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=("first", "watchers", "question", "uploads"))
    for name, usual in (("questions", 400), ("watchers", 200), ("many", 1000), ("events", 100), ("uploads", 50)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    with serving() as service:
        if given.only in (None, "first"):
            first_event(service)
        if given.only in (None, "watchers"):
            asyncio.run(watched(service, given.watchers, given.events, 0.1))
            asyncio.run(watched(service, given.many, given.events // 5, 1.0))
        if given.only in (None, "uploads"):
            asyncio.run(uploads(service, given.uploads))
        if given.only in (None, "question"):
            question(service, given.questions)


if __name__ == "__main__":
    main()
