"""The machine's shape and its last word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.team.tiny import ENCRYPTION, MFA, Room, passage, shelf, snapshot
from trustops.domain.risk_review import Decision, DecisionSource, ReviewStatus
from trustops.testing.scripts import Script
from trustops.workflow import machine as machine_module
from trustops.workflow.machine import NODES, machine, work

PASSES = {"decision": "PASS", "findings": []}
EDGES = {
    ("__start__", "commander"),
    ("commander", "policy"),
    ("commander", "control"),
    ("policy", "compare"),
    ("control", "compare"),
    ("compare", "answer"),
    ("answer", "verify"),
    ("verify", "review"),
    ("review", "decide"),
    ("decide", "__end__"),
}


def test_eight_nodes_and_static_edges() -> None:
    graph = machine().get_graph()
    assert set(graph.nodes) == {"__start__", *NODES, "__end__"}
    assert len(NODES) == 8
    assert {(edge.source, edge.target) for edge in graph.edges} == EDGES
    assert not any(edge.conditional for edge in graph.edges)


def test_no_checkpointer_no_retry_no_handler() -> None:
    compiled = machine()
    assert compiled.checkpointer is None
    assert all(not node.retry_policy for node in compiled.builder.nodes.values())
    assert not compiled.builder.branches


def test_every_key_of_the_state_has_one_writer() -> None:
    from trustops.workflow.state import State

    assert len(State.__annotations__) == 1 + len(NODES)


async def test_a_pass_of_the_reviewer_does_not_lift_a_block_of_the_rules(tmp_path: Path) -> None:
    room = Room(shelf(tmp_path, snapshots=[snapshot(122)]))
    room.script(reviewer=[PASSES])
    result = (await work(MFA, room.desk())).result
    assert room.provider.calls_by_seat()["reviewer"] == 1
    assert (result.status, result.decision, result.source) == (ReviewStatus.COMPLETED, Decision.BLOCK, DecisionSource.RULES)
    assert "CONTROL_DRIFT" in {finding.code.value for finding in result.findings}


async def test_a_contradiction_blocks_though_all_seats_are_content(tmp_path: Path) -> None:
    texts = ("All customer data is encrypted at rest with AES-256.", "Customer data is not encrypted at rest.")
    room = Room(shelf(tmp_path, [passage(number, text) for number, text in enumerate(texts, 1)]))
    room.script(reviewer=[PASSES])
    result = (await work(ENCRYPTION, room.desk())).result
    assert result.decision is Decision.BLOCK
    assert "CONTRADICTION" in {finding.code.value for finding in result.findings}


async def test_high_risk_needs_a_person_though_nothing_is_wrong(tmp_path: Path) -> None:
    room = Room(shelf(tmp_path, snapshots=[snapshot(124)]))
    room.script()
    outcome = await work(MFA, room.desk())
    assert (outcome.risk.value, outcome.result.decision) == ("HIGH", Decision.APPROVAL_REQUIRED)


async def test_the_reviewer_alone_can_block(tmp_path: Path) -> None:
    finding = {"code": "OVERCOMMITMENT", "severity": "BLOCKING", "summary": "says more than the source", "exhibits": ["P-1"]}
    room = Room(shelf(tmp_path))
    room.script(reviewer=[{"decision": "BLOCK", "findings": [finding]}])
    result = (await work(ENCRYPTION, room.desk())).result
    assert (result.decision, result.source) == (Decision.BLOCK, DecisionSource.MODEL)


async def test_the_smallest_valid_replies_of_all_seats_end_in_a_block(tmp_path: Path) -> None:
    room = Room(shelf(tmp_path))
    room.provider.script = Script()
    outcome = await work(ENCRYPTION, room.desk())
    assert outcome.result.decision is Decision.BLOCK
    assert all(turn.task.outcome == "ok" for turn in outcome.turns)


async def test_an_end_without_an_outcome_is_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Empty:
        async def ainvoke(self, *_: object, **__: object) -> dict[str, object]:
            return {"question": ENCRYPTION}

    monkeypatch.setattr(machine_module, "machine", Empty)
    result = (await work(ENCRYPTION, Room(shelf(tmp_path)).desk())).result
    assert (result.decision, result.source, result.status) == (Decision.BLOCK, DecisionSource.SYSTEM_FAIL_CLOSED, ReviewStatus.FAILED)


async def test_a_watcher_hears_every_seat_and_the_decision(tmp_path: Path) -> None:
    from dataclasses import replace

    room = Room(shelf(tmp_path))
    room.script()
    heard: list[tuple[str, str]] = []
    await work(ENCRYPTION, replace(room.desk(), watch=lambda kind, _, data: heard.append((kind, str(data.get("seat", ""))))))
    for seat in ("commander", "policy", "control", "answer", "reviewer"):
        assert heard.index(("seat_started", seat)) < heard.index(("seat_finished", seat))
    assert heard[-1][0] == "decided"
