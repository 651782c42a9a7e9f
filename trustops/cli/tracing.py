"""trace: a run as a tree of who did what, how long it took and what it cost."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace, run_named
from trustops.cli.screen import emit, harmless, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trustops.domain.measurement import Measurement
    from trustops.domain.span import Span


MARKED = ("trustops.control", "gen_ai.evaluation.score.label")


def trace(
    run: Annotated[str | None, typer.Argument(help="A run; the newest one when left out.")] = None,
    question: Annotated[str, typer.Option("--question", help="Only this question.")] = "",
    send: Annotated[bool, typer.Option("--send", help="Send it to the collector of [telemetry].")] = False,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Show a run as a tree: questions, seats, skills and model calls, with times, tokens and outcomes. No text of anybody is in it."""
    from trustops import assembly
    from trustops.operations.tracing import question_trace, span_report
    from trustops.operations.tracing import trace as whole

    office = assembly.office(workspace)
    found = run_named(office, run)
    spans = question_trace(office, found, question) if question else whole(office, found)
    sent = assembly.send_trace(office, found, asked=True) if send else ""
    if as_json:
        numbers = [_counted(each) for each in assembly.metrics(office, spans)]
        emit({"run": found.id, "spans": [span_report(span) for span in spans], "metrics": numbers, "sent": sent})
        return
    for line in tree(spans):
        say(line)
    if sent:
        say(sent)


def tree(spans: Sequence[Span]) -> Iterable[str]:
    """The spans as indented lines, in their order; one whose parent is not shown stands at the left."""
    depth: dict[str, int] = {}
    for span in spans:
        depth[span.span_id] = depth.get(span.parent, -1) + 1
        yield f"{'  ' * depth[span.span_id]}{harmless(span.name)}  {_words(span)}"


def _words(span: Span) -> str:
    told = [_duration(span.end - span.start)]
    attributes = span.attributes
    if "gen_ai.usage.input_tokens" in attributes:
        tokens = [attributes[f"gen_ai.usage.{name}"] for name in ("input_tokens", "output_tokens")]
        told.append(f"{tokens[0]} tokens in, {tokens[1]} out")
        told += [str(attributes[key]) for key in ("trustops.origin", "gen_ai.response.id") if attributes.get(key)]
        told += [f"${attributes['trustops.cost_usd']}"] if "trustops.cost_usd" in attributes else []
    told += [" ".join(str(mark.attributes[key]) for key in MARKED if key in mark.attributes) for mark in span.marks]
    told += [] if span.ok else [f"FAILED: {span.why}" if span.why else "FAILED"]
    return harmless(", ".join(told))


def _duration(took: timedelta) -> str:
    seconds = took.total_seconds()
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _counted(found: Measurement) -> dict[str, Any]:
    return {"name": found.name, "kind": found.kind, "unit": found.unit, "value": found.value, "attributes": dict(found.attributes)}
