"""Harm: a figure looks more certain than it is, or differs from what any statistician would compute."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.scoring import statistics as s

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "vectors" / "stats_vectors.json").read_text("utf-8"))
HUMAN, JUDGE = VECTORS["labels"]["human"], VECTORS["labels"]["judge"]
GAP = None
TEXTBOOK = [  # Krippendorff's own example: four observers, twelve units, gaps
    [1, 1, GAP, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [GAP, 5, 5, 5], [GAP, GAP, 1, 1], [GAP, GAP, 3, GAP],
]  # fmt: skip


def near(value: float | None, wanted: float, within: float = 1e-12) -> bool:
    return value is not None and math.isclose(value, wanted, abs_tol=within)


def test_agreement_is_that_of_the_vectors() -> None:
    assert s.agreement(HUMAN, JUDGE).share == VECTORS["agreement"]
    assert near(s.cohen_kappa(HUMAN, JUDGE), VECTORS["kappa"])
    assert near(s.cohen_kappa(HUMAN, JUDGE, "linear"), VECTORS["kappa_linear"])
    assert near(s.cohen_kappa(HUMAN, JUDGE, "quadratic"), VECTORS["kappa_quadratic"])


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_the_vectors(level: Any) -> None:
    assert near(s.krippendorff_alpha(list(zip(HUMAN, JUDGE, strict=True)), level), VECTORS[f"alpha_{level}"])


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_with_gaps_is_that_of_the_textbook(level: Any) -> None:
    assert near(s.krippendorff_alpha(TEXTBOOK, level), VECTORS["krippendorff_textbook_missing"][level])


def test_raters_who_always_say_the_same_have_no_kappa() -> None:
    assert s.cohen_kappa([1, 1, 1], [1, 1, 1]) is None
    assert s.krippendorff_alpha([[1, 1], [1, 1]]) is None
    assert s.krippendorff_alpha([[1, None], [None, 2]]) is None
    assert s.cohen_kappa([], []) is None


@pytest.mark.parametrize("name", [name for name in VECTORS if name.startswith(("wilson_", "cp_"))])
def test_intervals_are_those_of_the_vectors(name: str) -> None:
    method, count, of = name.split("_")
    made = {"wilson": s.wilson, "cp": s.clopper_pearson}[method](int(count), int(of))
    assert near(made.low, VECTORS[name][0])
    assert near(made.high, VECTORS[name][1])


@pytest.mark.parametrize(("of", "bound"), list(VECTORS["rule_of_three_zero_of_n_upper95_onesided"].items()))
def test_nothing_seen_is_not_nothing_there(of: str, bound: float) -> None:
    assert near(s.zero_of(int(of)), bound)
    assert s.Rate(0, int(of)).upper_bound == s.zero_of(int(of))
    assert s.Rate(1, int(of)).upper_bound is None


def test_row_32() -> None:
    assert s.wilson(12, 12).low == pytest.approx(0.757506, abs=5e-7)
    assert s.wilson(0, 12).high == pytest.approx(0.242494, abs=5e-7)
    assert s.clopper_pearson(12, 12).low == pytest.approx(0.735352, abs=5e-7)


def test_row_33() -> None:
    for name, wanted in VECTORS["pass_hat_k"].items():
        n, c, k = (int(part[1:]) for part in name.split("_"))
        assert near(s.pass_hat_k(n, c, k), wanted)
    for name, wanted in VECTORS["pass_at_k"].items():
        n, c, k = (int(part[1:]) for part in name.split("_"))
        assert near(s.pass_at_k(n, c, k), wanted)


def test_row_34() -> None:
    assert s.mcnemar_exact(1, 6) == VECTORS["mcnemar_exact_b1_c6"] == 0.125
    assert s.mcnemar_exact(0, 0) == 1
    assert near(s.rogan_gladen(0.2, 0.75, 0.975), 0.241379, 5e-7)
    assert s.rogan_gladen(0.5, 0.5, 0.5) is None, "a judge that guesses tells nothing"


def test_row_29_a_paired_comparison() -> None:
    pair = VECTORS["paired"]
    made = s.paired_bootstrap(pair["A"], pair["B"])
    assert near(made.delta, pair["delta"])
    assert near(made.negative_rate, pair["negative_rate"])
    assert made.interval.low == pytest.approx(pair["boot_percentile"][0], abs=0.004)
    assert made.interval.high == pytest.approx(pair["boot_percentile"][1], abs=0.004)
    assert s.paired_bootstrap(pair["A"], pair["B"]) == made, "the same seed, the same interval"


@pytest.mark.parametrize(("count", "of"), [(1, 0), (-1, 3), (4, 3)])
def test_what_is_no_share_is_refused(count: int, of: int) -> None:
    for interval in (s.wilson, s.clopper_pearson):
        with pytest.raises(ValueError, match="no share"):
            interval(count, of)
    assert s.Rate(0, 0).share is None
    assert s.Rate(0, 0).interval is None


def test_series_that_do_not_pair_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        s.paired_bootstrap([1, 2], [1])
    with pytest.raises(ValueError, match="nothing"):
        s.paired_bootstrap([], [])
    with pytest.raises(ValueError, match="cannot be drawn"):
        s.pass_at_k(3, 4, 1)


@given(st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_intervals_hold_the_share(rate: tuple[int, int]) -> None:
    share = rate[0] / rate[1]
    for interval in (s.wilson(*rate), s.clopper_pearson(*rate)):
        assert 0 <= interval.low <= share + 1e-12
        assert share - 1e-12 <= interval.high <= 1
