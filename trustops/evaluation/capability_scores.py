"""The scores of a capability case: an expectation is a metric by name with what it needs to know, and each gives one score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from trustops.domain.errors import MalformedFile
from trustops.evaluation import capability_measures as measures
from trustops.evaluation.capability import NEEDS_JUDGE, NEEDS_MODEL, OF_DIMENSION
from trustops.evaluation.capability_judging import Bank
from trustops.evaluation.capability_measures import Counted, Spec
from trustops.evaluation.capability_stage import Observed
from trustops.evaluation.case import Case
from trustops.evaluation.score import Authority, Score

EVALUATORS: dict[str, Callable[[Spec, Observed], Counted]] = {
    "intent_exact_match": measures.intent_exact,
    "intent_coverage_score": measures.intent_coverage,
    "tool_selection_accuracy": measures.tool_selection,
    "param_field_accuracy": measures.param_fields,
    "tool_chain_order_score": measures.chain_order,
    "failure_recovery_rate": measures.failure_recovery,
    "redundant_call_rate": measures.redundant_calls,
    "format_constraint_compliance": measures.constraint_format,
    "quantity_constraint_compliance": measures.constraint_quantity,
    "content_prohibition_compliance": measures.content_prohibition,
    "length_constraint_compliance": measures.constraint_length,
    "skill_trigger_accuracy": measures.skill_trigger,
    "skill_boundary_handling": measures.skill_boundary,
    "plan_revision_rate": measures.plan_revision,
    "e2e_success_rate": measures.e2e,
    "step_completion_rate": measures.step_completion,
    "error_propagation_rate": measures.error_propagation,
    "self_correction_rate": measures.self_correction,
    "complexity_degradation_curve": measures.e2e,
    "output_self_verification_rate": measures.self_verification,
    "context_utilization_rate": measures.context_utilization,
    "memory_recall_accuracy": measures.memory_recall,
    "memory_relevance_precision": measures.memory_precision,
    "memory_update_accuracy": measures.memory_update,
    "memory_conflict_handling": measures.memory_conflict,
    "loop_detection_rate": measures.loop_detection,
    "deadlock_recovery_rate": measures.deadlock_recovery,
    "premature_abandon_rate": measures.premature_abandon,
    "abandon_explanation_quality": measures.abandon_explanation,
    "early_context_recall_rate": measures.recall,
    "mid_context_recall_rate": measures.recall,
    "long_ctx_intent_accuracy": measures.intent_exact,
    "long_ctx_tool_param_accuracy": measures.param_fields,
    "context_length_degradation_curve": measures.recall,
    "tool_result_faithfulness": measures.tool_faithfulness,
    "unknown_refusal_rate": measures.unknown_refusal,
    "source_faithfulness_score": measures.source_faithfulness,
    "confidence_calibration": measures.confidence,
    "direct_harm_block_rate": measures.defended,
    "prompt_injection_defense_rate": measures.defended,
    "malicious_skill_block_rate": measures.malicious_skill,
    "jailbreak_defense_rate": measures.defended,
    "false_positive_rate": measures.false_positive,
    "step_efficiency_ratio": measures.step_efficiency,
    "avg_token_per_task": measures.tokens,
    "output_redundancy_score": measures.output_redundancy,
    "style_alignment_score": measures.style_alignment,
    "image_trigger_recall": measures.image_recall,
    "image_trigger_precision": measures.image_precision,
    "image_stability_rate": measures.image_recall,
    "image_quantity_ratio": measures.image_quantity,
}
CONSTRAINTS = (
    "format_constraint_compliance",
    "quantity_constraint_compliance",
    "content_prohibition_compliance",
    "length_constraint_compliance",
)
REPEATED = "output_consistency_rate"
FULL = "multi_constraint_full_compliance"


def scores_of(
    case: Case, seen: Observed, *, group: str, epoch: int, first: Observed | None = None, bank: Bank | None = None
) -> tuple[Score, ...]:
    """The scores of one playing of a case, one for each of its expectations. `first` is the first playing of the same group, `bank` who
    judges, None for nobody."""
    judged = [name for name in case.expect if name in NEEDS_JUDGE] if bank is not None else []
    told = [_score(case, name, spec, seen, group, epoch, first) for name, spec in case.expect.items() if name not in (FULL, *judged)]
    told += [bank.opinion(name, case, seen, group=group, epoch=epoch) for name in judged if bank is not None]
    kept = {score.metric: score for score in told}
    if FULL in case.expect:
        parts = [kept[name] for name in CONSTRAINTS if name in kept]
        whole = all(score.amount is not None and score.amount == score.of for score in parts)
        told.append(_made(case, FULL, (int(whole), 1), group, epoch))
    return tuple(told)


def _score(case: Case, name: str, spec: Any, seen: Observed, group: str, epoch: int, first: Observed | None) -> Score:
    known = OF_DIMENSION.get(case.dimension, ())
    if name not in known:
        remedy = f"{case.dimension} measures {', '.join(known)}."
        raise MalformedFile(f"{case.case_id}: expect.{name} is no metric of {case.dimension}", where="golden/capability", remedy=remedy)
    if name in NEEDS_JUDGE:
        return _made(case, name, "no judge was asked", group, epoch)
    if name in NEEDS_MODEL and not seen.real:
        return _made(case, name, "it needs a real model", group, epoch)
    if name == REPEATED:
        same = first is not None and _same(first, seen)
        return _made(case, name, (int(same), 1) if epoch > 1 else "there is nothing to compare the first playing with", group, epoch)
    try:
        counted = EVALUATORS[name](spec if isinstance(spec, Mapping) else {}, seen)
    except (KeyError, TypeError, AttributeError, ValueError) as bad:
        raise MalformedFile(f"{case.case_id}: expect.{name} lacks or misspells {bad}", where="golden/capability") from bad
    at = str(spec.get("at", "")) if isinstance(spec, Mapping) else ""
    return _made(case, name, counted, group, epoch, at)


def _made(case: Case, name: str, counted: Counted, group: str, epoch: int, at: str = "") -> Score:
    told = {"metric": name, "case_id": case.case_id, "authority": Authority.DETERMINISTIC, "group": group, "epoch": epoch, "at": at}
    if isinstance(counted, str):
        return Score.model_validate(told | {"amount": None, "why": counted})
    return Score.model_validate(told | {"amount": Decimal(counted[0]), "of": counted[1]})


def _same(first: Observed, seen: Observed) -> bool:
    return (first.decision, first.determination, first.cells) == (seen.decision, seen.determination, seen.cells)
