"""A peer: openai-agents, an agent a seat, Chat Completions, tracing switched off."""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI
from rounds import Question, bounded, format_of, read, serve

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, set_tracing_disabled

set_tracing_disabled(True)


async def review(url: str, questions: list[Question], concurrency: int) -> int:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="no-key") as sdk:
        model = OpenAIChatCompletionsModel(model="scripted", openai_client=sdk)

        async def call(question: Question, name: str) -> int:
            seat = question[name]
            settings = ModelSettings(max_tokens=seat["max_tokens"], extra_body={"response_format": format_of(seat)})
            agent = Agent(name=name, instructions=seat["system"], model=model, model_settings=settings)
            return read((await Runner.run(agent, seat["user"])).final_output)

        async def work(question: Question) -> int:
            done = await call(question, "commander")
            done += sum(await asyncio.gather(call(question, "policy"), call(question, "control")))
            done += await call(question, "answer")
            return done + await call(question, "reviewer")

        return await bounded(questions, concurrency, work)


if __name__ == "__main__":
    serve(review)
