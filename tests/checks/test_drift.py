"""Harm: a control that is not in order, not measured or not measured lately counts as if it were."""

from __future__ import annotations

import ast
import inspect
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checks.bench import AT, control, snapshot
from trustops.checks import drift
from trustops.checks.drift import drift_findings, evaluate
from trustops.domain.control import Control, Evaluation, Expectation, Measure
from trustops.domain.finding import Severity

HUGE = 10**40


def value(expect: Expectation, name: str = "days") -> Control:
    return control(measure=Measure(value=name), expect=expect)


def version(expect: Expectation) -> Control:
    return control(measure=Measure(version="lowest"), expect=expect)


def flag(expect: Expectation) -> Control:
    return control(measure=Measure(flag="on"), expect=expect)


def judged(case: Control, values: dict[str, Any]) -> str:
    return evaluate(case, snapshot(values), AT).evaluation.value


RATIO = control()
MOST = control(expect=Expectation(at_least="0.95"))
JUDGED = [
    pytest.param(RATIO, {"locked": 9, "doors": 9}, "PASS", id="all of them"),
    pytest.param(RATIO, {"locked": 8, "doors": 9}, "DRIFT", id="one short of all"),
    pytest.param(RATIO, {"locked": HUGE - 1, "doors": HUGE}, "DRIFT", id="one short in a number that a float rounds to one"),
    pytest.param(RATIO, {"locked": 10, "doors": 9}, "UNAVAILABLE", id="more than all"),
    pytest.param(RATIO, {"locked": 0, "doors": 0}, "UNAVAILABLE", id="none of none"),
    pytest.param(RATIO, {"locked": 9, "doors": 0}, "UNAVAILABLE", id="some of none"),
    pytest.param(RATIO, {"locked": -1, "doors": 9}, "UNAVAILABLE", id="fewer than none"),
    pytest.param(RATIO, {"locked": -9, "doors": -9}, "UNAVAILABLE", id="a negative whole"),
    pytest.param(RATIO, {"locked": 9}, "UNAVAILABLE", id="the whole is missing"),
    pytest.param(RATIO, {"doors": 9}, "UNAVAILABLE", id="the part is missing"),
    pytest.param(RATIO, {}, "UNAVAILABLE", id="nothing was read"),
    pytest.param(RATIO, {"locked": True, "doors": True}, "UNAVAILABLE", id="flags where counts are due"),
    pytest.param(RATIO, {"locked": "nine", "doors": 9}, "UNAVAILABLE", id="a word where a count is due"),
    pytest.param(RATIO, {"locked": "9", "doors": "9/0"}, "UNAVAILABLE", id="a division by zero in a text"),
    pytest.param(RATIO, {"locked": "nan", "doors": "inf"}, "UNAVAILABLE", id="nan of infinity"),
    pytest.param(MOST, {"locked": 95, "doors": 100}, "PASS", id="exactly 95 of 100"),
    pytest.param(MOST, {"locked": 949999, "doors": 1000000}, "DRIFT", id="a hair below 95 %"),
    pytest.param(value(Expectation(at_most=30)), {"days": 30}, "PASS", id="30 where at most 30"),
    pytest.param(value(Expectation(at_most=30)), {"days": 31}, "DRIFT", id="31 where at most 30"),
    pytest.param(value(Expectation(at_most="0.3")), {"days": "0.3"}, "PASS", id="a tenth written twice is equal"),
    pytest.param(value(Expectation(equals="0.3")), {"days": "0.30000000000000001"}, "DRIFT", id="a tail that a float drops"),
    pytest.param(value(Expectation(at_least=365)), {"days": 365}, "PASS", id="365 where at least 365"),
    pytest.param(value(Expectation(at_least=365)), {"days": 364}, "DRIFT", id="364 where at least 365"),
    pytest.param(value(Expectation(at_least=365)), {"days": "365 days"}, "UNAVAILABLE", id="a number with its unit in the text"),
    pytest.param(value(Expectation(one_of=(30, 60))), {"days": 60}, "PASS", id="one of two"),
    pytest.param(value(Expectation(one_of=(30, 60))), {"days": 45}, "DRIFT", id="none of two"),
    pytest.param(value(Expectation()), {"days": 45}, "UNAVAILABLE", id="a control that expects nothing"),
    pytest.param(value(Expectation(equals=0)), {"days": 0}, "PASS", id="zero is an expectation"),
    pytest.param(value(Expectation(equals=0)), {"days": False}, "UNAVAILABLE", id="false is not zero"),
    pytest.param(flag(Expectation(equals=True)), {"on": True}, "PASS", id="on"),
    pytest.param(flag(Expectation(equals=True)), {"on": False}, "DRIFT", id="off"),
    pytest.param(flag(Expectation(equals=False)), {"on": False}, "PASS", id="off where off is due"),
    pytest.param(flag(Expectation(equals=True)), {"on": 1}, "UNAVAILABLE", id="one is not true"),
    pytest.param(flag(Expectation(equals=True)), {"on": "true"}, "UNAVAILABLE", id="a text is not true"),
    pytest.param(version(Expectation(at_least="1.10")), {"lowest": "1.9"}, "DRIFT", id="1.9 is below 1.10"),
    pytest.param(version(Expectation(at_least="1.2")), {"lowest": "1.10"}, "PASS", id="1.10 is above 1.2"),
    pytest.param(version(Expectation(equals="1.2")), {"lowest": "v1.2.0"}, "PASS", id="1.2.0 is 1.2"),
    pytest.param(version(Expectation(at_least="1.2")), {"lowest": "1.2-beta"}, "UNAVAILABLE", id="a version with letters"),
    pytest.param(version(Expectation(at_least="1.2")), {"lowest": True}, "UNAVAILABLE", id="a flag is no version"),
    pytest.param(version(Expectation(at_least="1.2")), {"lowest": ""}, "UNAVAILABLE", id="an empty version"),
]


