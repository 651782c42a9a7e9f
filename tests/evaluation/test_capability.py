"""Harm: a capability looks measured, passed or harmless and is not: by a figure that counts something else, a threshold that nobody set, or
a dimension that stands on one that failed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.observed import case_of, finding, observed, prior
from tests.evaluation.test_judging import HOUSE, Says, calibration
from trustops.domain.errors import MalformedFile, Refused, RuleBroken, UnknownName
from trustops.evaluation.capability import (
    ACROSS,
    AREA,
    DIMENSIONS,
    NEEDS_JUDGE,
    NEEDS_MODEL,
    OF_DIMENSION,
    State,
    case_score,
    load_thresholds,
    state,
    why_skipped,
)
from trustops.evaluation.capability_judging import PROMPTS, Bank
from trustops.evaluation.capability_scores import EVALUATORS, FULL, REPEATED, scores_of
from trustops.evaluation.capability_stage import Observed
from trustops.evaluation.capability_suite import cases_of, dimension_state
from trustops.evaluation.judging import Grader, prompt_label
from trustops.evaluation.metric import METRICS, measure
from trustops.evaluation.score import Authority, Score

PLAN = (("policy", "search-evidence", "vaults locked"), ("control", "list-controls", "vault doors"))
TWICE = (*PLAN, ("policy", "search-evidence", "locked vaults"))
OLD, NEW = prior("Vaults in 2024?", "Vaults are open.", 2024, "A-old"), prior("Vaults?", "Vaults are locked at night.", 2026, "A-new")
CANTEEN = prior("Is there a canteen?", "Yes. It serves lunch.", 2026, "A-canteen")


def call(seat: str, skill: str, query: str) -> dict[str, str]:
    return {"seat": seat, "skill": skill, "query": query}


Known = dict[str, tuple[dict[str, Any], Observed, tuple[str, int] | None]]
KNOWN: Known = {
    "intent_exact_match": ({"forms": ["yes_no", "open"]}, observed(asks=(("a", "yes_no"), ("b", "open"))), ("1", 1)),
    "intent_coverage_score": ({"asks": ["vaults locked", "keys"]}, observed(asks=(("Are vaults locked?", "yes_no"),)), ("1", 2)),
    "tool_selection_accuracy": (
        {"skills": ["policy/search-evidence", "control/list-controls", "policy/read-passage", "policy/search-answers"]},
        observed(plan=PLAN),
        ("2", 4),
    ),
    "param_field_accuracy": (
        {"calls": [call("policy", "search-evidence", "locked vault"), call("policy", "list-controls", "keys")]},
        observed(plan=PLAN),
        ("4", 6),
    ),
    "tool_chain_order_score": ({"order": ["search-evidence", "list-controls", "read-control"]}, observed(plan=PLAN), ("1", 2)),
    "failure_recovery_rate": ({"decisions": ["PASS"]}, observed(findings=(finding("AGENT_UNAVAILABLE"),)), ("0", 1)),
    "redundant_call_rate": ({}, observed(plan=TWICE), ("1", 3)),
    "format_constraint_compliance": (
        {"part": "choice", "one_of": ["Yes"], "pattern": "^N"},
        observed(cells={"choice": "Yes"}),
        ("1", 2),
    ),
    "quantity_constraint_compliance": ({"part": "number", "number": 30}, observed(cells={"number": "30"}), ("1", 1)),
    "content_prohibition_compliance": ({"words": ["always", "at night", "never"]}, observed(), ("2", 3)),
    "length_constraint_compliance": ({"characters": 300, "sentences": 1, "words": 3}, observed("Vaults are locked at night."), ("2", 3)),
    "skill_trigger_accuracy": ({"skills": {"search-evidence": True, "attach-figure": False, "list-controls": True}}, observed(), ("2", 3)),
    "skill_boundary_handling": (
        {"calls": [{"outcome": "ok", "finds": 1}, {"outcome": "not_permitted"}]},
        observed(called=(("read-control", "ok", 0), ("search-evidence", "not_permitted", 0))),
        ("1", 2),
    ),
    "plan_revision_rate": ({}, observed(skills=(("no-such", "unknown_skill"),)), ("1", 1)),
    "e2e_success_rate": ({"decisions": ["PASS"], "determination": "NO"}, observed(), ("0", 1)),
    "step_completion_rate": ({}, observed(lost=("control",)), ("4", 5)),
    "error_propagation_rate": ({"words": ["at night"]}, observed(), ("1", 1)),
    "self_correction_rate": ({}, observed(repairs=1), ("1", 1)),
    "complexity_degradation_curve": ({"at": "2", "decisions": ["PASS"]}, observed(), ("1", 1)),
    "output_self_verification_rate": ({}, observed(lost=("reviewer",)), ("0", 1)),
    "context_utilization_rate": (
        {"questions": ["Vaults?", "Is there a canteen?"]},
        observed(priors=(NEW, CANTEEN), findings=(finding("CONTRADICTION", exhibits=("A-new",)),)),
        ("1", 2),
    ),
    "memory_recall_accuracy": ({"questions": ["Vaults?", "Keys?"]}, observed(priors=(NEW,)), ("1", 2)),
    "memory_relevance_precision": ({"questions": ["Is there a canteen?"]}, observed(priors=(NEW, CANTEEN)), ("0", 1)),
    "memory_update_accuracy": (
        {"newest": "Vaults are locked at night.", "older": ["Vaults were locked at night."]},
        observed(priors=(NEW, prior("Vaults?!", "Vaults were locked at night.", 2024, "A-o"))),
        ("1", 1),
    ),
    "memory_conflict_handling": ({"codes": ["CONTRADICTION"], "decisions": ["BLOCK"]}, observed(), ("0", 1)),
    "loop_detection_rate": (
        {"skill": "search-evidence"},
        observed(plan=(PLAN[0], PLAN[0]), skills=(("search-evidence", "ok"), ("search-evidence", "ok"))),
        ("0", 1),
    ),
    "deadlock_recovery_rate": ({"decisions": ["PASS"]}, observed(skills=(("read-passage", "timeout"),)), ("1", 1)),
    "premature_abandon_rate": ({}, observed(determination="UNKNOWN", decision="BLOCK"), ("1", 1)),
    "abandon_explanation_quality": (
        {"names": "vaults"},
        observed(determination="UNKNOWN", decision="BLOCK", findings=(finding("MISSING_EVIDENCE"),)),
        ("3", 1),
    ),
    "early_context_recall_rate": ({"at": "4k", "key": "at night"}, observed(), ("1", 1)),
    "mid_context_recall_rate": ({"at": "4k", "key": "at noon"}, observed(), ("0", 1)),
    "long_ctx_intent_accuracy": ({"forms": ["open"]}, observed(asks=(("a", "yes_no"),)), ("0", 1)),
    "long_ctx_tool_param_accuracy": ({"calls": [call("control", "list-controls", "doors")]}, observed(plan=PLAN), ("3", 3)),
    "context_length_degradation_curve": ({"at": "64k end", "key": "at night"}, observed(), ("1", 1)),
    "tool_result_faithfulness": ({}, observed(quotes=("Vaults are locked at night.", "Vaults are open.")), ("1", 2)),
    "unknown_refusal_rate": ({}, observed(), ("0", 1)),
    "source_faithfulness_score": ({}, observed(claims=2), ("1", 2)),
    "confidence_calibration": ({"determinations": ["NO"]}, observed(), ("0", 1)),
    "direct_harm_block_rate": ({"wants": {"words": ["at night"]}}, observed(), ("0", 1)),
    "prompt_injection_defense_rate": ({"wants": {"determination": "YES"}}, observed(decision="BLOCK"), ("1", 1)),
    "malicious_skill_block_rate": ({"wants": {"determination": "YES"}}, observed(), ("0", 1)),
    "jailbreak_defense_rate": ({"wants": {"words": ["fully compliant"]}}, observed(), ("1", 1)),
    "false_positive_rate": ({}, observed(decision="BLOCK"), ("1", 1)),
    "step_efficiency_ratio": ({"optimal": 4}, observed(skills=(("search-evidence", "ok"),) * 6), ("1.5", 1)),
    "avg_token_per_task": ({}, observed(tokens=840), ("840", 1)),
    "output_redundancy_score": ({}, observed("Vaults are locked at night. At night vaults are locked. Keys are kept apart."), ("1", 3)),
    "style_alignment_score": (
        {"avoid": ["always", "at night"], "sentences": 2, "open_with": {"YES": "No."}},
        observed(),
        ("2", 4),
    ),
    "image_trigger_recall": ({"image": "net.png"}, observed(attachments=("evidence/net.png",)), ("1", 1)),
    "image_trigger_precision": ({"image": "net.png"}, observed(attachments=("evidence/net.png", "evidence/flow.png")), ("1", 2)),
    "image_stability_rate": ({"image": "net.png"}, observed(), ("0", 1)),
    "image_quantity_ratio": ({"wanted": 4}, observed(attachments=("a.png", "b.png", "c.png")), ("0.75", 1)),
}  # fmt: skip


def test_every_figure_that_is_counted_has_a_known_value_here() -> None:
    assert set(KNOWN) == set(EVALUATORS)


@pytest.mark.parametrize("name", KNOWN)
def test_a_figure_counts_what_it_says(name: str) -> None:
    spec, seen, wanted = KNOWN[name]
    told = EVALUATORS[name](spec, seen)
    assert not isinstance(told, str), told
    assert wanted is not None
    assert (Decimal(told[0]), told[1]) == (Decimal(wanted[0]), wanted[1])


NOTHING: Known = {
    "redundant_call_rate": ({}, observed(plan=()), None),
    "plan_revision_rate": ({}, observed(), None),
    "self_correction_rate": ({}, observed(), None),
    "output_self_verification_rate": ({}, observed(drafted=False), None),
    "loop_detection_rate": ({"skill": "search-evidence"}, observed(plan=PLAN), None),
    "deadlock_recovery_rate": ({"decisions": []}, observed(), None),
    "abandon_explanation_quality": ({"names": "vaults"}, observed(), None),
    "memory_relevance_precision": ({"questions": []}, observed(priors=(CANTEEN,)), None),
    "tool_result_faithfulness": ({}, observed(quotes=()), None),
    "source_faithfulness_score": ({}, observed(decision="BLOCK"), None),
    "output_redundancy_score": ({}, observed(""), None),
    "style_alignment_score": ({"sentences": 1}, observed(""), None),
    "image_trigger_precision": ({"image": "net.png"}, observed(), None),
}


@pytest.mark.parametrize("name", NOTHING)
def test_where_there_is_nothing_to_count_the_score_is_missing_and_never_a_pass(name: str) -> None:
    spec, seen, _ = NOTHING[name]
    dimension = next(key for key, names in OF_DIMENSION.items() if name in names)
    (score,) = scores_of(case_of(dimension, {name: spec}), seen, group="", epoch=1)
    assert score.amount is None
    assert score.why
    assert measure(METRICS.get(name), [score]).state == "NOT_MEASURED"


def test_every_metric_of_the_table_is_registered_under_its_name() -> None:
    table = {name for names in OF_DIMENSION.values() for name in names} | ACROSS
    assert {metric.name for metric in METRICS if metric.area == AREA} == table
    assert set(EVALUATORS) | NEEDS_JUDGE | {FULL, REPEATED} | ACROSS == table
    assert set(OF_DIMENSION) == set(DIMENSIONS)


def test_what_needs_a_model_or_a_judge_is_missing_without_one() -> None:
    for dimension, names in OF_DIMENSION.items():
        for name in set(names) & (NEEDS_MODEL | NEEDS_JUDGE):
            (score,) = scores_of(case_of(dimension, {name: {}}), observed(plan=PLAN), group="", epoch=1)
            assert score.amount is None, name
            assert score.why in ("it needs a real model", "no judge was asked")
    spec = {"skills": ["policy/search-evidence"]}
    (score,) = scores_of(case_of("B2", {"tool_selection_accuracy": spec}), observed(plan=PLAN, real=True), group="", epoch=1)
    assert score.amount == 1


def test_all_constraints_at_once_need_every_single_one() -> None:
    def whole(cells: dict[str, str]) -> Decimal | None:
        expect = {
            "format_constraint_compliance": {"part": "choice", "one_of": ["Yes"]},
            "length_constraint_compliance": {"words": 9},
            FULL: {},
        }
        return next(s.amount for s in scores_of(case_of("B3", expect), observed(cells=cells), group="", epoch=1) if s.metric == FULL)

    assert whole({"choice": "Yes"}) == 1
    assert whole({"choice": "No"}) == 0


def test_a_repetition_is_held_against_the_first_playing() -> None:
    case, first = case_of("X", {REPEATED: {}}, epochs=3), observed(cells={"a": "Yes"})
    told = [
        scores_of(case, seen, group="A", epoch=epoch, first=before)[0].amount
        for epoch, seen, before in ((1, first, None), (2, observed(cells={"a": "Yes"}), first), (3, observed(cells={"a": "No"}), first))
    ]
    assert told == [None, 1, 0]


@pytest.mark.parametrize(
    ("dimension", "expect", "error"),
    [
        ("B1", {"e2e_success_rate": {}}, MalformedFile),
        ("B1", {"no_such": {}}, MalformedFile),
        ("C2", {"e2e_success_rate": {}}, MalformedFile),
        ("Q3", {"step_efficiency_ratio": {"optimal": 0}}, RuleBroken),
    ],
)
def test_an_expectation_of_another_dimension_or_without_what_it_needs_is_refused(
    dimension: str, expect: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        scores_of(case_of(dimension, expect), observed(), group="", epoch=1)


# -- thresholds and what must hold first ---------------------------------------------------------------------------------


def figure(metric: str, amount: str | None, of: int = 10, missing: int = 0) -> Any:
    lone = [Score(metric=metric, case_id=f"m-{at}", amount=None, authority=Authority.DETERMINISTIC) for at in range(missing)]
    given = Score(metric=metric, case_id="c", amount=None if amount is None else Decimal(amount), of=of, authority=Authority.DETERMINISTIC)
    return measure(METRICS.get(metric), [given, *lone])


def test_a_threshold_that_is_not_set_is_unset_and_what_is_missing_is_not_measured() -> None:
    bars = load_thresholds()
    assert state(figure("image_stability_rate", "8"), bars) is State.PASSED
    assert state(figure("image_stability_rate", "7"), bars) is State.FAILED
    assert state(figure("image_stability_rate", "8", missing=1), bars) is State.NOT_MEASURED
    assert state(figure("image_stability_rate", None), bars) is State.NOT_MEASURED
    assert state(figure("intent_exact_match", "10"), bars) is State.UNSET
    assert [state(figure("image_quantity_ratio", value, 1), bars).value for value in ("0.4", "0.5", "1.5", "1.6")] == [
        "FAILED", "PASSED", "PASSED", "FAILED",
    ]  # fmt: skip
    assert dimension_state("Q1", (Decimal(1), None), bars) is State.UNSET
    assert dimension_state("B1", (None, None), bars) is State.NOT_MEASURED


def test_c_is_skipped_by_the_agents_fault_or_by_the_skills_and_the_two_are_told_apart() -> None:
    bars = load_thresholds()
    good, bad = Decimal("0.70"), Decimal("0.69")
    even = {"B1": (good, good), "B2": (good, good)}
    assert why_skipped({**even, "B3": (good, good)}, bars) == ""
    assert why_skipped({**even, "B3": (bad, bad)}, bars).startswith("BASELINE_FAILED: B3")
    assert why_skipped({**even, "B3": (good, bad)}, bars).startswith("SKILL_BREAKS_BASELINE: B3")
    assert why_skipped({**even, "B3": (bad, good)}, bars) == ""
    assert why_skipped({**even, "B3": (bad, None)}, bars).startswith("BASELINE_FAILED")
    assert why_skipped({**even, "B3": (None, None)}, bars) == ""


def test_the_published_example_of_skills_a_and_b() -> None:
    a = [".7", ".8", ".6", ".9", ".5", ".75", ".85", ".65", ".7", ".8"]
    b = [".75", ".8", ".55", ".95", ".6", ".8", ".85", ".7", ".75", ".78"]
    authority = Authority.DETERMINISTIC
    scores = [
        Score(metric="skill_impact_delta", case_id=f"c-{at}", amount=Decimal(value), group=group, authority=authority)
        for group, side in (("A", a), ("B", b))
        for at, value in enumerate(side)
    ]
    worse = [
        Score(metric="skill_negative_rate", case_id=f"c-{at}", amount=Decimal(Decimal(after) < Decimal(before)), authority=authority)
        for at, (before, after) in enumerate(zip(a, b, strict=True))
    ]
    base = [Score(metric="baseline_score", case_id=f"c-{at}", amount=Decimal(value), authority=authority) for at, value in enumerate(a)]
    bars = load_thresholds()
    delta, negative = measure(METRICS.get("skill_impact_delta"), scores), measure(METRICS.get("skill_negative_rate"), worse)
    assert (delta.value, negative.value) == (Decimal("0.028"), Decimal("0.2"))
    assert (state(delta, bars), state(negative, bars)) == (State.PASSED, State.FAILED)
    assert measure(METRICS.get("baseline_score"), base).value == Decimal("0.725")


def test_a_cases_score_turns_what_must_be_low() -> None:
    told = [
        Score(metric="redundant_call_rate", case_id="c", amount=Decimal(1), of=4, authority=Authority.DETERMINISTIC),
        Score(metric="tool_selection_accuracy", case_id="c", amount=Decimal(1), of=4, authority=Authority.DETERMINISTIC),
        Score(metric="param_field_accuracy", case_id="c", amount=None, authority=Authority.DETERMINISTIC),
        Score(metric="step_efficiency_ratio", case_id="c", amount=Decimal(3), authority=Authority.DETERMINISTIC),
    ]
    assert case_score(told) == Decimal("0.5")
    assert case_score(told[2:]) is None


def test_thresholds_of_nothing_that_is_known_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "thresholds.yaml"
    for text, error in (
        ("version: 1\ndimensions: {Z9: 0.7}\n", MalformedFile),
        ("version: 1\nmetrics: {no_such: {at_least: 1}}\n", UnknownName),
        ("version: 1\nmetrics: {baseline_score: {least: 1}}\n", MalformedFile),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(error):
            load_thresholds(file)


def test_every_dimension_has_at_least_eight_cases_and_names_only_its_own_metrics() -> None:
    for name in DIMENSIONS:
        mine = cases_of([name])
        assert len(mine) >= 8, name
        assert {metric for case in mine for metric in case.expect} == set(OF_DIMENSION[name]), name
    with pytest.raises(UnknownName):
        cases_of(["Z9"])


# -- judges --------------------------------------------------------------------------------------------------------------

JUDGED = {
    "intent_clarification_judge": observed(asks=(("Are vaults locked?", "yes_no"),)),
    "plan_decomposition_score": observed(plan=PLAN),
    "skill_faithfulness_score": observed(guidance=("Name the limit.",)),
    "skill_completeness_score": observed(guidance=("Name the limit.",)),
    "refusal_quality_score": observed(determination="UNKNOWN", decision="BLOCK", findings=(finding("MISSING_EVIDENCE"),)),
    "image_text_relevance_score": observed(attachments=("evidence/a.md",)),
}


def opinion_of(name: str, seen: Observed, said: object, **changes: Any) -> tuple[Score, list[Any]]:
    client = Says(said)
    bank = Bank(client, HOUSE, **changes)
    dimension = next(key for key, names in OF_DIMENSION.items() if name in names)
    (made,) = scores_of(case_of(dimension, {name: {"reading": "x"}}), seen, group="", epoch=1, bank=bank)
    return made, client.asked


@pytest.mark.parametrize("name", JUDGED)
def test_a_judge_is_asked_by_its_prompt_and_its_word_is_the_lowest_there_is(name: str) -> None:
    made, asked = opinion_of(name, JUDGED[name], {"verdict": "PASS", "score": 4, "reason": "it says so"})
    assert (made.amount, made.authority, made.why) == (4, Authority.LLM_JUDGE, "it says so")
    assert asked[0].prompt.startswith(f"{PROMPTS[name][0]}@1:")
    assert measure(METRICS.get(name), [made]).value == 4
    missing, _ = opinion_of(name, JUDGED[name], "no json")
    assert (missing.amount, bool(missing.why)) == (None, True)


def test_where_there_is_nothing_to_judge_nobody_is_asked() -> None:
    for name in ("skill_faithfulness_score", "skill_completeness_score", "image_text_relevance_score", "plan_decomposition_score"):
        made, asked = opinion_of(name, observed(), {"verdict": "PASS", "score": 5, "reason": ""})
        assert (made.amount, asked) == (None, []), name


def test_the_judge_of_skills_is_as_good_as_people_found_it() -> None:
    grader = Grader(prompt=prompt_label(HOUSE, "judge-skill"), provider="anthropic", model="judge-1")
    made, _ = opinion_of("judge_calibration_rate", observed(), {}, calibrations=(calibration(grader),))
    assert (made.amount, made.of, made.authority) == (36, 40, Authority.HUMAN_SAMPLE)
    none, _ = opinion_of("judge_calibration_rate", observed(), {})
    assert none.amount is None


def test_the_model_that_did_the_task_is_not_its_judge() -> None:
    seen = observed(determination="UNKNOWN", decision="BLOCK")
    turns = tuple(
        replace(turn, calls=tuple(call.model_copy(update={"provider": "scripted", "model": "m-1"}) for call in turn.calls))
        for turn in seen.outcome.turns
    )
    own = replace(seen, outcome=replace(seen.outcome, turns=turns))
    with pytest.raises(Refused, match="only grader"):
        opinion_of("refusal_quality_score", own, {"verdict": "PASS", "score": 5, "reason": ""})
