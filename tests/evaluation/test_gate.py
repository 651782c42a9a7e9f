"""Harm: a gate passes that was not measured, or not by somebody who may say so, or over next to nothing."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.evaluation.test_metric import score
from trustops.domain.errors import MalformedFile, UnknownName
from trustops.evaluation.gate import Gate, GateState, judge, judged, load_gates
from trustops.evaluation.score import Authority

RECALL = Gate(metric="question_recall", wanted="at_least", value=Decimal("0.95"), authority=Authority.GOLDEN_TRUTH, of=4)
TRUTH = {"authority": Authority.GOLDEN_TRUTH}


def test_a_gate_without_a_figure_is_missing_and_no_pass() -> None:
    assert judge(RECALL, []).state is GateState.MISSING


def test_a_judge_s_word_passes_no_gate_that_asks_for_truth() -> None:
    told = judge(RECALL, [score("question_recall", 9, 9, authority=Authority.LLM_JUDGE)])
    assert told.state is GateState.MISSING
    assert "GOLDEN_TRUTH" in told.why


def test_a_gate_over_too_few_cases_is_missing() -> None:
    told = judge(RECALL, [score("question_recall", 3, 3, **TRUTH)])
    assert (told.state, told.why) == (GateState.MISSING, "measured over 3, 4 are needed")


def test_one_missing_score_keeps_a_gate_from_passing() -> None:
    made = [score("question_recall", 9, 9, case="a", **TRUTH), score("question_recall", None, case="b", **TRUTH)]
    assert judge(RECALL, made).state is GateState.MISSING


def test_what_fails_fails_even_where_something_is_missing() -> None:
    made = [score("question_recall", 1, 9, case="a", **TRUTH), score("question_recall", None, case="b", **TRUTH)]
    assert judge(RECALL, made).state is GateState.FAILED


@pytest.mark.parametrize(("hits", "state"), [(19, GateState.PASSED), (18, GateState.FAILED)])
def test_a_threshold_is_compared_exactly(hits: int, state: GateState) -> None:
    assert judge(RECALL, [score("question_recall", hits, 20, **TRUTH)]).state is state


def test_a_gate_whose_suite_was_not_run_is_not_judged() -> None:
    gate = RECALL.model_copy(update={"needs": ("questionnaire", "golden")})
    assert judged([gate], [], ["golden"]) == ()
    assert len(judged([gate], [], ["golden", "questionnaire"])) == 1


P0 = {
    "question_recall": ("equals", "1", 50),
    "primary_cell_mapping_accuracy": ("at_least", "0.95", 50),
    "original_text_mutation": ("equals", "0", 50),
    "hallucinated_evidence_id": ("equals", "0", 50),
    "cross_organisation_leakage": ("equals", "0", 1),
    "deterministic_drift_accuracy": ("equals", "1", 20),
    "mock_reported_as_live": ("equals", "0", 1),
    "snapshot_overwrite": ("equals", "0", 1),
    "citation_coverage": ("equals", "1", 50),
    "citation_validity": ("equals", "1", 50),
    "unsupported_affirmative": ("equals", "0", 50),
    "blocking_finding_recall": ("equals", "1", 70),
    "false_pass_rate": ("equals", "0", 70),
    "reviewer_failure_treated_as_pass": ("equals", "0", 7),
    "stale_approval_used": ("equals", "0", 1),
    "blocking_finding_exported": ("equals", "0", 1),
    "skill_trace_complete": ("equals", "1", 1),
    "replay_shown_as_live": ("equals", "0", 1),
}
"""The P0 table of evaluation.md, written a second time."""


def test_the_shipped_gates_are_those_of_the_specification() -> None:
    held = {gate.metric: (gate.wanted, str(gate.value), gate.of) for gate in load_gates()}
    assert {name: held.get(name) for name in P0} == P0
    assert all(gate.authority >= Authority.GOLDEN_TRUTH for gate in load_gates()), "no opinion of a model opens a P0 gate"


BLOCKERS = (
    "Q-005 without five independent real model calls",
    "reviewer critical false pass > 0",
    "an unresolved blocking finding can be exported",
    "an old approval serves a new answer version",
    "mock or recorded shown as live",
    "cross-organisation evidence leak",
    "a trace that cannot tie AgentTask, ModelCall and SkillInvocation together",
)


def test_every_release_blocker_of_the_specification_has_a_gate() -> None:
    assert set(BLOCKERS) <= {gate.blocks_release for gate in load_gates()}


def test_a_gate_for_a_metric_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "g.yaml"
    file.write_text("gates:\n  - {metric: recall, wanted: equals, value: 1}\n", encoding="utf-8")
    with pytest.raises(UnknownName, match="no metric 'recall'"):
        load_gates(file)


def test_a_gate_with_an_unknown_key_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "g.yaml"
    file.write_text(
        "gates:\n  - {metric: question_recall, wanted: equals, value: 1}\n  - {metric: tokens, wants: equals, value: 1}\n", encoding="utf-8"
    )
    with pytest.raises(MalformedFile) as refusal:
        load_gates(file)
    assert refusal.value.where == "g.yaml, line 3"
