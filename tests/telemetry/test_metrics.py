"""Harm: a number that says other than the record, under a name that no viewer knows any more, or with somebody's words beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_DELTA

from tests.conftest import House
from tests.telemetry.collecting import collector
from tests.telemetry.test_spans import traced
from trustops import assembly
from trustops.domain.measurement import Measurement
from trustops.domain.record import ModelCall
from trustops.telemetry.metrics import LEGACY_DURATION, LEGACY_TOKENS, OWN, measurements
from trustops.telemetry.otlp import metrics_endpoint, send_metrics

CURRENT = {
    "gen_ai.client.inference.duration", "gen_ai.client.inference.usage.input_tokens", "gen_ai.client.inference.usage.output_tokens",
    "gen_ai.client.inference.usage.cache_read.input_tokens", "gen_ai.client.inference.operation.input_tokens",
    "gen_ai.client.inference.operation.output_tokens", "gen_ai.invoke_agent.duration", "gen_ai.invoke_agent.inference_calls",
    "gen_ai.invoke_agent.tool_calls", "gen_ai.execute_tool.duration", "gen_ai.invoke_workflow.duration",
}  # fmt: skip


@pytest.fixture
def found(house: House) -> tuple[Measurement, ...]:
    return measurements(traced(house))


def calls_of(house: House) -> list[ModelCall]:
    return [call for models, _ in house.office.ledger.calls(house.review.id).values() for call in models]


def test_the_sums_are_those_of_the_record(house: House, found: tuple[Measurement, ...]) -> None:
    sums: dict[str, float] = defaultdict(float)
    for each in found:
        sums[each.name] += each.value
    calls = calls_of(house)
    assert sums["gen_ai.client.inference.usage.input_tokens"] == sum(call.tokens_in for call in calls)
    assert sums["gen_ai.client.inference.usage.output_tokens"] == sum(call.tokens_out for call in calls)
    assert sums["gen_ai.client.inference.duration"] == pytest.approx(sum(call.latency_ms for call in calls) / 1000)
    assert sums[OWN["attempts"]] == sum(call.attempts for call in calls)
    skills = [skill for _, tools in house.office.ledger.calls(house.review.id).values() for skill in tools]
    assert sums["gen_ai.invoke_agent.inference_calls"] == len(calls) == 20
    assert sums["gen_ai.invoke_agent.tool_calls"] == len(skills)
    decisions = Counter(each.attributes["trustops.decision"] for each in found if each.name == OWN["decisions"])
    records = house.office.ledger.latest_records(house.review.id).values()
    assert decisions == Counter(record.result.decision.value for record in records)


def test_the_names_are_the_current_ones_and_the_old_ones_only_when_asked(house: House, found: tuple[Measurement, ...]) -> None:
    names = {each.name for each in found}
    assert names >= CURRENT
    assert {name for name in names if name.startswith("gen_ai.")} == CURRENT
    old = {each.name for each in measurements(traced(house), legacy=True)} - names
    assert old == {LEGACY_DURATION, LEGACY_TOKENS} == {"gen_ai.client.operation.duration", "gen_ai.client.token.usage"}


def test_no_number_stands_beside_anybodys_words(found: tuple[Measurement, ...]) -> None:
    told = " ".join(str(value) for each in found for value in each.attributes.values()).lower()
    for said in ("full-disk", "encryption", "audit logs", "row-level", "laptop", "escrow", "card numbers", "k-1", "r-"):
        assert said not in told
    assert len({tuple(each.attributes.items()) for each in found}) < 40, "a number by question or run is a number of its own for ever"


def test_a_failed_call_counts_with_its_error(house: House) -> None:
    late = {"error.type": "timeout"}
    spans = [replace(s, ok=False, attributes={**s.attributes, **late}) if s.kind == "CLIENT" else s for s in traced(house)]
    tokens = [each for each in measurements(spans) if each.name.startswith("gen_ai.client.inference.usage")]
    assert tokens
    assert {(each.attributes["gen_ai.token.modality"], each.attributes["error.type"]) for each in tokens} == {("unknown", "timeout")}


def test_drift_is_told_as_an_evaluation_result(house: House) -> None:
    marks = [mark for span in traced(house) for mark in span.marks if mark.attributes["gen_ai.evaluation.name"] == "trustops.control"]
    told = [(mark.attributes["trustops.control"], mark.attributes["gen_ai.evaluation.score.label"]) for mark in marks]
    records = house.office.ledger.latest_records(house.review.id).values()
    assert told == [(r.control.id, r.evaluation.value) for record in records for r in record.dossier.readings] != []
    assert {mark.name for mark in marks} == {"gen_ai.evaluation.result"}


def test_a_collector_gets_what_the_run_added(house: House, found: tuple[Measurement, ...]) -> None:
    top = traced(house)[0]
    with collector() as (url, got):
        assert send_metrics(found, f"{url}/v1/metrics", start=top.start, end=top.end)
    request = ExportMetricsServiceRequest.FromString(got["/v1/metrics"][0])
    sent = {metric.name: metric for metric in request.resource_metrics[0].scope_metrics[0].metrics}
    assert set(sent) == {each.name for each in found}
    tokens = sent["gen_ai.client.inference.usage.input_tokens"].sum
    assert (tokens.is_monotonic, tokens.aggregation_temporality) == (True, AGGREGATION_TEMPORALITY_DELTA)
    assert sum(point.as_double or point.as_int for point in tokens.data_points) == sum(call.tokens_in for call in calls_of(house))
    durations = sent["gen_ai.client.inference.duration"].histogram
    assert sum(point.count for point in durations.data_points) == 20
    assert all(sum(point.bucket_counts) == point.count for point in durations.data_points)
    assert all(len(point.bucket_counts) == len(point.explicit_bounds) + 1 for point in durations.data_points)


def test_a_configured_collector_gets_both_and_a_refusal_is_told(house: House) -> None:
    run = house.office.ledger.runs(house.review.id)[-1]
    config = house.folder / "trustops.toml"
    before = config.read_text(encoding="utf-8")
    for status, said in ((200, "were sent to"), (400, "did not take")):
        with collector(status) as (url, got):
            config.write_text(f'{before}\n[telemetry]\nendpoint = "{url}/v1/traces"\n', encoding="utf-8")
            told = assembly.send_trace(house.office, run)
            assert (set(got), told.count(said)) == ({"/v1/traces", "/v1/metrics"}, 2), told


def test_where_metrics_go_is_read_off_the_address_of_traces() -> None:
    assert metrics_endpoint("http://c:4318/v1/traces") == "http://c:4318/v1/metrics"
    assert metrics_endpoint("http://c:4318/otlp") == ""
