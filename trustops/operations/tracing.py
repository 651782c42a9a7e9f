"""Tracing: a run, or one question of it, as spans. They are made from what is on record, so a trace keeps its ids and its address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trustops.domain.errors import UnknownName
from trustops.domain.record import RunInfo
from trustops.domain.span import Recorded, Span, Value
from trustops.operations.office import Office
from trustops.operations.resuming import events_of


def trace(office: Office, run: RunInfo) -> tuple[Span, ...]:
    """The spans of a run, parents before children."""
    mine = {ref: both for (of, ref), both in office.ledger.calls(run.review).items() if of == run.id}
    calls, skills = {ref: models for ref, (models, _) in mine.items()}, {ref: tools for ref, (_, tools) in mine.items()}
    records = {ref: record for ref, record in office.ledger.latest_records(run.review).items() if record.run == run.id}
    readings = {ref: [(r.control.id, r.evaluation.value) for r in record.dossier.readings] for ref, record in records.items()}
    return office.spans(Recorded(run, office.organisation, tuple(events_of(office, run)), calls, skills, readings))


def question_trace(office: Office, run: RunInfo, ref: str) -> tuple[Span, ...]:
    """The part of a run's trace that is one question's: the question's span and everything below it, with the ids that they have there.
    Nothing where the run has not come to it. Raises UnknownName where the run does not ask it."""
    if ref not in run.questions:
        raise UnknownName(f"the run does not ask {ref!r}", where=run.id, remedy="`trustops trace RUN` shows what it asks.")
    models, tools = office.ledger.calls(run.review).get((run.id, ref), ((), ()))
    record = office.ledger.latest_records(run.review).get(ref)
    readings = record.dossier.readings if record is not None and record.run == run.id else ()
    told = Recorded(
        run=run.model_copy(update={"questions": (ref,)}),
        organisation=office.organisation,
        events=tuple(event for event in events_of(office, run) if event.question == ref),
        calls={ref: models},
        skills={ref: tools},
        readings={ref: [(reading.control.id, reading.evaluation.value) for reading in readings]},
    )
    return office.spans(told)[1:]  # the first is the whole run's


def span_report(span: Span) -> dict[str, Any]:
    """One span for machines."""
    return {
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent": span.parent or None,
        "name": span.name,
        "kind": span.kind,
        "start": span.start.isoformat(),
        "end": span.end.isoformat(),
        "ok": span.ok,
        "attributes": _plain(span.attributes),
        "events": [{"name": mark.name, "at": mark.at.isoformat(), "attributes": _plain(mark.attributes)} for mark in span.marks],
    }


def _plain(attributes: Mapping[str, Value]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in attributes.items()}
