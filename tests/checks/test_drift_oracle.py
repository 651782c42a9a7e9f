"""Harm: a reading counts as in order by a rounding, a missing value or a comparator that was mixed up.

The oracle is written from the specification alone, with fractions, and shares no line with `trustops/checks/drift.py`.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from tests.checks.bench import AT, control, snapshot
from trustops.checks.drift import evaluate
from trustops.domain.control import Expectation, Measure

CASES = 5000


class Case(NamedTuple):
    """How a value is made of what was read, what is expected of it, and what was read."""

    how: str
    comparator: str
    expected: Any
    values: dict[str, Any]


def decimal(dice: random.Random) -> str | int:
    """A number near others: whole, or with up to twenty places that a float would lose."""
    whole = dice.choice([0, 1, 2, 3, 30, 31, 365, 10**17, 10**17 + 1])
    if dice.random() < 0.5:
        return whole
    return f"{whole}.{dice.choice(['0', '5', '50', '3', '30', '00000000000000000001', '99999999999999999999'])}"


def number_read(dice: random.Random) -> Any:
    """A number, its negative, or what is none."""
    usual = [decimal(dice)] * 12
    return dice.choice(
        [*usual, -1, f"-{decimal(dice)}", True, False, "", "thirty", "3 days", "3%", "1/0", "nan", "1e5", "0x10", "1,5", None]
    )


def bound(dice: random.Random, make: Any) -> tuple[str, Any]:
    name = dice.choice(["equals", "at_least", "at_most", "one_of"])
    return name, tuple(make(dice) for _ in range(dice.randint(1, 3))) if name == "one_of" else make(dice)


def version(dice: random.Random) -> Any:
    parts = [str(dice.choice([0, 1, 2, 9, 10, 12])) for _ in range(dice.randint(1, 3))]
    return dice.choice(["", "", "", "v"]) + ".".join(parts)


def generated(dice: random.Random) -> Case:
    how = dice.choice(["ratio", "value", "flag", "version"])
    if how == "ratio":
        share = lambda d: d.choice([0, 1, "0.95", "0.5", "1.0", "0.333333333333333333"])  # noqa: E731
        name, expected = bound(dice, share)
        whole = dice.choice([0, 1, 2, 3, 20, 100, 10**18, number_read(dice)])
        part = dice.choice([whole, 19, 95, 10**18 - 1, number_read(dice)])
        return Case(how, name, expected, {"part": part, "whole": whole})
    if how == "flag":
        return Case(how, "equals", dice.choice([True, False]), {"it": dice.choice([True, False, 1, 0, "true", "yes", "", None])})
    if how == "version":
        name, expected = bound(dice, version)
        return Case(
            how, name, expected, {"it": dice.choice([version(dice)] * 6 + ["1.2-beta", "latest", "", "1..2", "-1.2", True, 2, None])}
        )
    name, expected = bound(dice, decimal)
    return Case(how, name, expected, {"it": number_read(dice)})


def exact(told: Any) -> Fraction | None:
    """A plain decimal as a fraction; None for anything else."""
    if isinstance(told, bool) or told is None:
        return None
    digits = str(told).removeprefix("-")
    whole, point, places = digits.partition(".")
    if not (whole.isascii() and whole.isdigit()) or (point and not (places.isascii() and places.isdigit())):
        return None
    size = Fraction(int(whole + places), 10 ** len(places))
    return -size if str(told).startswith("-") else size


def dotted(told: Any) -> list[int] | None:
    """A version as its numbers, filled up so that 1.2 is 1.2.0; None for anything else."""
    if isinstance(told, bool) or told is None:
        return None
    parts = str(told).removeprefix("v").split(".")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return [int(part) for part in parts] + [0] * (4 - len(parts))


def oracle(case: Case) -> str:
    if case.how == "ratio":
        part, whole = exact(case.values["part"]), exact(case.values["whole"])
        sound = part is not None and whole is not None and whole > 0 and 0 <= part <= whole
        read: Any = part / whole if sound else None  # type: ignore[operator]
    else:
        told = case.values["it"]
        read = exact(told) if case.how == "value" else dotted(told) if case.how == "version" else told if isinstance(told, bool) else None
    if read is None:
        return "UNAVAILABLE"
    plain: Any = {"ratio": exact, "value": exact, "version": dotted, "flag": bool}[case.how]
    if case.comparator == "one_of":
        met = any(read == plain(item) for item in case.expected)
    else:
        wanted = plain(case.expected)
        met = read == wanted if case.comparator == "equals" else read >= wanted if case.comparator == "at_least" else read <= wanted
    return "PASS" if met else "DRIFT"


def judged(case: Case) -> str:
    measure = Measure(ratio=("part", "whole")) if case.how == "ratio" else Measure(**{case.how: "it"})
    made = control(measure=measure, expect=Expectation(**{case.comparator: case.expected}))
    return evaluate(made, snapshot({k: v for k, v in case.values.items() if v is not None}), AT).evaluation.value


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    dice = random.Random(20311)
    return [generated(dice) for _ in range(CASES)]


def test_five_thousand_readings_are_judged_as_the_oracle_judges_them(cases: list[Case]) -> None:
    wrong = [(case, oracle(case), judged(case)) for case in cases if oracle(case) != judged(case)]
    assert wrong == []


def test_the_cases_reach_every_judgement_by_every_way(cases: list[Case]) -> None:
    reached = {(case.how, oracle(case)) for case in cases}
    assert reached == {(how, state) for how in ("ratio", "value", "flag", "version") for state in ("PASS", "DRIFT", "UNAVAILABLE")}
    assert {case.comparator for case in cases} == {"equals", "at_least", "at_most", "one_of"}
