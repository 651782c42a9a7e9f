"""A peer: asyncio and the provider's SDK, nothing else."""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI
from rounds import Question, bounded, format_of, read, serve


async def review(url: str, questions: list[Question], concurrency: int) -> int:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="no-key") as sdk:

        async def call(question: Question, name: str) -> int:
            seat = question[name]
            messages = [{"role": "system", "content": seat["system"]}, {"role": "user", "content": seat["user"]}]
            reply = await sdk.chat.completions.create(
                model="scripted", messages=messages, max_completion_tokens=seat["max_tokens"], response_format=format_of(seat)
            )
            return read(reply.choices[0].message.content)

        async def work(question: Question) -> int:
            done = await call(question, "commander")
            done += sum(await asyncio.gather(call(question, "policy"), call(question, "control")))
            done += await call(question, "answer")
            return done + await call(question, "reviewer")

        return await bounded(questions, concurrency, work)


if __name__ == "__main__":
    serve(review)
