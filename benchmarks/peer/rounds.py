"""What every peer does alike: it loads once, then reviews the same questions whenever a line on its input says so, and says what that took.

A line is JSON: the provider's address and how many questions at once. The answer is JSON: seconds of the wall, seconds of this process's
processor time, calls that were answered. A question is five calls: commander; policy and control side by side; answer; reviewer. Each reply
is read as JSON. This file and those beside it need nothing of the product: they run in environments of their own.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

Question = dict[str, dict[str, Any]]
"""By seat: `system` and `user` text, `schema` of the reply, `max_tokens`."""
Work = Callable[[Question], Awaitable[int]]
"""One question; how many calls were answered."""


def format_of(seat: dict[str, Any]) -> dict[str, Any]:
    """The reply's form as the wire has it."""
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": seat["schema"]}}


def read(text: object) -> int:
    """One call was answered, with JSON; raises where it was not."""
    json.loads(str(text))
    return 1


async def bounded(questions: list[Question], concurrency: int, work: Work) -> int:
    """All questions, so many at once; how many calls were answered."""
    gate = asyncio.Semaphore(concurrency)

    async def one(question: Question) -> int:
        async with gate:
            return await work(question)

    return sum(await asyncio.gather(*map(one, questions)))


def serve(review: Callable[[str, list[Question], int], Awaitable[int]]) -> None:
    """Reviews whenever it is told to. The first words on the output say that everything is loaded."""
    questions = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        told = json.loads(line)
        worked, began = time.process_time(), time.perf_counter()
        calls = asyncio.run(review(told["url"], questions, told["concurrency"]))
        print(json.dumps({"wall": time.perf_counter() - began, "cpu": time.process_time() - worked, "calls": calls}), flush=True)
