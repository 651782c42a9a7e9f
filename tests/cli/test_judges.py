"""Harm: figures of judges and comparisons look better on the command line than they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_mistakes import clear

WHO = ("--provider", "anthropic", "--model", "judge-1")


def labels(folder: Path, *rows: str) -> Path:
    path = folder / "labels.csv"
    path.write_text("item,judge,human\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_judge_is_calibrated_on_record_and_advisory_where_it_must_be(kestrel: Path, type_in: Terminal) -> None:
    few = labels(kestrel, "a,pass,pass", "b,fail,fail", "c,pass,fail")
    told = json.loads(type_in("eval", "calibrate", few, *WHO, "--json", "-w", kestrel).out)
    assert (told["agreement"], told["tpr"], told["tnr"], told["calibrated"]) == ([2, 3], [1, 1], [1, 2], False)
    assert "fewer than 30" in told["why_advisory"]
    many = labels(kestrel, *(f"i{at},{v},{v}" for at, v in enumerate(["pass", "fail"] * 20)))
    said = type_in("eval", "calibrate", many, *WHO, "--by", "Ana", "-w", kestrel).out
    assert "It counts as calibrated" in said
    assert "40/40" in said
    kinds = json.loads(type_in("audit", "list", "--json", "-w", kestrel).out)
    assert json.dumps(kinds).count("judge_calibrated") == 2


def test_bad_labels_are_refused_by_line_and_nothing_is_recorded(kestrel: Path, type_in: Terminal) -> None:
    bad = labels(kestrel, "a,pass,pass", "b,perhaps,pass")
    clear(type_in("eval", "calibrate", bad, *WHO, "-w", kestrel), 2, "line 3", "perhaps")
    clear(type_in("eval", "calibrate", labels(kestrel, "a,pass,pass"), *WHO, "--judge", "answer", "-w", kestrel), 2, "judge-rubric")
    assert "judge_calibrated" not in type_in("audit", "list", "--json", "-w", kestrel).out


@pytest.mark.long
def test_a_comparison_by_scripts_says_so_and_carries_no_playbook(kestrel: Path, type_in: Terminal) -> None:
    ended = type_in("eval", "compare-styles", "-n", "1", "--seed", "2", "--json", "-w", kestrel)
    told = json.loads(ended.out)
    assert (told["origin"], len(told["scenarios"])) == ("SCRIPTED", 1)
    assert "it is scripted" in told["why_advisory"]
    assert any("scripted" in why for why in told["worse"])


def test_mistakes_in_comparing_are_one_sentence(kestrel: Path, type_in: Terminal) -> None:
    clear(type_in("eval", "compare-styles", "--baseline-only", "--augmented-only", "-w", kestrel), 2, "--baseline-only")
    clear(type_in("eval", "compare-styles", "--user", "nobody", "-w", kestrel), 2, "nobody")
    clear(type_in("eval", "compare-styles", "--judge", "nobody", "-n", "1", "-w", kestrel), 2, "nobody")
    clear(type_in("eval", "compare-styles", "--playbook", "none", "-n", "1", "-w", kestrel), 2, "none")


def test_a_dimension_that_is_none_is_refused(kestrel: Path, type_in: Terminal) -> None:
    clear(type_in("eval", "capability", "--dimension", "Z9", "-w", kestrel), 2, "Z9", "B1")


@pytest.mark.long
def test_a_dimension_is_shown_with_its_threshold_and_what_was_not_measured(kestrel: Path, type_in: Terminal) -> None:
    ended = type_in("eval", "capability", "--dimension", "B1", "--json", "-w", kestrel)
    told = json.loads(ended.out)
    assert ended.code == 0
    assert told["real_model"] is False
    assert (told["dimensions"]["B1"]["state"], told["dimensions"]["B1"]["group_b"]) == ("PASSED", None)
    states = {metric["metric"]: metric["state"] for metric in told["metrics"]}
    assert (states["intent_clarification_judge"], states["skill_impact_delta"]) == ("NOT_MEASURED", "NOT_MEASURED")


def test_advice_is_of_a_judge_that_a_profile_names(kestrel: Path, type_in: Terminal) -> None:
    clear(type_in("eval", "advise", "K-2", "--judge", "nobody", "-w", kestrel), 2, "nobody")
    with (kestrel / "trustops.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[models.profiles.rules]\nprovider = "extractive"\n')
    clear(type_in("eval", "advise", "K-2", "--judge", "rules", "-w", kestrel), 2, "has no model")
