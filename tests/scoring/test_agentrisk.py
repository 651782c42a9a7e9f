"""Harm: an agent is trusted more or less than the published method says (scoring.md, sections 1 and 6; rows of its test table)."""

from __future__ import annotations

import json
from decimal import Decimal as D
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trustops.domain.errors import RuleBroken
from trustops.scoring import agentrisk
from trustops.scoring.agentrisk import (
    BASE,
    DEFAULTS,
    Dimension,
    DimensionScore,
    Grade,
    Signals,
    Trust,
    assess,
    freshness,
    mapped,
    mean_change,
    worth_a_record,
)

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors" / "formula_vectors.json").read_text("utf-8"))["agentrisk"]
FULL = Signals(
    discount_factor=D("0.95"), dim_avg=D("4.0"), avg_change=D("0.15"), bio="b" * 150, category="security",
    source_sites=("github", "huggingface", "website"), performance_assessment=True, platform="coze", active_days=89,
)  # fmt: skip
BARE = Signals(discount_factor=D("0.60"), platform="unknown", active_days=0, age_days={"*": 45})


def decimal(value: Any) -> D | None:
    return None if value is None else D(value)


ROW_1 = dict(
    zip(
        ["1.00", ".95", ".90", ".80", ".75", ".70", ".60", ".50", ".40", "1.2"],
        ["5", "4.5", "4", "3", "2.5", "2", "1", "0", "0", "5"],
        strict=True,
    )
)


@pytest.mark.parametrize(("factor", "score"), list(ROW_1.items()))
def test_row_1_discount_factors(factor: str, score: str) -> None:
    assert mapped(D(factor)) == D(score)


@pytest.mark.parametrize("row", VECTORS["map"], ids=lambda row: row["df"])
def test_vectors_of_the_mapping_and_the_veto(row: dict[str, Any]) -> None:
    assert mapped(D(row["df"])) == D(row["score"])
    vetoed = assess(FULL.model_copy(update={"discount_factor": D(row["df"]), "dim_avg": None})).vetoed_by
    assert bool(vetoed) is row["veto_if_only_df"]


@pytest.mark.parametrize(("authenticity", "veto"), [("2.0", False), ("1.99", True)])
def test_row_2_the_veto_is_below_two_and_of_base_dimensions_alone(authenticity: str, veto: bool) -> None:
    made = assess(FULL.model_copy(update={"discount_factor": None, "dim_avg": D(authenticity)}))
    assert bool(made.vetoed_by) is veto
    assert not assess(Signals(bio="b")).vetoed_by or Dimension.COMMITMENT not in assess(Signals(bio="b")).vetoed_by


@pytest.mark.parametrize("row", VECTORS["authenticity"], ids=str)
def test_row_3_authenticity(row: dict[str, Any]) -> None:
    raw = agentrisk.authenticity(decimal(row["df"]), decimal(row["dim_avg"]))
    assert raw.score == D(row["score"])
    assert raw.is_estimated is (row["df"] is None and row["dim_avg"] is None)


@pytest.mark.parametrize("row", VECTORS["consistency"], ids=lambda row: row["avg_change"])
def test_row_4_consistency(row: dict[str, Any]) -> None:
    assert agentrisk.consistency(D(row["avg_change"])).score == D(row["score"])
    assert agentrisk.consistency(None) == (D("2.5"), True)


def test_row_5_change_is_a_mean_of_means() -> None:
    change = mean_change({"a": [D(4), D("4.2"), D("4.1")], "b": [D(3), D("3.3")], "one score has no change": [D(1)]})
    assert change == D("0.225")
    assert agentrisk.consistency(change).score == D("3.875")
    assert mean_change({"a": [D(4)]}) is None


def raw(dimension: Dimension, **told: Any) -> tuple[D, bool]:
    return agentrisk.raw_scores(Signals(**told))[dimension]


def test_row_6_transparency() -> None:
    every = {"bio": "b", "category": "c", "source_sites": ("x",), "performance_assessment": True, "platform": "coze"}
    assert raw(Dimension.TRANSPARENCY, **every) == (D(5), False)
    assert raw(Dimension.TRANSPARENCY) == (D(2), True)
    assert raw(Dimension.TRANSPARENCY, platform="unknown") == (D(2), True)
    assert raw(Dimension.TRANSPARENCY, category="c") == (D("0.5"), False), "the published oddity: one signal may veto"
    assert agentrisk.raw_scores(Signals(category="c"), partial_floor=True)[Dimension.TRANSPARENCY].score == D(2)


def test_row_7_commitment() -> None:
    two = {"source_sites": ("x", "y"), "performance_assessment": True}
    assert raw(Dimension.COMMITMENT, bio="b" * 150, **two) == (D(5), False)
    assert raw(Dimension.COMMITMENT, bio="b" * 100, **two) == (D("3.5"), False)


def test_row_8_choice() -> None:
    assert raw(Dimension.CHOICE, bio="b", source_sites=("github", "x", "y")) == (D(5), False)
    assert raw(Dimension.CHOICE, source_sites=("GitHub",)) == (D("2.5"), False)


@pytest.mark.parametrize("row", VECTORS["presence"], ids=lambda row: str(row["active_days"]))
def test_row_9_presence(row: dict[str, Any]) -> None:
    assert agentrisk.presence(row["active_days"]).score.quantize(D("0.0001")) == D(row["score"])
    assert agentrisk.presence(None) == (D("1.5"), True)


