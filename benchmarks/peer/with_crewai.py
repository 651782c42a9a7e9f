"""A peer: crewai, a crew of five agents and tasks a question. Its telemetry is switched off. crewai words the prompts
itself, so that they are a little longer, and the reply's schema is not sent."""

from __future__ import annotations

import os

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "CREWAI_TRACING_ENABLED": "false"}

from crewai import LLM, Agent, Crew, Process, Task
from rounds import Question, bounded, read, serve

SEATS = ("commander", "policy", "control", "answer", "reviewer")


def crew(llm: LLM, question: Question) -> Crew:
    """Five agents and their tasks; Policy's and Control's side by side."""
    tasks: dict[str, Task] = {}
    for name in SEATS:
        agent = Agent(role=name, goal="Answer in JSON.", backstory=question[name]["system"], llm=llm, verbose=False, max_iter=1)
        side = name in ("policy", "control")
        tasks[name] = Task(
            name=name,
            description="\n" + question[name]["user"].replace("{", "{ "),
            expected_output="JSON",
            agent=agent,
            async_execution=side,
            context=[],
        )
    return Crew(agents=[task.agent for task in tasks.values()], tasks=list(tasks.values()), process=Process.sequential, verbose=False)


async def review(url: str, questions: list[Question], concurrency: int) -> int:
    llm = LLM(model="openai/scripted", base_url=f"{url}/v1", api_key="no-key")

    async def work(question: Question) -> int:
        done = await crew(llm, question).akickoff()
        return sum(read(output.raw) for output in done.tasks_output)

    return await bounded(questions, concurrency, work)


if __name__ == "__main__":
    serve(review)
