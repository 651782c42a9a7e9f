"""Harm: figures of citations and claims that are computed from something else than what stands in the books."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checks.bench import AT, claim, control, dossier, passage, prior, snapshot
from trustops.checks.drift import evaluate
from trustops.domain.answer import Determination
from trustops.domain.authenticity import SourceMode
from trustops.domain.claim import Basis, Claim
from trustops.evaluation.claims import MODES, apart, entailed, of_answer, of_readings, well_formed
from trustops.evaluation.costs import costs
from trustops.evaluation.score import Score

QUESTION = "Are vault doors locked?"
PAPER = passage("Vault doors are locked at 20:00.\nKeys are kept by 2 people.", name="P-1")
EARLIER = prior("Are doors locked?", "Yes. Vault doors are locked.")
READING = evaluate(control(), snapshot({"locked": 4, "doors": 4}), AT)
CASE = dossier(QUESTION, PAPER, EARLIER, READING)
HELD = {"P-1", "A-1", READING.id}


def figures(scores: Any) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for score in scores:
        assert isinstance(score, Score)
        hits, of = found.get(score.metric, (0, 0))
        found[score.metric] = hits + int(score.amount or 0), of + score.of
    return found


def answered(*claims: Claim, says: Determination = Determination.YES) -> dict[str, tuple[int, int]]:
    answer, record = SimpleNamespace(claims=claims, determination=says), SimpleNamespace(dossier=CASE)
    return figures(of_answer("c", answer, record, HELD))  # type: ignore[arg-type]


GOOD = claim("Vault doors are locked at 20:00.", ("P-1", "Vault doors are locked at 20:00."))
BARE = claim("Vault doors are blessed.")
FORGED = claim("Vault doors are locked.", ("P-9", "Vault doors are locked."))
ALTERED = claim("Vault doors are locked at 21:00.", ("P-1", "Vault doors are locked at 21:00."))
BEYOND = claim("Keys are kept by 3 people.", ("P-1", "Keys are kept by 2 people."))


def test_each_figure_of_an_answer_has_its_known_value() -> None:
    told = answered(GOOD, BARE, FORGED, ALTERED, BEYOND)
    assert told == {
        "citation_coverage": (2, 5),
        "unsupported_assertion": (3, 5),
        "unsupported_affirmative": (3, 5),
        "policy_reality_separation": (3, 5),
        "citation_entailment": (1, 2),
        "citation_validity": (2, 4),
        "hallucinated_evidence_id": (1, 4),
    }


def test_a_no_is_no_affirmative_of_this_figure_and_its_claims_count_as_assertions() -> None:
    told = answered(GOOD, BARE, says=Determination.NO)
    assert told["unsupported_assertion"] == (1, 2)
    assert "unsupported_affirmative" not in told


def test_an_answer_without_claims_says_nothing() -> None:
    assert answered() == {}


@pytest.mark.parametrize(
    ("basis", "exhibit", "quote", "ok"),
    [
        (Basis.REALITY, READING.id, READING.says, True),
        (Basis.REALITY, "P-1", "Keys are kept by 2 people.", False),
        (Basis.POLICY, "P-1", "Keys are kept by 2 people.", True),
        (Basis.POLICY, READING.id, READING.says, False),
        (Basis.HISTORY, "A-1", "Vault doors are locked.", True),
        (Basis.HISTORY, "nothing", "x", False),
    ],
)
def test_policy_and_reality_are_kept_apart(basis: Basis, exhibit: str, quote: str, ok: bool) -> None:
    told = claim("Said.", (exhibit, quote)).model_copy(update={"basis": basis})
    assert apart(told, CASE) is ok


@pytest.mark.parametrize(
    ("text", "quote", "ok"),
    [
        ("TLS 1.3 is used.", "TLS 1.3 is used.", True),
        ("TLS 1.3 is used.", "TLS 1.2 is used.", False),
        ("Logs are kept 30 days.", "Logs are kept for 30 days.", True),
        ("BYOK is offered.", "Keys are offered.", False),
        ("Doors are shut.", "Doors are shut.", True),
    ],
)
def test_typed_words_of_a_claim_stand_in_its_quotes(text: str, quote: str, ok: bool) -> None:
    assert entailed(claim(text, ("P-1", quote))) is ok


def reading(**changes: Any) -> Any:
    return READING.model_copy(update={"snapshot": READING.snapshot.model_copy(update=changes)}) if READING.snapshot else None


def test_a_reading_by_its_declared_collector_counts_in_every_figure() -> None:
    told = figures(of_readings("c", [READING]))
    assert told == {
        "adapter_selection": (1, 1),
        "source_mode_accuracy": (1, 1),
        "snapshot_schema_validity": (1, 1),
        "mock_reported_as_live": (0, 1),
    }


def test_a_reading_that_calls_itself_live_or_was_made_by_another_collector_is_counted() -> None:
    told = figures(of_readings("c", [reading(source_mode=SourceMode.LIVE), reading(collector="http")]))
    assert told["mock_reported_as_live"] == (1, 2)
    assert told["adapter_selection"] == (1, 2)
    assert told["source_mode_accuracy"] == (1, 2)


def test_a_snapshot_from_the_future_of_its_collection_or_without_values_is_not_well_formed() -> None:
    assert READING.snapshot is not None
    assert well_formed(READING.snapshot)
    assert not well_formed(READING.snapshot.model_copy(update={"values": {}}))
    assert not well_formed(READING.snapshot.model_copy(update={"observed_at": READING.snapshot.collected_at + timedelta(seconds=1)}))


def test_the_modes_written_here_are_those_of_the_collectors() -> None:
    from trustops.collectors.registry import COLLECTORS

    assert {name: collector.source_mode for name, collector in COLLECTORS.items()} == MODES


def call(seat: str, **told: Any) -> dict[str, Any]:
    return {"seat": seat, "tokens_in": 100, "tokens_out": 20, "attempts": 1, "latency_ms": 30, "cost_usd": "0.010"} | told


def test_costs_have_their_known_values_and_money_is_told_only_where_every_price_is_known() -> None:
    whole = {"model_calls": [call("policy"), call("answer", attempts=3, latency_ms=50)]}
    scores = list(costs("c", [whole, whole], review=True))
    by_name = {name: [s.amount for s in scores if s.metric == name] for name in {s.metric for s in scores}}
    assert by_name["model_calls"] == [4]
    assert by_name["tokens"] == [480]
    assert by_name["retries"] == [4]
    assert by_name["latency_per_agent"] == [30, 50, 30, 50]
    assert by_name["cost_per_question"] == [Decimal("0.020")] * 2
    assert by_name["cost_per_review"] == [Decimal("0.040")]
    unpriced = {"model_calls": [call("policy"), call("answer", cost_usd=None)]}
    assert not [s for s in costs("c", [unpriced], review=True) if s.metric.startswith("cost")]
