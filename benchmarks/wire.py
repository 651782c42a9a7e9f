"""The demo's questions reviewed over the wire: both SDKs, three wire forms, the fake provider server on loopback.

Usage: python benchmarks/wire.py [number of questions]
Prints for each form: questions, calls, distinct provider request ids, origin, execution mode, and the wall time.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from trustops import assembly
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.founding import found
from trustops.operations.intake import take_in
from trustops.operations.reporting import report
from trustops.testing.provider import FakeProvider, serve
from trustops.testing.scripts import Behind, Script, Tap, Tapped


def quiet(kind: str, question: str, data: object) -> None:
    """Nobody listens."""


def one(api: str, count: int) -> str:
    """One review over one wire form."""
    import asyncio

    with tempfile.TemporaryDirectory() as scratch:
        made = found(Path(scratch) / "demo", name="", demo=True)
        office = assembly.office(made.workspace)
        tap = Tap()
        with serve(FakeProvider(Script(otherwise=Behind(office.client, tap)))) as url:
            office = replace(office, client=Tapped(assembly.provider_at(url, api), tap))
            review = take_in(office, made.workspace / "questionnaire.xlsx")
            only = [question.ref for question in review.questionnaire.questions][:count]
            started = time.perf_counter()
            prepared = prepare(office, review, only=only, watch=quiet)
            asyncio.run(alone(office, run_review(office, prepared, quiet)))
        told = report(office, review)
        rows = [q for q in told["questions"] if q["model_calls"]]
        ids = [{call["request_id"] for call in q["model_calls"]} for q in rows]
        origins = {call["origin"] for q in rows for call in q["model_calls"]}
        five = sum(len(found) == 5 and "" not in found for found in ids)
        seconds = time.perf_counter() - started
        served = f"{five} with five distinct provider request ids, {origins}, {told['execution_mode']}"
        return f"{api:10} {len(rows)} questions, {served}, {seconds:.1f} s"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for api in ("messages", "responses", "chat"):
        print(one(api, count), flush=True)


if __name__ == "__main__":
    main()
