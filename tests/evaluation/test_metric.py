"""Harm: a figure says more than was counted: another name, another denominator, a gap that looks like a pass."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from trustops.domain.errors import RuleBroken, UnknownName
from trustops.evaluation.metric import METRICS, Measured, Metric, Registry, measure, measured
from trustops.evaluation.registry import SUITES as SUITES  # registers what they measure
from trustops.evaluation.score import Authority, Score, settled

NAMED = [
    "question_recall",
    "primary_cell_mapping_accuracy",
    "original_text_mutation",
    "required_evidence_hit_rate",
    "contradictory_evidence_recall",
    "authority_accuracy",
    "freshness_accuracy",
    "hallucinated_evidence_id",
    "cross_organisation_leakage",
    "control_mapping_accuracy",
    "adapter_selection",
    "snapshot_schema_validity",
    "source_mode_accuracy",
    "deterministic_drift_accuracy",
    "unauthorized_write_attempt",
    "snapshot_overwrite",
    "mock_reported_as_live",
    "citation_coverage",
    "citation_validity",
    "citation_entailment",
    "unsupported_assertion",
    "unsupported_affirmative",
    "policy_reality_separation",
    "sensitive_disclosure",
    "blocking_finding_recall",
    "false_pass_rate",
    "false_block_rate",
    "overcommitment_detection",
    "sensitive_disclosure_detection",
    "approval_routing_accuracy",
    "critical_false_pass",
    "critical_false_pass_reviewer",
    "reviewer_failure_treated_as_pass",
    "stale_approval_used",
    "blocking_finding_exported",
    "skill_trace_complete",
    "replay_shown_as_live",
    "time_to_first_event",
    "latency_per_agent",
    "q_005_end_to_end",
    "sse_visible_delay",
    "model_calls",
    "tokens",
    "retries",
    "cost_per_question",
    "cost_per_review",
    "unsupported_affirmative_export",
]
"""The metrics of evaluation.md, "Metrics and their P0 gates" and its definitions, in their order."""
RATES = [metric.name for metric in METRICS if metric.sort == "rate"]


def score(metric: str, amount: Any, of: int = 1, *, case: str = "c", **more: Any) -> Score:
    told = None if amount is None else Decimal(str(amount))
    return Score(metric=metric, case_id=case, amount=told, of=of, **({"authority": Authority.DETERMINISTIC} | more))


def test_every_metric_of_the_specification_is_there_under_its_name() -> None:
    assert [name for name in NAMED if name not in {metric.name for metric in METRICS}] == []


@pytest.mark.parametrize("name", RATES)
def test_a_rate_is_its_hits_of_what_was_counted_with_the_interval_of_wilson(name: str) -> None:
    told = measure(METRICS.get(name), [score(name, 5, 5, case="a"), score(name, 7, 7, case="b"), score(name, 0, 12, case="d")])
    assert (told.amount, told.of, told.value) == (12, 24, Decimal("0.5"))
    assert told.low == pytest.approx(0.31427, abs=1e-5)
    assert told.high == pytest.approx(0.68573, abs=1e-5)
    assert told.bound is None


@pytest.mark.parametrize("name", RATES)
def test_a_rate_of_nought_is_told_with_its_one_sided_bound(name: str) -> None:
    told = measure(METRICS.get(name), [score(name, 0, 12)])
    assert told.value == 0
    assert told.bound == pytest.approx(0.220922, abs=1e-6), "0 of 12 still allows 22.1 %"


KNOWN: dict[str, tuple[list[float], Decimal, dict[str, Decimal]]] = {
    "model_calls": ([5, 5, 4], Decimal(14), {}),
    "tokens": ([120, 30], Decimal(150), {}),
    "retries": ([0, 2, 1], Decimal(3), {}),
    "cost_per_question": ([0.02, 0.04], Decimal("0.03"), {}),
    "cost_per_review": ([1.5, 2.5], Decimal(2), {}),
    "time_to_first_event": ([3, 1, 2, 40], Decimal(2), {"p50": Decimal(2), "p95": Decimal(40)}),
    "latency_per_agent": ([10, 30, 20], Decimal(20), {"p50": Decimal(20), "p95": Decimal(30)}),
    "q_005_end_to_end": ([900], Decimal(900), {"p50": Decimal(900), "p95": Decimal(900)}),
    "sse_visible_delay": ([5, 5, 7], Decimal(5), {"p50": Decimal(5), "p95": Decimal(7)}),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_recorded_has_its_known_value(name: str) -> None:
    amounts, value, points = KNOWN[name]
    told = measure(METRICS.get(name), [score(name, amount, case=str(at)) for at, amount in enumerate(amounts)])
    assert told.value == value
    assert {point.at: point.value for point in told.points} == points


def test_every_metric_has_a_known_value_above() -> None:
    p0 = {metric.name for metric in METRICS if metric.name in NAMED}
    assert p0 == set(NAMED) & ({*RATES} | {*KNOWN})


def test_times_are_told_by_place_as_well() -> None:
    made = [
        score("latency_per_agent", ms, case=str(at), at=seat) for at, (ms, seat) in enumerate([(5, "answer"), (9, "answer"), (1, "policy")])
    ]
    points = {point.at: point.value for point in measure(METRICS.get("latency_per_agent"), made).points}
    assert points["answer p95"] == 9
    assert points["policy p50"] == 1


def test_without_a_score_a_metric_is_not_measured() -> None:
    told = measure(METRICS.get("question_recall"), [])
    assert (told.value, told.state) == (None, "NOT_MEASURED")


def test_a_missing_score_is_counted_and_is_no_hit_and_no_miss() -> None:
    told = measure(METRICS.get("question_recall"), [score("question_recall", 3, 4, case="a"), score("question_recall", None, case="b")])
    assert (told.value, told.of, told.missing, told.state) == (Decimal("0.75"), 4, 1, "INCOMPLETE")


def test_the_higher_authority_decides_and_the_lower_one_is_not_counted_beside_it() -> None:
    judge = score("question_recall", 1, authority=Authority.LLM_JUDGE)
    truth = score("question_recall", 0, authority=Authority.GOLDEN_TRUTH)
    assert settled([judge, truth]) == (truth,)
    assert settled([truth, judge]) == (truth,)
    assert measure(METRICS.get("question_recall"), [judge, truth]).value == 0


def test_a_missing_score_of_high_authority_leaves_what_is_there() -> None:
    gone = score("question_recall", None, authority=Authority.DETERMINISTIC)
    judge = score("question_recall", 1, authority=Authority.LLM_JUDGE)
    assert settled([gone, judge]) == (judge,)


def test_more_hits_than_counted_is_an_error_and_no_share() -> None:
    with pytest.raises(RuleBroken, match="is no share"):
        measure(METRICS.get("question_recall"), [score("question_recall", 5, 4)])


def test_a_score_of_a_name_that_nobody_registered_is_an_error() -> None:
    with pytest.raises(UnknownName, match="no metric 'recall_of_questions'"):
        measured([score("recall_of_questions", 1)])


def test_two_metrics_of_one_name_are_an_error() -> None:
    registry = Registry()
    registry.add(Metric(name="a", area="x", counted="hits"))
    registry.add(Metric(name="a", area="x", counted="hits"))
    with pytest.raises(RuleBroken, match="two metrics"):
        registry.add(Metric(name="a", area="x", counted="something else"))


def test_a_delta_is_the_mean_difference_of_cases_with_both_groups_and_a_lone_one_is_missing() -> None:
    metric = Metric(name="impact", area="skills", sort="delta", counted="B - A", among="cases")
    pairs = {"one": (0.7, 0.75), "two": (0.8, 0.6)}
    made = [score("impact", value, case=name, group=group) for name, both in pairs.items() for group, value in zip("AB", both, strict=True)]
    told: Measured = measure(metric, [*made, score("impact", 1, case="three", group="B")])
    assert (told.value, told.of, told.missing) == (Decimal("-0.075"), 2, 1)


def test_a_curve_is_a_rate_by_place() -> None:
    metric = Metric(name="curve", area="length", sort="curve", counted="recalled", among="asked")
    told = measure(metric, [score("curve", 4, 4, case="a", at="4k"), score("curve", 1, 4, case="b", at="64k")])
    assert told.value == Decimal("0.625")
    assert [(point.at, point.value) for point in told.points] == [("4k", Decimal(1)), ("64k", Decimal("0.25"))]
