"""Sends spans to a collector over OTLP (extra `otlp`). One batch after the run; a collector that is down costs nothing but the trace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from trustops.domain.errors import UsageError
from trustops.domain.span import Span

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

SERVICE = "trustops"
TIMEOUT_S = 10


def send(spans: Sequence[Span], endpoint: str) -> bool:
    """Whether the collector took them. Raises UsageError where the extra is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as missing:
        raise UsageError("the OTLP exporter is not installed", where="telemetry.endpoint", remedy="Install trustops[otlp].") from missing
    from opentelemetry.sdk.trace.export import SpanExportResult

    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=TIMEOUT_S)
    try:
        return exporter.export([_readable(span) for span in spans]) is SpanExportResult.SUCCESS
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]


def _readable(span: Span) -> ReadableSpan:
    """A span as the SDK's exporters take it."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    def context(identity: str) -> SpanContext:
        return SpanContext(int(span.trace_id, 16), int(identity, 16), is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

    return ReadableSpan(
        name=span.name,
        context=context(span.span_id),
        parent=context(span.parent) if span.parent else None,
        resource=Resource({"service.name": SERVICE}),
        attributes=dict(span.attributes),
        events=[Event(mark.name, dict(mark.attributes), _nanoseconds(mark.at)) for mark in span.marks],
        kind=SpanKind[span.kind],
        status=Status(StatusCode.OK) if span.ok else Status(StatusCode.ERROR, span.why),
        start_time=_nanoseconds(span.start),
        end_time=_nanoseconds(span.end),
    )


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000
