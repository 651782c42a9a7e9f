"""The trace of one question in one run, at an address that stays: what a score or a report points to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.finding import review_named
from trustops.console.pages.drawing import draw, path
from trustops.console.pages.standings import mode_word, question_address, question_named
from trustops.console.pages.visitor import visitor
from trustops.console.tracing import traced
from trustops.domain.authenticity import EntryPoint, Origin, execution_mode
from trustops.domain.span import Span, Value

DEEPEST = 4
"""Steps of indentation that are told apart."""
SHOWN = {
    "trustops.origin": "served",
    "gen_ai.request.model": "model",
    "gen_ai.usage.input_tokens": "tokens in",
    "gen_ai.usage.output_tokens": "tokens out",
    "trustops.attempts": "attempts",
    "trustops.cost_usd": "dollars",
    "trustops.prompt": "prompt",
    "trustops.skill.version": "version",
    "trustops.call": "call",
    "gen_ai.tool.call.id": "call",
    "gen_ai.response.id": "request",
    "trustops.task": "task",
}
"""Attributes of a span as a person reads them, in this order."""


@dataclass(frozen=True, slots=True)
class Line:
    """One span in the tree. `after_ms` and `took_ms` are milliseconds, counted from the beginning of the question."""

    depth: int
    name: str
    after_ms: int
    took_ms: int
    ok: bool
    why: str
    facts: tuple[tuple[str, str], ...]
    verdicts: tuple[str, ...]


def trace(request: Request) -> Response:
    """The tree; 404 where there is no such run, or it does not ask the question."""
    found = visitor(request)
    run, spans = traced(found.office, request.path_params["run"], request.path_params["ref"])
    review = review_named(found.office, run.review)
    asked = question_named(review, request.path_params["ref"])
    record = found.office.ledger.latest_records(review.id).get(asked.ref)
    origins = [Origin(str(span.attributes["trustops.origin"])) for span in spans if "trustops.origin" in span.attributes]
    mode = execution_mode(origins, entry=EntryPoint(run.entry), as_of_given=run.as_of_given)
    return draw(
        request,
        "trace.html",
        here="reviews",
        mode=mode_word([mode.value] if origins else [], found.mode),
        run=run,
        review=review,
        question=asked,
        lines=tuple(lines(spans)),
        began=spans[0].start if spans else None,
        newest=record is None or record.run == run.id,
        back=question_address(review.id, asked.ref),
        machine=path("v1", "runs", run.id, "trace", asked.ref),
    )


def lines(spans: Sequence[Span]) -> Iterator[Line]:
    """The spans in their order, each as deep as its parents."""
    depth: dict[str, int] = {}
    for span in spans:
        depth[span.span_id] = depth.get(span.parent, -1) + 1
        facts = tuple((name, str(span.attributes[key])) for key, name in SHOWN.items() if span.attributes.get(key) not in (None, ""))
        yield Line(
            depth=min(depth[span.span_id], DEEPEST),
            name=span.name,
            after_ms=round((span.start - spans[0].start).total_seconds() * 1000),
            took_ms=round((span.end - span.start).total_seconds() * 1000),
            ok=span.ok,
            why=span.why,
            facts=facts,
            verdicts=tuple(_verdict(mark.attributes) for mark in span.marks),
        )


def _verdict(told: Mapping[str, Value]) -> str:
    """The decision with the codes of its findings, or what became of a control."""
    label, found = told["gen_ai.evaluation.score.label"], told.get("trustops.findings", ())
    codes, about = ", ".join(found) if isinstance(found, tuple) else "", told.get("trustops.control", "decision")
    return f"{about} {label}{f' ({codes})' if codes else ''}"
