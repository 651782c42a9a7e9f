"""Harm: a skill that a customer wrote escapes what the product's own are held to. The contract's ten properties on programs of a workspace,
each carried out in its child process; beside tests/skills/test_contract.py, which holds the product's own to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.skills.bench import Bench, program_folder, workspace_with
from trustops import roster
from trustops.domain.authenticity import SEATS
from trustops.skills import invoke
from trustops.skills.invoke import SkillDesk

NAME, QUERY = "house-figures", "how many"
GOOD = "def work(given):\n    return {'length': len(given['query'])}\n"
FAILS = "def work(given):\n    raise ValueError('no such list')\n"
NO_OBJECT = "def work(given):\n    return [1, 2]\n"
FOR_EVER = "import time\ndef work(given):\n    time.sleep(600)\n"


class Counted:
    """The real way into the child process, counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times, real = 0, invoke.carry_out

        def counted(*arguments: Any) -> Any:
            self.times += 1
            return real(*arguments)

        monkeypatch.setattr(invoke, "carry_out", counted)


@pytest.fixture
def carried_out(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def desk(folder: Path, text: str, *, seat: str = "policy", **terms: str) -> SkillDesk:
    given = program_folder(folder / "given", NAME, text, "work", **terms)
    return Bench(roster.load(workspace_with(folder / "w", given)), {}).desk(seat)


def outcomes(made: SkillDesk) -> list[str]:
    return [one.outcome for one in made.invocations]


async def test_input_and_output_are_those_of_its_schemas(tmp_path: Path, carried_out: Counted) -> None:
    made = desk(tmp_path, GOOD)
    assert await made.call(NAME, "x" * 100) is None  # longer than its input schema takes
    assert carried_out.times == 0
    assert await made.call(NAME, QUERY) == {"length": len(QUERY)}
    assert outcomes(made) == ["invalid_input", "ok"]
    other = desk(tmp_path / "other", NO_OBJECT)
    assert await other.call(NAME, QUERY) is None
    assert outcomes(other) == ["invalid_output"]


@pytest.mark.parametrize("seat", [seat for seat in SEATS if seat != "policy"])
async def test_another_seat_may_not_call_it(tmp_path: Path, carried_out: Counted, seat: str) -> None:
    made = desk(tmp_path, GOOD, seat=seat)
    assert await made.call(NAME, QUERY) is None
    assert (outcomes(made), carried_out.times) == (["not_permitted"], 0)


async def test_a_seat_whose_file_does_not_list_it_may_not_call_it(tmp_path: Path, carried_out: Counted) -> None:
    made = desk(tmp_path, GOOD)
    agent = made.roster.agents["policy"]
    poorer = agent.model_copy(update={"skills": tuple(name for name in agent.skills if name != NAME)})
    made.roster = made.roster.model_copy(update={"agents": {**made.roster.agents, "policy": poorer}})
    assert await made.call(NAME, QUERY) is None
    assert (outcomes(made), carried_out.times) == (["not_permitted"], 0)


async def test_it_is_given_up_in_time(tmp_path: Path) -> None:
    made = desk(tmp_path, FOR_EVER, timeout_seconds="1")
    assert await made.call(NAME, QUERY) is None
    assert outcomes(made)[0].startswith(("timeout", "failed"))
    assert len(made.invocations) == 1


@pytest.mark.parametrize(("idempotency", "attempts", "times"), [("idempotent", "3", 3), ("idempotent", "1", 1), ("once", "1", 1)])
async def test_it_is_tried_again_as_its_contract_says_and_its_error_is_told(
    tmp_path: Path, carried_out: Counted, idempotency: str, attempts: str, times: int
) -> None:
    made = desk(tmp_path, FAILS, idempotency=idempotency, max_attempts=attempts)
    assert await made.call(NAME, QUERY) is None
    assert carried_out.times == times
    assert len(made.invocations) == 1
    assert made.invocations[0].outcome.startswith("failed: ")


@pytest.mark.parametrize(("idempotency", "times"), [("idempotent", 1), ("once", 2)])
async def test_an_equal_call_is_made_once_where_that_is_safe(tmp_path: Path, carried_out: Counted, idempotency: str, times: int) -> None:
    made = desk(tmp_path, GOOD, idempotency=idempotency)
    assert await made.call(NAME, QUERY) == await made.call(NAME, QUERY)
    assert carried_out.times == times


async def test_every_call_leaves_a_trace_with_its_version(tmp_path: Path) -> None:
    made = desk(tmp_path, GOOD, version="2.7.1")
    await made.call(NAME, QUERY)
    (one,) = made.invocations
    assert (one.task, one.trace_id, one.seat, one.skill, one.version) == ("R1.1:Q1:1:policy", "R1.1", "policy", NAME, "2.7.1")
