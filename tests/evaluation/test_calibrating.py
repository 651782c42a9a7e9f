"""Harm: a judge passes for calibrated on labels that nobody could read, or by a figure that was not computed as it says."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import House
from trustops.domain.errors import MalformedFile, UsageError
from trustops.evaluation.calibrating import Row, calibrate, calibrations, keep, load_rows
from trustops.evaluation.judging import Grader
from trustops.scoring.statistics import wilson

GRADER = Grader(prompt="judge-rubric@1:abc", provider="anthropic", model="judge-1")
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def labels(folder: Path, *lines: str, head: str = "item,judge,human") -> Path:
    path = folder / "labels.csv"
    path.write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    return path


def rows(tp: int, fn: int, fp: int, tn: int) -> list[Row]:
    told = [(True, True)] * tp + [(False, True)] * fn + [(True, False)] * fp + [(False, False)] * tn
    return [Row(f"i-{at}", judge, (human,)) for at, (judge, human) in enumerate(told)]


def test_the_figures_of_a_judge_are_those_of_its_four_counts() -> None:
    made = calibrate(rows(15, 5, 1, 39), GRADER, AT)
    assert (made.tpr, made.tnr, made.agreement, made.observed) == ((15, 20), (39, 40), (54, 60), (16, 60))
    assert made.tpr_interval == tuple(wilson(15, 20))
    assert made.tnr_interval == tuple(wilson(39, 40))
    assert made.kappa == pytest.approx(0.7635, abs=1e-3)
    assert made.corrected == pytest.approx((16 / 60 + 0.975 - 1) / 0.725)
    assert made.alpha is not None
    assert math.isclose(made.alpha, 0.7651, abs_tol=2e-3)


def test_the_published_correction() -> None:
    disputed = [Row(f"d-{at}", False, (True, False)) for at in range(20)]
    made = calibrate([*rows(15, 5, 1, 39), *disputed], GRADER, AT)
    assert made.observed == (16, 80)  # 0.2, with rates of 0.75 and 0.975: scoring.md, section 6, row 34
    assert made.corrected == pytest.approx(0.241379, abs=1e-6)


def test_a_missing_verdict_is_neither_right_nor_wrong_and_a_dispute_counts_for_alpha_alone() -> None:
    found = [*rows(2, 0, 0, 2), Row("m", None, (True, True)), Row("d", True, (True, False))]
    made = calibrate(found, GRADER, AT)
    assert (made.items, made.missing, made.disputed, made.raters) == (6, 1, 1, 2)
    assert (made.tpr, made.tnr, made.agreement) == ((2, 2), (2, 2), (4, 4))
    assert made.observed == (3, 5)
    assert made.alpha is not None
    assert made.alpha < 1


def test_of_one_label_there_is_no_agreement_beyond_chance() -> None:
    made = calibrate(rows(5, 0, 0, 0), GRADER, AT)
    assert (made.kappa, made.alpha, made.tnr, made.tnr_interval, made.corrected) == (None, None, (0, 0), None, None)


def test_labels_are_read_as_verdicts_or_as_scores_from_which_on_it_passes(tmp_path: Path) -> None:
    path = labels(tmp_path, "a,pass,FAIL,", "b,4,2,3", "c,,yes,no", 'd,0,1,"5"', head="item,judge,human,human_2")
    assert load_rows(path) == (
        Row("a", True, (False, None)), Row("b", True, (False, True)), Row("c", None, (True, False)), Row("d", False, (False, True)),
    )  # fmt: skip
    assert load_rows(path, passes_from=4)[1] == Row("b", True, (False, False))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (("a,pass,pass", "b,maybe,pass"), "line 3: 'maybe'"),
        (("a,pass",), "line 2: 2 cells"),
        (("a,pass,pass,pass",), "line 2: 4 cells"),
        ((",pass,pass",), "line 2: the item has no name"),
        (("a,pass,",), "line 2: no person"),
        (("a,pass,pass", "a,fail,pass"), "line 3: item 'a' stands twice"),
        (('"a\nb",pass,pass', "c,7,pass"), "line 4: '7'"),
        ((), "no row"),
    ],
)
def test_a_bad_row_is_refused_by_its_line_and_nothing_is_recorded(tmp_path: Path, lines: tuple[str, ...], says: str) -> None:
    with pytest.raises(MalformedFile) as refused:
        load_rows(labels(tmp_path, *lines))
    assert says in str(refused.value)


def test_a_file_that_is_no_list_of_labels_is_refused(tmp_path: Path) -> None:
    for head in ("item,human", "item,judge", "item,judge,human,human", "item,judge,human,who", ""):
        with pytest.raises(MalformedFile, match="line 1"):
            load_rows(labels(tmp_path, "a,pass,pass", head=head))
    with pytest.raises(UsageError):
        load_rows(tmp_path / "none.csv")
    (tmp_path / "labels.csv").write_bytes(b"item,judge,human\n\xff,pass,pass\n")
    with pytest.raises(MalformedFile, match="UTF-8"):
        load_rows(tmp_path / "labels.csv")


def test_a_calibration_is_kept_in_the_chain(house: House, books: Callable[[], dict[str, int]]) -> None:
    made = calibrate(rows(15, 5, 1, 39), GRADER, AT)
    before = books()["audit"]
    keep(house.office, made, by="Ana")
    assert calibrations(house.office) == (made,)
    assert books()["audit"] == before + 1
    assert house.office.ledger.audit()[-1].actor == "Ana"
    assert house.office.ledger.verify_chain().ok
