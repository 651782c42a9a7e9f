"""Metrics of a run, read off its spans, in the names of the OpenTelemetry conventions for generative AI as they stand in late 2026.

The names in one table; `legacy` adds those that were current before the conventions moved. Like the spans they are made afterwards, from
what is on record, and hold no text of anybody. Tokens of a call that failed are of an unknown kind, as the conventions ask.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from trustops.domain.measurement import Measurement
from trustops.domain.span import Span, Value

DURATIONS = {
    "chat": "gen_ai.client.inference.duration",
    "invoke_agent": "gen_ai.invoke_agent.duration",
    "execute_tool": "gen_ai.execute_tool.duration",
    "invoke_workflow": "gen_ai.invoke_workflow.duration",
}
"""By operation: how long it took, in seconds."""
USAGE = {
    "gen_ai.usage.input_tokens": "gen_ai.client.inference.usage.input_tokens",
    "gen_ai.usage.output_tokens": "gen_ai.client.inference.usage.output_tokens",
    "gen_ai.usage.cache_read.input_tokens": "gen_ai.client.inference.usage.cache_read.input_tokens",
}
"""By the attribute of a call's span: the counter of all tokens."""
SIZES = {
    "gen_ai.usage.input_tokens": "gen_ai.client.inference.operation.input_tokens",
    "gen_ai.usage.output_tokens": "gen_ai.client.inference.operation.output_tokens",
}
"""By the attribute of a call's span: how many tokens one call took."""
CHILDREN = {"chat": "gen_ai.invoke_agent.inference_calls", "execute_tool": "gen_ai.invoke_agent.tool_calls"}
"""By operation of what stands under a seat: how many there were."""
LEGACY_DURATION, LEGACY_TOKENS = "gen_ai.client.operation.duration", "gen_ai.client.token.usage"
OWN = {"decisions": "trustops.decisions", "attempts": "trustops.attempts", "cost": "trustops.cost"}
"""What the conventions have no name for: decisions by verdict, attempts on the wire, dollars."""
KEPT = (
    "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.agent.name", "gen_ai.tool.name",
    "gen_ai.workflow.name", "error.type", "trustops.origin",
)  # fmt: skip
"""Attributes of a span by which its numbers may be told apart: few values each, and none of them anybody's text."""


def measurements(spans: Sequence[Span], *, legacy: bool = False) -> tuple[Measurement, ...]:
    """Every observation of a run, in the order of its spans."""
    return tuple(found for span in spans for found in _of(span, spans, legacy))


def _of(span: Span, spans: Sequence[Span], legacy: bool) -> Iterator[Measurement]:
    operation = str(span.attributes.get("gen_ai.operation.name", ""))
    told = {key: span.attributes[key] for key in KEPT if key in span.attributes}
    if operation in DURATIONS:
        yield Measurement(DURATIONS[operation], "histogram", "s", (span.end - span.start).total_seconds(), told)
    if operation == "chat":
        yield from _call(span, told, legacy)
    if operation == "invoke_agent":
        below = Counter(each.attributes.get("gen_ai.operation.name") for each in spans if each.parent == span.span_id)
        for child, name in CHILDREN.items():
            yield Measurement(name, "histogram", "{call}", below[child], told)
    for mark in span.marks:
        if mark.attributes.get("gen_ai.evaluation.name") == "trustops.decision":
            verdict: dict[str, Value] = {"trustops.decision": mark.attributes["gen_ai.evaluation.score.label"]}
            yield Measurement(OWN["decisions"], "counter", "{question}", 1, verdict)


def _call(span: Span, told: Mapping[str, Value], legacy: bool) -> Iterator[Measurement]:
    modality: dict[str, Value] = {**told, "gen_ai.token.modality": "text" if span.ok else "unknown"}
    for attribute, name in USAGE.items():
        yield Measurement(name, "counter", "{token}", _number(span, attribute), modality)
    for attribute, name in SIZES.items():
        yield Measurement(name, "histogram", "{token}", _number(span, attribute), modality)
    yield Measurement(OWN["attempts"], "counter", "{attempt}", _number(span, "trustops.attempts"), told)
    if "trustops.cost_usd" in span.attributes:
        yield Measurement(OWN["cost"], "counter", "USD", _number(span, "trustops.cost_usd"), told)
    if legacy:
        yield Measurement(LEGACY_DURATION, "histogram", "s", (span.end - span.start).total_seconds(), told)
        for kind in ("input", "output"):
            counted = _number(span, f"gen_ai.usage.{kind}_tokens")
            yield Measurement(LEGACY_TOKENS, "histogram", "{token}", counted, {**told, "gen_ai.token.type": kind})


def _number(span: Span, attribute: str) -> float:
    value = span.attributes.get(attribute, 0)
    return 0 if isinstance(value, tuple) else float(value)