@pytest.mark.parametrize(("case", "values", "expected"), JUDGED)
def test_a_reading_is_judged_exactly(case: Control, values: dict[str, Any], expected: str) -> None:
    assert judged(case, values) == expected


AGES = [
    pytest.param(timedelta(0), "PASS", id="read at this instant"),
    pytest.param(timedelta(hours=24), "PASS", id="exactly as old as allowed"),
    pytest.param(timedelta(hours=24, microseconds=1), "STALE", id="a microsecond too old"),
    pytest.param(timedelta(days=400), "STALE", id="a year too old"),
    pytest.param(timedelta(microseconds=-1), "UNAVAILABLE", id="a microsecond from the future"),
    pytest.param(timedelta(days=-400), "UNAVAILABLE", id="a year from the future"),
]


@pytest.mark.parametrize(("age", "expected"), AGES)
def test_the_age_of_a_reading_is_judged_to_the_microsecond(age: timedelta, expected: str) -> None:
    assert evaluate(RATIO, snapshot({"locked": 9, "doors": 9}, at=AT - age), AT).evaluation.value == expected


def test_a_bad_reading_that_is_too_old_is_stale_not_pass() -> None:
    assert evaluate(RATIO, snapshot({"locked": 1, "doors": 9}, at=AT - timedelta(days=9)), AT).evaluation is Evaluation.STALE


def test_a_reading_of_another_control_is_unusable() -> None:
    other = snapshot({"locked": 9, "doors": 9}, name="roof-hatches")
    assert evaluate(RATIO, other, AT).evaluation is Evaluation.UNAVAILABLE


def test_no_reading_is_unavailable_and_no_source_is_not_measured() -> None:
    assert evaluate(RATIO, None, AT).evaluation is Evaluation.UNAVAILABLE
    assert evaluate(control(source=None), snapshot({"locked": 9, "doors": 9}), AT).evaluation is Evaluation.NOT_MEASURED


def test_other_zones_are_the_same_instants() -> None:
    east = datetime(2031, 6, 15, 17, 30, tzinfo=UTC).astimezone().replace(tzinfo=UTC) - timedelta(days=1)
    assert evaluate(RATIO, snapshot({"locked": 9, "doors": 9}, at=east), AT).evaluation is not Evaluation.UNAVAILABLE


