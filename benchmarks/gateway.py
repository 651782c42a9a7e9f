"""What the house costs beside the calls: a 50-question review against a server that takes 100 ms for a reply, and a plain loop of asyncio
and SDK that sends the same requests in the same order, ten questions at once.

Usage: python benchmarks/gateway.py [rounds]
The server is a process of its own; both sides take turns, and the medians are compared. The second row is processor time alone: a call
through gateway, journal and seat against the bare SDK's, with a server that answers at once.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from anthropic import AsyncAnthropic

from trustops import assembly
from trustops.domain.chain import sha256
from trustops.domain.opinion import AnswerDraft, CommanderOpinion, ControlOpinion, PolicyOpinion, ReviewerOpinion
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.founding import found
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import ModelReply, ModelRequest, StoredReview
from trustops.providers.anthropic import AnthropicClient
from trustops.providers.gateway import Gateway
from trustops.providers.schema import for_anthropic
from trustops.testing.provider import FakeProvider, serve
from trustops.testing.scripts import Asked, Script

AT_ONCE, LATENCY_S = 10, 0.1
SHAPES = {
    "commander": CommanderOpinion,
    "policy": PolicyOpinion,
    "control": ControlOpinion,
    "answer": AnswerDraft,
    "reviewer": ReviewerOpinion,
}
Turns = dict[str, dict[str, ModelRequest]]
"""Requests by question and seat."""


def quiet(kind: str, question: str, data: object) -> None:
    """Nobody listens."""


class Kept:
    """The offline provider, with what it was asked and what it said. Its replies bear another provider's name: a draft that is known to be
    offline carries a finding, so that Reviewer would be asked something that no review with a model ever asks."""

    def __init__(self, office: Office) -> None:
        self.client, self.turns, self.said = office.client, Turns(), dict[str, str]()

    async def complete(self, request: ModelRequest) -> ModelReply:
        reply = (await self.client.complete(request)).model_copy(update={"provider": "kept"})
        self.said[sha256(request.user.encode())] = reply.text
        self.turns.setdefault(str(len(self.turns)), {})[request.seat] = request
        return reply


def _served(pipe: Connection, said: dict[str, str], delay_s: float) -> None:
    def answer(asked: Asked) -> str:
        return said[sha256(asked.user.encode())]

    with serve(FakeProvider(Script(otherwise=answer), delay_s=delay_s)) as url:  # an unknown request is a 500: see decided()
        pipe.send(url)
        pipe.recv()


@contextmanager
def served(said: dict[str, str], delay_s: float) -> Iterator[str]:
    """A server in a process of its own that says what the offline provider said to the same request."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_served, args=(theirs, said, delay_s), daemon=True)
    process.start()
    yield mine.recv()
    mine.send(None)
    process.join(10)


def reviewed(office: Office, review: StoredReview) -> float:
    """Seconds for all questions of the review, gathering not counted."""
    prepared = prepare(office, review, watch=quiet)
    started = time.perf_counter()
    asyncio.run(alone(office, run_review(office, prepared, quiet)))
    return time.perf_counter() - started


async def bare_call(sdk: AsyncAnthropic, request: ModelRequest) -> None:
    """One request with nothing but the SDK, its reply read by pydantic."""
    raw = await sdk.messages.with_raw_response.create(
        model="scripted",
        max_tokens=request.max_tokens,
        system=request.system,
        messages=[{"role": "user", "content": request.user}],
        output_config={"format": {"type": "json_schema", "schema": for_anthropic(request.shape)}},
    )
    body: Any = await raw.json()
    SHAPES[request.seat].model_validate_json(body["content"][0]["text"])


async def _plain(url: str, turns: Turns) -> None:
    """The same requests with nothing but the SDK and pydantic."""
    gate = asyncio.Semaphore(AT_ONCE)
    async with AsyncAnthropic(base_url=url, api_key="no-key", max_retries=0) as sdk:

        async def question(seats: dict[str, ModelRequest]) -> None:
            async with gate:
                await bare_call(sdk, seats["commander"])
                await asyncio.gather(bare_call(sdk, seats["policy"]), bare_call(sdk, seats["control"]))
                await bare_call(sdk, seats["answer"])
                await bare_call(sdk, seats["reviewer"])

        await asyncio.gather(*map(question, turns.values()))


def plain(url: str, turns: Turns) -> float:
    """Seconds for the loop."""
    started = time.perf_counter()
    asyncio.run(_plain(url, turns))
    return time.perf_counter() - started


def by_question(kept: Kept, office: Office, review: StoredReview) -> Turns:
    """What each question's seats are asked: one review, one question at a time."""
    single = replace(office, client=kept, concurrency=1)
    turns = Turns()
    for question in review.questionnaire.questions:
        kept.turns = {"0": {}}
        prepared = prepare(single, review, only=[question.ref], watch=quiet)
        kept.turns = {}
        asyncio.run(run_review(single, prepared, quiet))
        turns[question.ref] = {seat: request for each in kept.turns.values() for seat, request in each.items()}
    return turns


def cpu_of_a_call(url: str, turns: Turns) -> tuple[float, float]:
    """Milliseconds of processor time for a call through gateway and client, and for the bare SDK's."""
    from pydantic import SecretStr

    requests = [request for seats in turns.values() for request in seats.values()]

    async def ours() -> None:
        client = Gateway(AnthropicClient("scripted", api_key=SecretStr("no-key"), base_url=url))
        for request in requests:
            reply = await client.complete(request)
            SHAPES[request.seat].model_validate_json(reply.text)
        await client.close()

    async def bare() -> None:
        await _plain_one_by_one(url, requests)

    figures = []
    for work in (ours, bare):
        best = min(_cpu(work) for _ in range(3))
        figures.append(1000 * best / len(requests))
    return figures[0], figures[1]


def _cpu(work: Any) -> float:
    started = time.process_time()
    asyncio.run(work())
    return time.process_time() - started


async def _plain_one_by_one(url: str, requests: list[ModelRequest]) -> None:
    async with AsyncAnthropic(base_url=url, api_key="no-key", max_retries=0) as sdk:
        for request in requests:
            await bare_call(sdk, request)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as scratch:
        made = found(Path(scratch) / "demo", name="", demo=True)
        for durable in (False, True):
            office = assembly.office(made.workspace, durable=durable)
            review = take_in(office, made.workspace / "questionnaire.xlsx")
            if not durable:
                kept = Kept(office)
                turns = by_question(kept, office, review)
            with served(kept.said, LATENCY_S) as url:
                live = replace(office, client=Gateway(assembly.provider_at(url), concurrency=2 * AT_ONCE), concurrency=AT_ONCE)
                pairs = [(plain(url, turns), reviewed(live, review)) for _ in range(rounds)]
            loops, reviews = [loop for loop, _ in pairs], [ours for _, ours in pairs]
            loop, ours = statistics.median(loops), statistics.median(reviews)
            name = "durable engine" if durable else "inline engine"
            print(f"{name}: review {ours:.2f} s, plain loop {loop:.2f} s, {ours / loop:.2f} times ({rounds} rounds)", flush=True)
        with served(kept.said, 0.0) as url:
            call, bare = cpu_of_a_call(url, turns)
        print(f"CPU of a call: {call:.2f} ms, bare SDK {bare:.2f} ms, {call - bare:.2f} ms are ours")


if __name__ == "__main__":
    main()
