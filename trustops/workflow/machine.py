"""The machine: eight nodes, static edges, one join. It covers one question and ends at the decision (docs/decisions/0002).

No conditional edge, no Command, no interrupt, no error handler, no checkpointer: each of them was seen to end a run "successfully"
without an outcome. Reaching the end proves nothing; the outcome is read from the state and its absence is BLOCK.
"""

from __future__ import annotations

from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from trustops.domain.control import Risk
from trustops.domain.opinion import Unavailable
from trustops.domain.question import Question
from trustops.domain.risk_review import RiskReviewResult, unavailable_findings
from trustops.workflow import nodes
from trustops.workflow.desk import Desk
from trustops.workflow.state import Outcome, State

NODES = ("commander", "policy", "control", "compare", "answer", "verify", "review", "decide")


@cache
def machine() -> CompiledStateGraph[State, Desk, State, State]:
    """Compiled once, at first use."""
    graph = StateGraph(State, context_schema=Desk)
    for name in NODES:
        graph.add_node(name, getattr(nodes, name))
    graph.add_edge(START, "commander")
    graph.add_edge("commander", "policy")
    graph.add_edge("commander", "control")
    graph.add_edge(["policy", "control"], "compare")
    graph.add_edge("compare", "answer")
    graph.add_edge("answer", "verify")
    graph.add_edge("verify", "review")
    graph.add_edge("review", "decide")
    graph.add_edge("decide", END)
    return graph.compile()


async def work(question: Question, desk: Desk) -> Outcome:
    """One attempt at one question. Whatever breaks, and without an outcome in the final state, the result is BLOCK with a finding."""
    try:
        final = await machine().ainvoke({"question": question}, context=desk)
    except Exception as failure:  # noqa: BLE001 - a fault of our own code in one question must not take the others with it
        return _lost(f"{type(failure).__name__}: {failure}")
    outcome = final.get("outcome")
    return outcome if isinstance(outcome, Outcome) else _lost("the machine ended without an outcome")


def _lost(why: str) -> Outcome:
    findings = unavailable_findings([Unavailable(seat="rules", reason="exception", detail=why[:300])])
    return Outcome(result=RiskReviewResult(findings=findings), risk=Risk.HIGH, case=None, version=None, turns=())
