"""A peer: pydantic-ai, an agent a seat, Chat Completions."""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from rounds import Question, bounded, format_of, read, serve


async def review(url: str, questions: list[Question], concurrency: int) -> int:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="no-key") as sdk:
        model = OpenAIChatModel("scripted", provider=OpenAIProvider(openai_client=sdk))

        async def call(question: Question, name: str) -> int:
            seat = question[name]
            settings = {"max_tokens": seat["max_tokens"], "extra_body": {"response_format": format_of(seat)}}
            agent = Agent(model, instructions=seat["system"], model_settings=settings)
            return read((await agent.run(seat["user"])).output)

        async def work(question: Question) -> int:
            done = await call(question, "commander")
            done += sum(await asyncio.gather(call(question, "policy"), call(question, "control")))
            done += await call(question, "answer")
            return done + await call(question, "reviewer")

        return await bounded(questions, concurrency, work)


if __name__ == "__main__":
    serve(review)
