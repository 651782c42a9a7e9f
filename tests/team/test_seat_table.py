"""Five seats, eight ways to fail, through the real machine: always an outcome, always BLOCK, and no call spent on a lost cause."""

from __future__ import annotations

import asyncio

import pytest

from tests.team.tiny import ENCRYPTION, WIRES, Room, shelf
from trustops.domain.authenticity import SEATS, Origin
from trustops.domain.opinion import Unavailable
from trustops.domain.risk_review import Decision, DecisionSource, ReviewStatus
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.testing.scripts import Answer, Fault, Script
from trustops.workflow.desk import Shelf
from trustops.workflow.machine import work
from trustops.workflow.state import Outcome

AFTER = {
    "commander": {"policy", "control", "answer", "reviewer"},
    "policy": {"answer", "reviewer"},
    "control": {"answer", "reviewer"},
    "answer": {"reviewer"},
    "reviewer": set[str](),
}
"""Whose input is gone when a seat fails."""
HANG_S = 0.6
"""Longer than any answered seat takes on a busy machine, shorter than patience."""
WIRE_FAULTS = {
    Fault.TIMEOUT: ("timeout", 1),
    Fault.EMPTY_REPLY: ("empty", 1),
    Fault.BAD_JSON: ("invalid", 2),
    Fault.MISSING_KEY: ("invalid", 2),
    Fault.WRONG_ENUM: ("invalid", 2),
    Fault.REFUSAL: ("refusal", 1),
    Fault.TRUNCATED: ("truncated", 1),
    Fault.EXCEPTION: ("http", 2),
    Fault.HTTP_500: ("http", 2),
    Fault.HTTP_400: ("http", 1),
}
"""Fault -> the reason that is recorded, and how many requests it costs: two where the structure is repaired or the call tried again."""


