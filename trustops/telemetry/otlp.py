"""Sends spans and metrics to a collector over OTLP (extra `otlp`). One batch of each after the run; a collector that is down costs nothing
but them. Metrics are sent as what the run added (delta): the process ends, so nobody keeps a sum."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from trustops.domain.errors import UsageError
from trustops.domain.measurement import Measurement
from trustops.domain.span import Span

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import Metric
    from opentelemetry.sdk.trace import ReadableSpan

SERVICE, SCOPE = "trustops", "trustops.telemetry"
TIMEOUT_S = 10
TRACES, METRICS = "/v1/traces", "/v1/metrics"
BOUNDS = {"s": [0.01 * 2**step for step in range(14)], "{token}": [4.0**step for step in range(14)]}
"""Upper bounds of a histogram's buckets by unit, as the conventions advise; other units have whole numbers."""
WHOLE = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def missing_extra(missing: ImportError) -> UsageError:
    """The exporter is not there."""
    del missing
    return UsageError("the OTLP exporter is not installed", where="telemetry.endpoint", remedy="Install trustops[otlp].")


def metrics_endpoint(endpoint: str) -> str:
    """Where the same collector takes metrics; empty where the address of its traces does not say."""
    return endpoint.removesuffix(TRACES) + METRICS if endpoint.endswith(TRACES) else ""


def send_metrics(found: Sequence[Measurement], endpoint: str, *, start: datetime, end: datetime) -> bool:
    """Whether the collector took the run's numbers. Raises UsageError where the extra is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    except ImportError as missing:
        raise missing_extra(missing) from missing
    from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, ResourceMetrics, ScopeMetrics
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    times = _nanoseconds(start), _nanoseconds(end)
    by_name = sorted(found, key=lambda each: each.name)
    made = [_metric(name, list(same), times) for name, same in groupby(by_name, key=lambda each: each.name)]
    scope = ScopeMetrics(scope=InstrumentationScope(SCOPE), metrics=made, schema_url="")
    data = MetricsData([ResourceMetrics(resource=Resource({"service.name": SERVICE}), scope_metrics=[scope], schema_url="")])
    exporter = OTLPMetricExporter(endpoint=endpoint, timeout=TIMEOUT_S)
    try:
        return exporter.export(data) is MetricExportResult.SUCCESS
    finally:
        exporter.shutdown()


def _metric(name: str, found: list[Measurement], times: tuple[int, int]) -> Metric:
    """All observations of one name, one point for each set of attributes."""
    from opentelemetry.sdk.metrics.export import AggregationTemporality, Histogram, Metric, NumberDataPoint, Sum

    points: dict[tuple[Any, ...], list[Measurement]] = {}
    for each in found:
        points.setdefault(tuple(sorted(each.attributes.items(), key=lambda item: item[0])), []).append(each)
    delta, unit = AggregationTemporality.DELTA, found[0].unit
    if found[0].kind == "histogram":
        bounds = BOUNDS.get(unit, WHOLE)
        return Metric(name, "", unit, Histogram([_sized(dict(key), same, bounds, times) for key, same in points.items()], delta))
    sums = [NumberDataPoint(dict(key), *times, sum(each.value for each in same)) for key, same in points.items()]
    return Metric(name, "", unit, Sum(sums, delta, is_monotonic=True))


def _sized(attributes: dict[str, Any], found: list[Measurement], bounds: list[float], times: tuple[int, int]) -> Any:
    from opentelemetry.sdk.metrics.export import HistogramDataPoint

    values = [each.value for each in found]
    counts = [0] * (len(bounds) + 1)
    for value in values:
        counts[bisect_left(bounds, value)] += 1
    return HistogramDataPoint(attributes, *times, len(values), sum(values), counts, bounds, min(values), max(values))


def send(spans: Sequence[Span], endpoint: str) -> bool:
    """Whether the collector took them. Raises UsageError where the extra is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as missing:
        raise missing_extra(missing) from missing
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
