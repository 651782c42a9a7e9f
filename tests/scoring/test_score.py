"""Harm: another program computes another score, or a forged, altered or senseless one counts."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.domain.errors import RuleBroken
from trustops.scoring import score, signal
from trustops.scoring.score import (
    Evaluation,
    Rubric,
    calculate_reputation,
    create_audit_entry,
    create_rubric,
    evaluate,
    verify_audit_entry,
    verify_evaluation,
)

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors" / "score_vectors.json").read_text("utf-8"))
RUBRIC = Rubric.model_validate(VECTORS["rubric"])
EVALUATIONS = {row["uuid"]: Evaluation.model_validate(row["evaluation"]) for row in VECTORS["evaluations"]}


def rubric_of(row: dict[str, Any]) -> Rubric:
    return Rubric.model_validate(row["rubric"]) if "rubric" in row else RUBRIC


@pytest.mark.parametrize("row", VECTORS["evaluations"], ids=lambda row: row["label"])
def test_evaluations_are_those_of_the_original(row: dict[str, Any]) -> None:
    made = evaluate(
        rubric_of(row), row["agentId"], row["outputRef"], row["scores"], row["evaluatedBy"], row["secret"],
        now=row["now"], id=row["uuid"], notes=row["evaluation"].get("notes"),
    )  # fmt: skip
    assert made.json_form() == row["evaluation"]
    assert list(made.json_form()) == list(row["evaluation"]), "JSON has an order"
    assert create_audit_entry(made, row["secret"]).json_form() == row["audit"]
    assert verify_evaluation(made, row["secret"], rubric_of(row))
    assert verify_audit_entry(create_audit_entry(made, row["secret"]), row["secret"])


@pytest.mark.parametrize("row", VECTORS["reputations"], ids=lambda row: row["label"])
def test_reputations_are_those_of_the_original(row: dict[str, Any]) -> None:
    chosen = [EVALUATIONS[name] for name in row["evaluationIds"]]
    made = calculate_reputation(row["agentId"], chosen, row["decayRate"], row["asOf"])
    assert made.json_form() == row["result"]


@pytest.mark.parametrize("row", VECTORS["toFixed6"], ids=lambda row: row["repr"])
def test_six_decimals_are_those_of_the_original(row: dict[str, Any]) -> None:
    assert score.six_decimals(row["value"]) == row["toFixed6"]


@pytest.mark.parametrize("row", VECTORS["weights"], ids=lambda row: str(row["ageDays"]))
def test_weights_decay_as_in_the_original(row: dict[str, Any]) -> None:
    assert math.exp(-score.DECAY * row["ageDays"]) == pytest.approx(row["weight"], abs=1e-16)


@pytest.mark.parametrize("row", [row for row in VECTORS["errors"] if isinstance(row["input"], list)], ids=lambda row: row["label"])
def test_rubrics_are_refused_where_the_original_refuses_them(row: dict[str, Any]) -> None:
    criteria = [{"name": f"c{at}", "description": "", "weight": weight} for at, weight in enumerate(row["input"])]
    drawn = iter(range(900, 1000))
    new_id = lambda: f"00000000-0000-4000-8000-000000000{next(drawn)}"  # noqa: E731
    if row["error"]:
        with pytest.raises(RuleBroken) as refused:
            create_rubric("x", criteria, new_id=new_id)
        assert refused.value.message == row["error"]
        assert refused.value.rule in {"no_criteria", "weights_sum"}
    else:
        assert create_rubric("x", criteria, new_id=new_id).json_form() == row["result"]


def test_rows_17_to_20() -> None:
    """The test table's own figures, whatever the vectors hold."""

    def rubric(*weights: float) -> Rubric:
        return create_rubric("x", [{"name": f"c{at}", "description": "", "weight": weight} for at, weight in enumerate(weights)])

    three = rubric(0.4, 0.3, 0.3)
    scores = dict(zip((each.id for each in three.criteria), (0.9, 0.85, 0.75), strict=True))
    assert score.composite_of(three, scores) == pytest.approx(0.84, abs=1e-12)
    assert [score.six_decimals(value) for value in (0.0078125, 0.1234565)] == ["0.007813", "0.123456"]
    decay = {0: 1, 30: 0.740818, 69: 0.501576, 69.3147: 0.5, 90: 0.406570, 365: 0.025991}
    as_of = 500 * score.DAY_MS
    for days, weight in decay.items():
        aged = score.reputation_of("a", [(1.0, round(as_of - days * score.DAY_MS)), (0.0, as_of)], score.DECAY, score.written(as_of))
        assert aged.score / (1 - aged.score) == pytest.approx(weight, abs=1e-6), days  # beside one of today, whose weight is 1
    assert len(rubric(0.5, 0.501).criteria) == 2
    for refused in ((0.5, 0.499), ()):
        with pytest.raises(RuleBroken):
            rubric(*refused)


def scores_of(row: dict[str, Any]) -> dict[str, float]:
    ids = [criterion.id for criterion in RUBRIC.criteria]
    if "nan" in row["input"]:
        return dict.fromkeys(ids, 1.0) | {ids[0]: math.nan}
    if "extra" in row["input"]:
        return dict.fromkeys(ids, 1) | {"zzz": 5}
    return dict(row["input"])