class Raising:
    """A client with a bug: it raises what no provider should, at one seat."""

    origin = Origin.SCRIPTED

    def __init__(self, client: ModelClient, seat: str) -> None:
        self._client, self._seat = client, seat

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.seat == self._seat:
            raise ZeroDivisionError("a bug in a provider")
        return await self._client.complete(request)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return shelf(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def good(tiny: Shelf) -> dict[str, str]:
    """What every seat says when nothing is wrong; with it the question passes. Each SDK is used once: it loads itself at first use."""
    for wire in WIRES:
        room = Room(tiny, wire, timeout_s=30)
        room.script()
        outcome = asyncio.run(work(ENCRYPTION, room.desk()))
        assert outcome.result.decision is Decision.PASS
    return {call.seat: call.reply for turn in outcome.turns for call in turn.calls}


def seated(tiny: Shelf, good: dict[str, str], wire: str = "anthropic", *, timeout_s: float = 5.0, **changed: list[Answer]) -> Room:
    room = Room(tiny, wire, timeout_s)
    said: dict[str, list[Answer]] = {seat: [text] for seat, text in good.items()}
    room.provider.script = Script({**said, **changed}, otherwise=lambda asked: good[asked.seat])
    return room


def fails_closed(outcome: Outcome, seat: str, reason: str) -> None:
    """The verdict of a failed seat: BLOCK by the system, with the finding that names it, and the reviewer's status FAILED."""
    result = outcome.result
    assert (result.decision, result.source) == (Decision.BLOCK, DecisionSource.SYSTEM_FAIL_CLOSED)
    assert result.status is ReviewStatus.FAILED
    code = "REVIEWER_UNAVAILABLE" if seat == "reviewer" else "AGENT_UNAVAILABLE"
    told = {finding.code.value: finding.summary for finding in result.findings if seat in finding.exhibits}
    assert f"({reason}" in told[code]
    tasks = {turn.task.seat: turn.task for turn in outcome.turns}
    assert set(tasks) == set(SEATS)
    assert len({task.id for task in tasks.values()}) == 5
    assert tasks[seat].outcome == f"unavailable: {reason}"
    assert {name for name, task in tasks.items() if task.outcome == "unavailable: input_unavailable"} == AFTER[seat]


@pytest.mark.parametrize("fault", WIRE_FAULTS)
@pytest.mark.parametrize("seat", SEATS)
async def test_a_failed_seat_blocks_and_stops_the_spending(tiny: Shelf, good: dict[str, str], seat: str, fault: Fault) -> None:
    room = seated(tiny, good, timeout_s=HANG_S if fault is Fault.TIMEOUT else 5.0, **{seat: [fault]})
    outcome = await work(ENCRYPTION, room.desk())
    reason, requests = WIRE_FAULTS[fault]
    fails_closed(outcome, seat, reason)
    sent = room.provider.calls_by_seat()
    assert sent[seat] == requests
    assert not AFTER[seat] & set(sent)
    assert all(sent[other] == 1 for other in set(SEATS) - AFTER[seat] - {seat})


@pytest.mark.parametrize("seat", SEATS)
async def test_a_client_that_raises_anything_blocks(tiny: Shelf, good: dict[str, str], seat: str) -> None:
    room = seated(tiny, good)
    desk = room.desk()
    outcome = await work(ENCRYPTION, room.desk(Raising(desk.table.client, seat)))
    fails_closed(outcome, seat, "exception")
    assert not (AFTER[seat] | {seat}) & set(room.provider.calls_by_seat())


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", [*WIRE_FAULTS, Fault.NO_JSON, Fault.HTTP_429, Fault.HTTP_401])
async def test_no_reviewer_no_pass_on_any_wire(tiny: Shelf, good: dict[str, str], wire: str, fault: Fault) -> None:
    room = seated(tiny, good, wire, timeout_s=HANG_S if fault is Fault.TIMEOUT else 5.0, reviewer=[fault])
    outcome = await work(ENCRYPTION, room.desk())
    reason = {Fault.NO_JSON: "http", Fault.HTTP_429: "limit", Fault.HTTP_401: "http"}.get(fault) or WIRE_FAULTS[fault][0]
    fails_closed(outcome, "reviewer", reason)
    assert outcome.version is not None


@pytest.mark.parametrize(
    "verdict",
    [
        '{"decision": "PASS"}',
        '{"decision": "pass", "findings": []}',
        '{"decision": "PASS", "findings": [], "note": "fine"}',
        '{"decision": "PASS", "findings": [{"code": "OVERCOMMITMENT", "severity": "WARNING", "summary": "x", "exhibits": []}]}',
        '{"decision": "BLOCK", "findings": []}',
        '["PASS"]',
        '"PASS"',
        "PASS",
        "null",
        '{"decision": "PASS", "findings": null}',
        '```json\n{"decision": "PASS", "findings": []}\n```',
    ],
)
async def test_a_half_verdict_is_no_verdict(tiny: Shelf, good: dict[str, str], verdict: str) -> None:
    room = seated(tiny, good, reviewer=[verdict])
    fails_closed(await work(ENCRYPTION, room.desk()), "reviewer", "invalid")


@pytest.mark.parametrize("wire", WIRES)
async def test_five_seats_five_calls_with_five_ids(tiny: Shelf, good: dict[str, str], wire: str) -> None:
    room = seated(tiny, good, wire)
    outcome = await work(ENCRYPTION, room.desk())
    calls = [call for turn in outcome.turns for call in turn.calls]
    assert outcome.result.decision is Decision.PASS
    assert sorted(call.seat for call in calls) == sorted(SEATS)
    assert len({call.id for call in calls}) == len({call.request_id for call in calls}) == room.provider.calls == 5
    assert {call.origin for call in calls} == {Origin.SCRIPTED}
    assert all(call.tokens_in > 0 and call.trace_id == "trace-1" and call.task == f"R1.1:Q1:1:{call.seat}" for call in calls)


async def test_policy_and_control_are_asked_side_by_side(tiny: Shelf, good: dict[str, str]) -> None:
    room = seated(tiny, good)
    room.provider.delay_s = 0.1
    await work(ENCRYPTION, room.desk())
    assert room.provider.most_in_flight == 2


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("broken", [Fault.BAD_JSON, Fault.MISSING_KEY, Fault.WRONG_ENUM])
async def test_one_repair_is_made_and_counted(tiny: Shelf, good: dict[str, str], wire: str, broken: Fault) -> None:
    room = seated(tiny, good, wire, answer=[broken, good["answer"]])
    outcome = await work(ENCRYPTION, room.desk())
    assert outcome.result.decision is Decision.PASS
    call = next(call for turn in outcome.turns for call in turn.calls if call.seat == "answer")
    assert (call.repairs, call.attempts) == (1, 2)
    assert room.provider.calls_by_seat()["answer"] == 2
    asked_again = [one.user for one in room.provider.asked if one.seat == "answer"][1]
    assert "did not fit the shape" in asked_again


async def test_a_lost_call_is_recorded_with_what_it_cost(tiny: Shelf, good: dict[str, str]) -> None:
    room = seated(tiny, good, control=[Fault.HTTP_500])
    outcome = await work(ENCRYPTION, room.desk())
    call = next(call for turn in outcome.turns for call in turn.calls if call.seat == "control")
    assert (call.attempts, call.outcome, call.origin) == (2, "unavailable: http", Origin.SCRIPTED)
    assert "HTTP 500" in call.detail


def test_a_reason_is_a_word_of_the_list() -> None:
    for reason, _ in WIRE_FAULTS.values():
        assert Unavailable(seat="answer", reason=reason).reason == reason  # type: ignore[arg-type]
