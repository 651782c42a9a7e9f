"""Harm: a skill reads what its seat may not, runs for ever, is called again where that is not safe, or leaves no trace. Ten properties,
for every skill, those of a workspace included (evaluation.md, "Skill contract")."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.skills.bench import FINDS, SEATS, Bench, bench
from trustops.domain.authenticity import SEATS as ALL_SEATS
from trustops.roster.skillfiles import SkillKind
from trustops.skills.invoke import problem, shown

EVERY = pytest.mark.parametrize("name", sorted(SEATS))
OWN = pytest.mark.parametrize("name", sorted(set(SEATS) - {"count-words"}))


@pytest.fixture
def made(tmp_path: Path) -> Bench:
    return bench(tmp_path)


def test_every_skill_is_at_the_bench(made: Bench) -> None:
    assert {name for name, skill in made.roster.skills.items() if skill.kind is not SkillKind.INSTRUCTION} == set(SEATS)


@EVERY
async def test_its_seat_gets_a_result_that_its_output_schema_describes(made: Bench, name: str) -> None:
    desk = made.desk(SEATS[name])
    result = await desk.call(name, FINDS[name])
    assert result, desk.invocations
    assert problem(made.roster.skills[name].output_schema, shown(result)) == ""
    assert [one.outcome for one in desk.invocations] == ["ok"]


@EVERY
@pytest.mark.parametrize("query", ["", "x" * 5000])
async def test_an_input_that_its_schema_refuses_is_not_carried_out(made: Bench, name: str, query: str) -> None:
    desk = made.desk(SEATS[name], **{name.replace("-", "_"): _must_not_run})
    if name == "count-words" and not query:
        return  # its schema takes an empty text
    assert await desk.call(name, query) is None
    assert [one.outcome for one in desk.invocations] == ["invalid_input"]


@OWN
async def test_a_result_that_its_schema_refuses_is_not_handed_on(made: Bench, name: str) -> None:
    desk = made.desk(SEATS[name], **{name.replace("-", "_"): lambda query: {"exhibits": [1], "secret": "x"}})
    assert await desk.call(name, FINDS[name]) is None
    assert desk.invocations[-1].outcome == "invalid_output"


@EVERY
@pytest.mark.parametrize("seat", ALL_SEATS)
async def test_no_other_seat_may_call_it(made: Bench, name: str, seat: str) -> None:
    if seat in made.roster.skills[name].agents:
        return
    desk = made.desk(seat, **{name.replace("-", "_"): _must_not_run})
    assert await desk.call(name, FINDS[name]) is None
    assert [one.outcome for one in desk.invocations] == ["not_permitted"]


@OWN
async def test_a_seat_that_lost_its_permission_may_not_call_it(made: Bench, name: str) -> None:
    seat = SEATS[name]
    poorer = made.roster.agents[seat].model_copy(update={"permissions": ()})
    changed = Bench(made.roster.model_copy(update={"agents": {**made.roster.agents, seat: poorer}}), made.functions)
    desk = changed.desk(seat, **{name.replace("-", "_"): _must_not_run})
    assert await desk.call(name, FINDS[name]) is None
    assert desk.invocations[-1].outcome == "not_permitted"


def _with(made: Bench, name: str, **changes: Any) -> Bench:
    changed = made.roster.skills[name].model_copy(update=changes)
    return Bench(made.roster.model_copy(update={"skills": {**made.roster.skills, name: changed}}), made.functions)


@OWN
async def test_it_is_given_up_in_time(made: Bench, name: str) -> None:
    hurried = _with(made, name, timeout_s=0.05, attempts=1)
    gone_on = threading.Event()
    desk = hurried.desk(SEATS[name], **{name.replace("-", "_"): lambda query: gone_on.wait(5)})
    started = time.perf_counter()
    assert await desk.call(name, FINDS[name]) is None
    assert time.perf_counter() - started < 4
    assert desk.invocations[-1].outcome == "timeout"
    gone_on.set()


@OWN
@pytest.mark.parametrize(("idempotent", "attempts", "times"), [(True, 1, 1), (True, 3, 3), (False, 3, 1)])
async def test_it_is_tried_again_as_its_contract_says(made: Bench, name: str, idempotent: bool, attempts: int, times: int) -> None:
    tried: list[str] = []

    def broken(query: str) -> None:
        tried.append(query)
        raise OSError("the disk is gone")

    desk = _with(made, name, idempotent=idempotent, attempts=attempts).desk(SEATS[name], **{name.replace("-", "_"): broken})
    assert await desk.call(name, FINDS[name]) is None
    assert len(tried) == times
    assert [one.outcome for one in desk.invocations] == ["failed: OSError"]  # an invocation a call, not an attempt


@OWN
@pytest.mark.parametrize(("idempotent", "times"), [(True, 1), (False, 2)])
async def test_an_equal_call_is_made_once_where_that_is_safe(made: Bench, name: str, idempotent: bool, times: int) -> None:
    function, asked = made.functions[name], list[str]()

    def counted(query: str) -> Any:
        asked.append(query)
        return function(query)

    desk = _with(made, name, idempotent=idempotent).desk(SEATS[name], **{name.replace("-", "_"): counted})
    assert await desk.call(name, FINDS[name]) == await desk.call(name, FINDS[name])
    assert len(asked) == times


@EVERY
async def test_every_call_leaves_a_trace_with_its_version(made: Bench, name: str) -> None:
    desk = made.desk(SEATS[name])
    await desk.call(name, FINDS[name])
    await desk.call("no-such-skill", "x")
    first, second = desk.invocations
    assert (first.task, first.trace_id, first.seat, first.skill) == (f"R1.1:Q1:1:{SEATS[name]}", "R1.1", SEATS[name], name)
    assert first.version == made.roster.skills[name].version
    assert first.id != second.id
    assert (second.outcome, second.version) == ("unknown_skill", "")


def _must_not_run(query: str) -> None:
    raise AssertionError(f"it ran with {query!r}")
