"""Five real calls of a real model a question, on this machine (`make test-real`). Harm: what works with scripts does not work with a model,
a live run is not proved by its record, or a model that is too small to judge gets something past the gates.

It says nothing about the quality of any model: this one is far too small to answer. What it says is printed beside what was expected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.small_model import absent, genuine, model, serving
from trustops import assembly
from trustops.domain.authenticity import SEATS, EntryPoint
from trustops.evaluation.cases import GoldenCase, build_workspace, load_case
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.reporting import report

CASES = ("Q-005", "G-001", "G-002", "G-003", "G-004", "G-005", "G-006")
PROFILE = """
[models]
default = "local"

[models.profiles.local]
provider = "openai"
api = "chat"
base_url = "{url}"
model = "small"
brief = true
temperature = 0.0
max_tokens = 1200
timeout_s = 600
attempts = 1
calls = 1
usd_per_million_in = 0
usd_per_million_out = 0
"""
pytestmark = [pytest.mark.live, pytest.mark.timeout(0)]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if why := absent():
        pytest.skip(why)
    assert genuine(model()), "the packaged model is not the one that was pinned"
    with serving(model()) as url:
        yield url


@pytest.fixture(scope="module")
def told(server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Every case, run once; the review as its status tells it."""
    return {name: played(load_case(name), tmp_path_factory.mktemp(name) / "golden", server) for name in CASES}


def played(case: GoldenCase, house: Path, url: str) -> dict[str, Any]:
    file = build_workspace(case, house)
    config = house / "trustops.toml"
    config.write_text(config.read_text(encoding="utf-8") + PROFILE.format(url=url), encoding="utf-8")
    office = assembly.office(house, entry=EntryPoint.EVALUATION)
    try:
        review = take_in(office, file)
        prepared = prepare(office, review, as_of=case.as_of, watch=lambda *_: None)
        asyncio.run(alone(office, run_review(office, prepared, lambda *_: None)))
        return {**report(office, review), "calls": [c for made, _ in office.ledger.calls(review.id).values() for c in made]}
    finally:
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]


def line(name: str, review: dict[str, Any]) -> str:
    """What was expected of a case beside what came of it, and which seats gave nothing usable."""
    (question,), calls = review["questions"], review["calls"]
    wanted = load_case(name).expect.decision
    expected = wanted if isinstance(wanted, str) else " or ".join(wanted)
    tokens = f"{sum(c.tokens_in for c in calls)} + {sum(c.tokens_out for c in calls)} tokens"
    lost = [f"{t['seat']} {t['outcome'].removeprefix('unavailable: ')}" for t in question["agent_tasks"] if t["outcome"] != "ok"]
    decided = f"decided {question['decision']} ({question['determination']}, by {question['decision_source']})"
    took = f"{len(calls)} calls, {tokens}, {sum(c.latency_ms for c in calls) / 1000:.1f} s"
    return f"{name}: expected {expected}, {decided}; {took}; without a usable reply: {', '.join(lost) or 'none'}"


def test_the_decisions_stand_beside_the_expected_ones(told: dict[str, dict[str, Any]]) -> None:
    print("", *(line(name, review) for name, review in told.items()), sep="\n")
    assert set(told) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_real_model_makes_no_false_pass(told: dict[str, dict[str, Any]], name: str) -> None:
    (question,) = told[name]["questions"]
    wanted = load_case(name).expect.decision
    if wanted == "BLOCK":
        assert question["decision"] == "BLOCK"
        assert (question["approval"], question["export_gate"]["state"]) == ("LOCKED", "BLOCKED")


@pytest.mark.parametrize("name", CASES)
def test_what_a_real_model_served_is_on_record(told: dict[str, dict[str, Any]], name: str) -> None:
    review = told[name]
    calls = review["calls"]
    assert (review["execution_mode"], review["real_model"]) == ("TEST", True)
    assert {call.origin.value for call in calls} == {"LIVE"}
    assert len({call.id for call in calls}) == len({call.request_id for call in calls} - {""}) == len(calls)
    assert all(call.tokens_in > 0 and call.tokens_out > 0 and call.latency_ms > 0 for call in calls)
    (question,) = review["questions"]
    assert question["authenticity"]["not_live"] == ["it was started by an evaluation", "it judges at a given instant"]


def test_five_seats_answered_with_five_calls_of_their_own(told: dict[str, dict[str, Any]]) -> None:
    whole = [name for name, review in told.items() if review["questions"][0]["authenticity"]["missing"] == []]
    print(f"\nall five seats gave a usable reply: {', '.join(whole) or 'never'}")
    assert whole, "no case had five usable replies"
    for name in whole:
        assert sorted(call.seat for call in told[name]["calls"]) == sorted(SEATS)
        assert told[name]["questions"][0]["authenticity"]["ids"] == 5
