"""A peer: LangGraph without a checkpointer, the provider's SDK in its nodes."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from openai import AsyncOpenAI
from rounds import Question, bounded, format_of, read, serve


class State(TypedDict):
    """A question on its way, and how many calls were answered."""

    question: Question
    done: Annotated[int, operator.add]


def graph(sdk: AsyncOpenAI) -> Any:
    """Four levels, five nodes."""

    def node(name: str) -> Any:
        async def call(state: State) -> dict[str, int]:
            seat = state["question"][name]
            messages = [{"role": "system", "content": seat["system"]}, {"role": "user", "content": seat["user"]}]
            reply = await sdk.chat.completions.create(
                model="scripted", messages=messages, max_completion_tokens=seat["max_tokens"], response_format=format_of(seat)
            )
            return {"done": read(reply.choices[0].message.content)}

        return call

    built = StateGraph(State)
    for name in ("commander", "policy", "control", "answer", "reviewer"):
        built.add_node(name, node(name))
    built.add_edge(START, "commander")
    built.add_edge("commander", "policy")
    built.add_edge("commander", "control")
    built.add_edge(["policy", "control"], "answer")
    built.add_edge("answer", "reviewer")
    built.add_edge("reviewer", END)
    return built.compile()


async def review(url: str, questions: list[Question], concurrency: int) -> int:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="no-key") as sdk:
        built = graph(sdk)

        async def work(question: Question) -> int:
            return int((await built.ainvoke({"question": question, "done": 0}))["done"])

        return await bounded(questions, concurrency, work)


if __name__ == "__main__":
    serve(review)