@pytest.mark.parametrize("row", [row for row in VECTORS["errors"] if isinstance(row["input"], dict)], ids=lambda row: row["label"])
def test_scores_are_refused_where_the_original_refuses_them(row: dict[str, Any]) -> None:
    """And where it lets something through that is no number: the one named deviation."""
    deviates = "nan" in row["input"]
    make = lambda: evaluate(  # noqa: E731
        RUBRIC, "a", "o", scores_of(row), "human", "s", now="2026-03-25T13:00:00.000Z", id="00000000-0000-4000-8000-000000000990"
    )
    if row["error"] or deviates:
        with pytest.raises(RuleBroken) as refused:
            make()
        assert refused.value.message == (row["error"] or "Score for 'accuracy' must be a number, got nan")
        assert refused.value.rule == {"missing score": "missing_score"}.get(row["label"], "not_a_number" if deviates else "score_range")
    else:
        assert make().json_form() == {**row["result"], "scores": scores_of(row)}


@pytest.mark.parametrize("bad", [math.inf, -math.inf, True, "1", None], ids=repr)
def test_what_is_no_score_is_refused(bad: Any) -> None:
    scores = {criterion.id: 1.0 for criterion in RUBRIC.criteria} | {RUBRIC.criteria[1].id: bad}
    with pytest.raises(RuleBroken, match="clarity"):
        evaluate(RUBRIC, "a", "o", scores, "human", "s")


@pytest.mark.parametrize("field", ["id", "agent_id", "output_ref", "composite_score", "evaluated_at", "scores", "rubric_id"])
def test_an_altered_evaluation_does_not_verify(field: str) -> None:
    made = evaluate(RUBRIC, "a", "o", {c.id: 0.5 for c in RUBRIC.criteria}, "human", "secret")
    changed = {"composite_score": 0.9, "scores": {c.id: 0.9 for c in RUBRIC.criteria}}.get(field, "other")
    assert verify_evaluation(made, "secret", RUBRIC)
    assert not verify_evaluation(made, "another secret", RUBRIC)
    assert not verify_evaluation(made.model_copy(update={field: changed}), "secret", RUBRIC)


@pytest.mark.parametrize("field", ["evaluation_id", "agent_id", "composite_score", "timestamp"])
def test_an_altered_audit_entry_does_not_verify(field: str) -> None:
    entry = create_audit_entry(evaluate(RUBRIC, "a", "o", {c.id: 0.5 for c in RUBRIC.criteria}, "human", "secret"), "secret")
    changed = 0.9 if field == "composite_score" else "other"
    assert not verify_audit_entry(entry.model_copy(update={field: changed}), "secret")


@pytest.mark.parametrize("bad", ["yesterday", "2026-03-25T13:00:00", ""])
def test_an_instant_without_a_zone_is_refused(bad: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        evaluate(RUBRIC, "a", "o", {c.id: 0.5 for c in RUBRIC.criteria}, "human", "s", now=bad)
    assert refused.value.rule == "time"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 2), st.integers(0, 5000))
def test_a_reputation_lies_between_the_worst_and_the_best(composites: list[float], decay: float, days: int) -> None:
    """Where doubles can tell: a weight below their smallest normal one, of e to the power of -708, has lost its digits (the protocol is
    defined on doubles; with the usual decay that takes two centuries)."""
    decay = min(decay, 700 / (len(composites) + days))
    rows = [(composite, at * score.DAY_MS) for at, composite in enumerate(composites)]
    made = score.reputation_of("a", rows, decay, score.written((len(rows) + days) * score.DAY_MS))
    assert min(composites) - 1e-9 <= made.score <= max(composites) + 1e-9
    assert made.evaluation_count == len(rows)


def test_weights_that_are_too_small_to_be_told_from_nothing_give_nothing_as_in_the_original() -> None:
    assert score.reputation_of("a", [(0.9, 0)], 2.0, score.written(5000 * score.DAY_MS)).score == 0


@pytest.mark.parametrize("row", VECTORS["signal_events"], ids=lambda row: row["event"]["topic"])
def test_events_are_those_of_the_original(row: dict[str, Any]) -> None:
    wanted = row["event"]
    made = signal.event(
        wanted["id"], wanted["topic"], wanted["publisher"], wanted["publishedAt"], wanted["payload"], row["secret"],
        key=wanted["idempotencyKey"],
    )  # fmt: skip
    assert made == wanted
    assert signal.verify_event(made, row["secret"])
    assert not signal.verify_event({**made, "publisher": "somebody"}, row["secret"])


@pytest.mark.parametrize("row", VECTORS["signal_topics"], ids=lambda row: f"{row['filter']} {row['topic']}")
def test_topics_match_as_in_the_original(row: dict[str, Any]) -> None:
    assert signal.matches(row["filter"], row["topic"]) is row["match"]


@pytest.mark.parametrize("row", VECTORS["amf_envelopes"], ids=["envelope"])
def test_envelopes_are_those_of_the_original(row: dict[str, Any]) -> None:
    wanted = row["envelope"]
    data, topic = wanted["payload"]["data"], wanted["payload"]["topic"]
    made = signal.envelope(wanted["id"], wanted["sender"], wanted["recipient"], wanted["sentAt"], topic, data, row["secret"])
    assert made == wanted
    message = {key: value for key, value in made.items() if key not in ("amf", "signature")}
    assert signal.canonical(message) == row["canonical"]