@pytest.mark.parametrize("row", VECTORS["freshness"], ids=lambda row: f"{row['dim']} {row['age']}")
def test_rows_10_and_11_freshness(row: dict[str, Any]) -> None:
    assert freshness(Dimension(row["dim"]), row["age"]).quantize(D("0.000001")) == D(row["factor"])


def test_row_12_a_subject_with_every_signal() -> None:
    made = assess(FULL)
    wanted = VECTORS["example1"]
    assert made.base_avg.quantize(D("0.001")) == D(wanted["base"])
    assert (made.trust_score, made.availability_score, made.grade) == (D(wanted["trust"]), D(wanted["availability"]), Grade.A)
    assert not made.vetoed_by
    assert not made.is_estimated


def test_row_13_a_subject_that_is_vetoed() -> None:
    made = assess(BARE)
    assert [str(made.dimensions[name].score) for name in Dimension] == ["0.93", "2.31", "2.00", "1.50", "2.00", "0.86"]
    assert made.vetoed_by == (Dimension.AUTHENTICITY,)
    assert (made.trust_score, made.availability_score, made.grade) == (D("1.75"), D("0.86"), Grade.D)
    assert made.base_avg.quantize(D("0.001")) == D(VECTORS["example2_dims_rounded_first"]["base"])
    assert [name for name in BASE if made.dimensions[name].is_estimated] == [Dimension.CONSISTENCY, Dimension.TRANSPARENCY]


def test_row_14_the_cap_holds_whatever_else_is_perfect() -> None:
    best = FULL.model_copy(update={"discount_factor": None, "avg_change": D(0)})
    capped = assess(best.model_copy(update={"dim_avg": D("1.9")}))
    assert capped.base_avg * D("0.6") + capped.bonus_avg * D("0.4") == D("4.38")
    assert capped.trust_score == D("3.00")
    assert assess(best.model_copy(update={"dim_avg": D("2.0")})).trust_score == D("4.40")


def test_row_15_a_discount_never_vetoes() -> None:
    made = assess(Signals(age_days={"authenticity": 90}))
    assert made.dimensions[Dimension.AUTHENTICITY].score == D("1.75")
    assert not made.vetoed_by


def moved(before: str, now: str, dimension: str = "0") -> bool:
    def trust(score: str, of: D) -> Trust:
        one = DimensionScore(raw=of, factor=D(1), score=of, is_estimated=False)
        return Trust(
            trust_score=D(score), availability_score=D(1), base_avg=D(1), bonus_avg=D(1), grade=Grade.A, vetoed_by=(),
            dimensions=dict.fromkeys(Dimension, one),
        )  # fmt: skip

    return worth_a_record(trust(before, D(3)), trust(now, D(3) + D(dimension)))


def test_row_16_what_becomes_a_record() -> None:
    assert moved("4.41", "4.71")
    assert not moved("4.42", "4.71")
    assert moved("4", "4", "0.5")
    assert not moved("4", "4", "0.49")
    assert worth_a_record(None, assess(FULL)), "the first score always is"


@pytest.mark.parametrize(("trust", "grade"), [("4.0", "A"), ("3.99", "B"), ("3.01", "B"), ("3.0", "C"), ("2.0", "C"), ("1.99", "D")])
def test_grades(trust: str, grade: str) -> None:
    assert agentrisk.Grades().of(D(trust)).value == grade


def test_nothing_known_is_neutral_and_says_so() -> None:
    made = assess(Signals())
    assert {name: made.dimensions[name].raw for name in Dimension} == DEFAULTS
    assert made.is_estimated
    assert not made.vetoed_by


@pytest.mark.parametrize(
    "bad",
    [{"dim_avg": D("5.1")}, {"dim_avg": D(-1)}, {"avg_change": D("-0.1")}, {"active_days": -1}, {"age_days": {"*": -1}},
     {"age_days": {"looks": 3}}],
    ids=str,
)  # fmt: skip
def test_numbers_without_a_meaning_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(RuleBroken) as refused:
        assess(Signals(**bad))
    assert refused.value.rule == "range"


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("field", ["discount_factor", "dim_avg", "avg_change"])
def test_what_is_no_number_is_refused(field: str, bad: str) -> None:
    with pytest.raises(ValidationError):
        Signals(**{field: D(bad)})


scores = st.none() | st.decimals(0, 5, places=2)
signals = st.builds(
    Signals,
    discount_factor=st.none() | st.decimals("0.3", "1.2", places=2),
    dim_avg=scores,
    avg_change=scores,
    bio=st.text(max_size=120),
    source_sites=st.lists(st.sampled_from(["github", "site", "hub"]), max_size=3).map(tuple),
    performance_assessment=st.booleans(),
    active_days=st.none() | st.integers(0, 400),
    age_days=st.dictionaries(st.sampled_from(["*", *(d.value for d in Dimension)]), st.integers(0, 400), max_size=3),
)


@given(signals)
def test_trust_is_within_bounds_and_the_veto_always_caps(given_signals: Signals) -> None:
    made = assess(given_signals)
    assert 0 <= made.trust_score <= (D(3) if made.vetoed_by else D(5))
    assert all(0 <= score.score <= score.raw.quantize(D("0.01")) + D("0.01") for score in made.dimensions.values())
    assert not worth_a_record(made, made)
