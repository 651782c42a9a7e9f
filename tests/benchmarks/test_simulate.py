"""Harm: machines are bought, or are missing, by a plan whose arithmetic is wrong. The simulation against known values."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from benchmarks.queueing import Board, Budget, Station, erlang_c, waits
from benchmarks.simulate import CALLS, ROOT, Given, Load, Network, Review, arrivals, percentiles, wanted

FIGURES = ROOT / "benchmarks" / "measured.json"
GIVEN = Given(
    cpu_ms=60,
    database_cpu_ms=20,
    database_busy_ms=20,
    model_p50_s=2.0,
    model_p95_s=4.0,
    tokens_of_a_call=2000,
    tokens_per_minute=1e12,
    cores=2,
    concurrency=20,
    database_cores=4,
)
LOAD = Load(questions=60_000, organisations=50, hours=1.5)


def mean_wait(servers: int, arrivals_per_s: float, service_s: float, *, visits: int = 200_000, exact: bool = False) -> float:
    """The mean wait at a station, of many visits; `exact` with service times that are all alike."""
    luck, station, now, waited = random.Random(11), Station(servers), 0.0, 0.0
    for _ in range(visits):
        now += luck.expovariate(arrivals_per_s)
        service = service_s if exact else luck.expovariate(1 / service_s)
        waited += station.visit(now, service) - now - service
    return waited / visits


def test_erlang_c_has_the_values_of_the_books() -> None:
    assert erlang_c(1, 0.5) == pytest.approx(0.5)  # M/M/1: who comes waits with the chance rho
    assert erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert erlang_c(10, 8.0) == pytest.approx(0.4092, abs=1e-4)
    assert waits(1, 0.5, 1.0) == pytest.approx(1.0)  # rho / (mu - lambda)


@pytest.mark.parametrize(("servers", "rate", "service_s"), [(1, 0.7, 1.0), (3, 2.4, 1.0), (10, 8.0, 1.0)])
def test_a_station_waits_as_m_m_c_does(servers: int, rate: float, service_s: float) -> None:
    assert mean_wait(servers, rate, service_s) == pytest.approx(waits(servers, rate, service_s), rel=0.08)


def test_a_station_whose_services_are_alike_waits_half_as_long() -> None:
    assert mean_wait(1, 0.7, 1.0, exact=True) == pytest.approx(waits(1, 0.7, 1.0) / 2, rel=0.08)  # M/D/1 (Pollaczek and Khinchine)


def test_a_budget_lets_a_minutes_worth_go_at_once_and_then_its_rate() -> None:
    budget = Budget(600.0)
    begun = [budget.take(0.0, 10.0) for _ in range(120)]
    assert begun[:60] == [0.0] * 60
    assert begun[60:] == pytest.approx([float(n) for n in range(1, 61)])
    assert budget.spent == 1200.0
    assert budget.take(1000.0, 10.0) == 1000.0


def test_a_fair_board_takes_from_who_has_the_fewest_in_work_and_a_line_does_not() -> None:
    fair, line = (Board(random.Random(1), fair=fair) for fair in (True, False))
    for board in (fair, line):
        for item in range(10):
            board.put(0, item, item)
        assert [board.claim() for _ in range(3)] == [(0, 0), (0, 1), (0, 2)]
        board.put(1, 10)
        board.put(1, 11)
    assert [fair.claim() for _ in range(2)] == [(1, 10), (1, 11)]
    assert line.claim() == (0, 3)
    for board, left in ((fair, 7), (line, 8)):
        assert board.number == left
        assert len({board.claim() for _ in range(left)}) == left
        assert board.claim() is None


def test_a_short_review_of_a_customer_does_not_wait_for_all_of_its_long_one() -> None:
    board = Board(random.Random(1))
    for item in range(100):
        board.put(0, item, item)
    board.put(0, 100, 0)
    assert [board.claim() for _ in range(2)] == [(0, 0), (0, 100)]


def test_equal_seeds_give_equal_figures_and_another_seed_others() -> None:
    first, again, other = (Network(GIVEN, replace(LOAD, seed=seed), 1).run() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_what_arrives_is_what_was_asked_for() -> None:
    """The mean of many seeds: sizes of reviews differ so much that one window says little."""
    seeds, even, peak = range(40), replace(LOAD, hours=24.0), replace(LOAD, hours=24.0, peak=3.0)
    found = sum(review.size for seed in seeds for review in arrivals(replace(even, seed=seed))) / len(seeds)
    assert found == pytest.approx(LOAD.questions, rel=0.1)
    third = sum(r.size for seed in seeds for r in arrivals(replace(peak, seed=seed)) if peak.busy(r.at)) / len(seeds)
    assert third == pytest.approx(LOAD.questions, rel=0.1)  # a third of the day, three times as much


def test_littles_law_holds_in_the_network() -> None:
    """Questions in work are their rate times their stay; and who arrives is decided, once."""
    network = Network(GIVEN, LOAD, 4)
    found = network.run()
    assert all(review.last >= review.first > review.at for review in network.reviews)
    assert not network.board.number
    assert network.at_work == [0] * len(network.processes)
    total = sum(review.size for review in network.reviews)
    assert len(network._items) == total
    in_work = network._places_s / network._since
    assert in_work == pytest.approx(total / network._since * found.stays_s, rel=0.05)


def steady(every_s: float, *, until_s: float = LOAD.seconds) -> list[Review]:
    """Reviews of one question, evenly in time, of ten customers in turn."""
    return [Review(number % 10, number * every_s, 1) for number in range(1, int(until_s / every_s))]


def test_on_an_empty_network_a_question_takes_what_its_parts_take() -> None:
    alike = replace(GIVEN, model_p95_s=GIVEN.model_p50_s)
    found = Network(alike, LOAD, 1, reviews=steady(10.0)).run()
    exact = 2.0 * len(CALLS) + 0.06 + 0.02
    assert found.wait == (0.0, 0.0, 0.0)
    assert found.stays_s == pytest.approx(exact, abs=0.001)
    assert found.first == pytest.approx((exact, exact, exact), abs=0.001)
    assert found.used["place"] == pytest.approx(exact / 10 / 40, rel=0.01)
    assert found.used["worker processor"] == pytest.approx(0.06 / 10 / 2, rel=0.01)
    assert found.used["database processor"] == pytest.approx(0.02 / 10 / 4, rel=0.01)
    assert found.used["busiest customer's writes"] == pytest.approx(0.02 / 100, rel=0.05)


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"concurrency": 4}, "place"),
        ({"cpu_ms": 2500.0}, "worker processor"),
        ({"tokens_per_minute": 500_000.0}, "provider tokens"),
        ({"database_cpu_ms": 4500.0}, "database processor"),
        ({"database_busy_ms": 11_000.0}, "busiest customer's writes"),
    ],
)
def test_the_limit_is_named_and_is_used_up(changes: dict[str, float], limit: str) -> None:
    """One question a second, a little more than what is scarce can do."""
    found = Network(replace(GIVEN, **changes), LOAD, 1, reviews=steady(1.0)).run()  # type: ignore[arg-type]
    assert found.limit == limit
    assert found.asked[limit] > 1
    assert found.used[limit] == pytest.approx(1.0, abs=0.02)
    assert found.first[1] > 60  # they wait, and ever longer


def test_more_machines_wait_less_and_the_fewest_that_are_enough_are_found() -> None:
    found = wanted(GIVEN, LOAD, 0.7, 5.0)
    fewer = Network(GIVEN, LOAD, max(1, found.machines - 1)).run()
    assert found.used["place"] <= 0.7
    assert found.machines == 1 or fewer.used["place"] > 0.7 or fewer.first[1] > found.first[1]
    assert Network(GIVEN, LOAD, found.machines + 4).run().wait[1] <= found.wait[1]


def test_a_customers_rush_does_not_hold_up_small_ones_and_would_in_one_line() -> None:
    at = LOAD.seconds / 3
    rush = [Review(0, at, 2000), *(Review(20 + number, at + 10 * number, 10) for number in range(1, 20))]
    fair, line = (Network(GIVEN, LOAD, 1, fair=fair, reviews=[replace(one) for one in rush]).run() for fair in (True, False))
    assert fair.small_first[2] < 30
    assert line.small_first[0] > 200


def test_percentiles_are_of_nearest_rank() -> None:
    assert percentiles(range(1, 101)) == (50, 95, 99)
    assert percentiles([]) == (0.0, 0.0, 0.0)


def test_every_figure_that_goes_in_says_where_it_is_from() -> None:
    told = json.loads(FIGURES.read_text(encoding="utf-8"))
    assert all(figure["source"].startswith(("python benchmarks/", "assumed")) for figure in told.values())
    assert Given.read(FIGURES, {"cores": 3.0}).cores == 3
