"""Harm: the demo organisation's traps are walked into, or its honest answers are kept back."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops import assembly
from trustops.evaluation.harness import Evaluation, evaluate
from trustops.evaluation.report import gates
from trustops.roster import shipped

ACME = shipped("golden") / "acme"


def run(folder: Path) -> Evaluation:
    return evaluate(
        folder / "truth.yaml",
        folder / "workspace",
        folder / "questionnaire.xlsx",
        open_office=assembly.office,
        connect=assembly.provider_at,
        drills=True,
        model_answers=True,
    )


@pytest.fixture(scope="module")
def told() -> Evaluation:
    return run(ACME)


def test_no_answer_leaves_that_truth_blocks(told: Evaluation) -> None:
    assert [g.ref for g in told.graded if g.false_pass] == []


def test_every_drill_is_blocked_as_its_truth_says(told: Evaluation) -> None:
    assert len(told.drills) == 17
    assert [(d.ref, d.drill.golden, d.why) for d in told.drills if not d.ok] == []


def test_nothing_that_must_not_be_said_is_said(told: Evaluation) -> None:
    leaving = [g for g in told.graded if g.actual["decision"] != "BLOCK"]
    assert [(g.ref, g.said) for g in leaving if g.said] == []


def test_every_gate_of_the_evaluation_holds(told: Evaluation) -> None:
    assert [line for line in gates(told) if not line.ok] == []


def test_every_run_of_an_evaluation_is_test(told: Evaluation) -> None:
    origins = {call["origin"] for g in told.graded for call in g.actual["model_calls"]}
    assert origins == {"SCRIPTED"}
    assert all(len({call["id"] for call in g.actual["model_calls"]}) == 5 for g in told.graded)
