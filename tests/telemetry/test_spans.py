"""Harm: a call that cannot be tied to its task and skill invocations, a trace with somebody's words in it, or one that stops a run."""

from __future__ import annotations

from collections import Counter

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.conftest import House
from tests.telemetry.collecting import collector
from trustops import assembly
from trustops.domain.errors import UsageError
from trustops.domain.span import Span
from trustops.telemetry.otlp import send
from trustops.telemetry.spans import spans, trace_id


def traced(house: House) -> tuple[Span, ...]:
    run = max(house.office.ledger.runs(house.review.id), key=lambda each: each.started_at)
    return assembly.trace(house.office, run)


def test_every_call_and_every_invocation_has_its_span_under_its_seat(house: House) -> None:
    made = traced(house)
    by_id = {span.span_id: span for span in made}
    assert len(by_id) == len(made)
    assert [span.name for span in made if not span.parent] == ["invoke_workflow questionnaire_review"]
    assert all(span.parent in by_id for span in made if span.parent)
    recorded = house.office.ledger.calls(house.review.id)
    calls = [call for models, _ in recorded.values() for call in models]
    skills = [skill for _, tools in recorded.values() for skill in tools]
    chats = {str(span.attributes["trustops.call"]): span for span in made if span.kind == "CLIENT"}
    tools = {str(span.attributes["gen_ai.tool.call.id"]): span for span in made if span.name.startswith("execute_tool")}
    assert set(chats) == {call.id for call in calls}
    assert set(tools) == {skill.id for skill in skills}
    for call in calls:
        seat = by_id[chats[call.id].parent]
        assert (seat.name, seat.attributes["trustops.task"]) == (f"invoke_agent {call.seat.title()}", call.task)
        assert chats[call.id].attributes["trustops.origin"] == "SCRIPTED"
    for skill in skills:
        assert by_id[tools[skill.id].parent].attributes["trustops.task"] == skill.task
    assert Counter(span.name for span in made if span.name.startswith("invoke_agent")) == dict.fromkeys(
        ("invoke_agent Commander", "invoke_agent Policy", "invoke_agent Control", "invoke_agent Answer", "invoke_agent Reviewer"), 4
    )


def test_a_span_lies_within_the_run_and_ends_after_it_begins(house: House) -> None:
    top, *rest = traced(house)
    for span in rest:
        assert span.start <= span.end <= top.end, span.name


def test_verdicts_are_told_as_evaluation_results(house: House) -> None:
    told = {str(span.attributes["trustops.question"]): span.marks for span in traced(house) if span.name.startswith("question ")}
    records = house.office.ledger.latest_records(house.review.id)
    for ref, record in records.items():
        mark, *measured = told[ref]
        assert len(measured) == len(record.dossier.readings)
        assert mark.name == "gen_ai.evaluation.result"
        assert mark.attributes["gen_ai.evaluation.score.label"] == record.result.decision.value


def test_no_text_of_anybody_is_in_a_span(house: House) -> None:
    words = " ".join(str(value) for span in traced(house) for value in (span.name, *span.attributes.values(), *span.marks)).lower()
    words = words.replace("'disk-encryption'", "")  # the id of a control is a name that the organisation gave, like that of a skill
    for said in ("full-disk", "encryption", "audit logs", "row-level", "laptop", "escrow", "card numbers"):
        assert said not in words


def test_ids_are_those_of_the_names_and_of_one_organisation(house: House) -> None:
    assert [span.span_id for span in traced(house)] == [span.span_id for span in traced(house)]
    assert trace_id("kestrel", "R-1.1") != trace_id("osprey", "R-1.1")
    assert len(trace_id("kestrel", "R-1.1")) == 32


def test_older_viewers_get_their_names_only_when_asked(house: House) -> None:
    from trustops.domain.span import Recorded
    from trustops.operations.resuming import events_of

    run = house.office.ledger.runs(house.review.id)[-1]
    calls = {ref: models for (_, ref), (models, _) in house.office.ledger.calls(house.review.id).items()}
    told = Recorded(run, "kestrel", tuple(events_of(house.office, run)), calls, {})
    assert not any("gen_ai.system" in span.attributes for span in spans(told))
    assert sum("gen_ai.system" in span.attributes for span in spans(told, legacy=True)) == 20


def test_a_collector_gets_the_tree_as_it_is(house: House) -> None:
    made = traced(house)
    with collector() as (url, got):
        assert send(made, f"{url}/v1/traces")
    ((resource,),) = ([ExportTraceServiceRequest.FromString(body).resource_spans[0]] for body in got["/v1/traces"])
    sent = [span for scope in resource.scope_spans for span in scope.spans]
    assert {(s.span_id.hex(), s.parent_span_id.hex(), s.name) for s in sent} == {(s.span_id, s.parent, s.name) for s in made}
    assert {s.trace_id.hex() for s in sent} == {made[0].trace_id}


def test_a_collector_that_refuses_is_told_and_nothing_else_happens(house: House) -> None:
    with collector(400) as (url, _):
        assert not send(traced(house), f"{url}/v1/traces")


def test_asking_for_it_without_a_collector_is_a_sentence(house: House) -> None:
    run = house.office.ledger.runs(house.review.id)[-1]
    assert assembly.send_trace(house.office, run) == ""
    with pytest.raises(UsageError, match="no collector is configured"):
        assembly.send_trace(house.office, run, asked=True)
