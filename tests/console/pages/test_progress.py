"""Harm: a page says that a run is further, nearer its end or cheaper than it is, or reads all of its events at every look."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.conftest import House
from trustops.console.pages.progress import KEPT_RUNS, Following, Progress
from trustops.domain.record import Event

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


def progress(questions: int = 4, *told: tuple[float, str, str, dict[str, Any]]) -> Progress:
    found = Progress("R-1.1", questions, START)
    for number, (second, kind, ref, data) in enumerate(told, start=1):
        found.hear(Event(run="R-1.1", seq=number, at=START + timedelta(seconds=second), kind=kind, question=ref, data=data))
    return found


def test_the_time_left_is_that_of_the_pace_so_far() -> None:
    found = progress(
        4,
        (0, "run_started", "", {}),
        (10, "seat_started", "Q-1", {"seat": "commander"}),
        (20, "decided", "Q-1", {"decision": "BLOCK"}),
        (30, "decided", "Q-2", {"decision": "PASS"}),
    )
    assert (found.done, found.left_s, found.passed_s) == (2, 20.0, 30.0)
    assert found.decisions == [("PASS", 1), ("BLOCK", 1)]


@pytest.mark.parametrize(
    "told",
    [
        [],
        [(5, "seat_started", "Q-1", {"seat": "commander"})],
        [(5, "seat_started", "Q-1", {"seat": "commander"}), (6, "decided", "Q-1", {"decision": "PASS"}), (7, "run_cancelled", "", {})],
    ],
    ids=["nothing", "nothing decided", "over"],
)
def test_no_time_is_promised_where_none_is_known(told: list[tuple[float, str, str, dict[str, Any]]]) -> None:
    assert progress(4, *told).left_s is None


def test_a_seat_is_what_it_said_last() -> None:
    found = progress(
        1,
        (1, "seat_started", "Q-1", {"seat": "commander"}),
        (2, "seat_finished", "Q-1", {"seat": "commander", "outcome": "ok"}),
        (3, "seat_started", "Q-1", {"seat": "policy"}),
        (4, "seat_finished", "Q-1", {"seat": "control", "outcome": "unavailable: timeout"}),
    )
    assert [state for _, state in found.seats_of("Q-1")] == ["ok", "working", "failed", "waiting", "waiting"]
    assert {state for _, state in found.seats_of("Q-9")} == {"waiting"}


def test_a_run_is_followed_to_its_end_and_each_event_is_read_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    run = house.office.ledger.runs(house.review.id)[-1]
    asked: list[int] = []
    real: Callable[..., Any] = house.office.ledger.events

    def events(name: str, *, after: int = 0, limit: int = 200) -> Any:
        asked.append(after)
        return real(name, after=after, limit=limit)

    monkeypatch.setattr(house.office.ledger, "events", events)
    following = Following()
    found = following.of(house.office, run)
    assert (found.done, found.over, found.calls, found.priced) == (4, "run_finished", 20, False)
    first = list(asked)
    assert following.of(house.office, run) is found
    assert asked == first
    assert sorted(set(first)) == first


def test_only_so_many_runs_are_kept(house: House) -> None:
    run, following = house.office.ledger.runs(house.review.id)[-1], Following()
    for number in range(KEPT_RUNS + 20):
        following.of(house.office, run.model_copy(update={"id": f"R-{number}.1"}))
    assert len(following._known) == KEPT_RUNS


def test_two_organisations_with_a_run_of_one_name_are_two(house: House) -> None:
    run, following = house.office.ledger.runs(house.review.id)[-1], Following()
    mine = following.of(house.office, run)
    assert following.of(house.with_office(organisation="another").office, run) is not mine