FINDINGS = [
    pytest.param({"locked": 9, "doors": 9}, timedelta(0), None, id="in order"),
    pytest.param({"locked": 8, "doors": 9}, timedelta(0), ("CONTROL_DRIFT", Severity.BLOCKING), id="drifted"),
    pytest.param({"locked": 9, "doors": 9}, timedelta(days=2), ("STALE_CONTROL_SNAPSHOT", Severity.BLOCKING), id="too old"),
    pytest.param({"locked": 9, "doors": 8}, timedelta(0), ("CONTROL_UNAVAILABLE", Severity.BLOCKING), id="does not fit"),
]


@pytest.mark.parametrize(("values", "age", "expected"), FINDINGS)
def test_what_is_not_in_order_is_a_finding(values: dict[str, Any], age: timedelta, expected: tuple[str, Severity] | None) -> None:
    found = drift_findings([evaluate(RATIO, snapshot(values, at=AT - age), AT)])
    assert [(f.code.value, f.severity) for f in found] == ([expected] if expected else [])
    assert all(f.remedy and "vault-doors" in f.summary for f in found)


def test_an_unmeasured_control_warns_and_does_not_block() -> None:
    (finding,) = drift_findings([evaluate(control(source=None), None, AT)])
    assert (finding.code.value, finding.severity) == ("NOT_MEASURED", Severity.WARNING)


def test_the_figures_shown_are_those_that_were_read() -> None:
    reading = evaluate(RATIO, snapshot({"locked": 8, "doors": 9}), AT)
    assert reading.value == "8 of 9"
    assert reading.says == "Vault doors that are locked: 8 of 9, read on 15 June 2031."
    assert reading.why == "8 of 9, expected all of them"


COUNTS = st.integers(-(10**30), 10**30)


@given(COUNTS, COUNTS)
def test_a_ratio_passes_only_where_part_and_whole_are_the_same_positive_number(part: int, whole: int) -> None:
    expected = "UNAVAILABLE" if whole <= 0 or not 0 <= part <= whole else "PASS" if part == whole else "DRIFT"
    assert judged(RATIO, {"locked": part, "doors": whole}) == expected


@given(st.decimals(allow_nan=False, allow_infinity=False, places=25, min_value=-(10**9), max_value=10**9), st.integers(-(10**9), 10**9))
def test_decimals_are_compared_without_rounding(read: Any, bound: int) -> None:
    expected = "PASS" if Fraction(str(read)) >= bound else "DRIFT"
    assert judged(value(Expectation(at_least=bound)), {"days": f"{read:f}"}) == expected


@given(
    st.dictionaries(
        st.sampled_from(["locked", "doors", "days", "on", "lowest"]), st.one_of(st.booleans(), st.integers(), st.text(max_size=12))
    )
)
def test_no_reading_makes_the_judgement_raise(values: dict[str, Any]) -> None:
    for case in (RATIO, MOST, value(Expectation(at_most=3)), flag(Expectation(equals=True)), version(Expectation(at_least="1.2"))):
        assert isinstance(evaluate(case, snapshot(values), AT).evaluation, Evaluation)


def test_the_arithmetic_holds_no_float() -> None:
    tree = ast.parse(inspect.getsource(drift))
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "float"]
    assert (constants, calls) == ([], [])


MONSTERS = [
    pytest.param("1e999999999", id="an exponent that would never end"),
    pytest.param("9" * 5000, id="more digits than are read"),
    pytest.param("9" * 3000 + "." + "1" * 3000, id="more digits than are printed"),
]


@pytest.mark.parametrize("text", MONSTERS)
def test_a_monstrous_number_is_no_number(text: str) -> None:
    assert judged(RATIO, {"locked": text, "doors": text}) == "UNAVAILABLE"


@pytest.mark.parametrize("text", ["9" * 5000, "1e9", "²", "１.２", "1..2", ".", "-1.2"])
def test_a_monstrous_version_is_no_version(text: str) -> None:
    assert judged(version(Expectation(at_least="1.2")), {"lowest": text}) == "UNAVAILABLE"
