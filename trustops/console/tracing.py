"""A question's trace at an address of its own: /v1/runs/{run}/trace/{ref} for programs, the same without /v1 for people."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request

from trustops.console.finding import run_named
from trustops.console.people import office_of
from trustops.console.problems import Json, Problem
from trustops.domain.record import RunInfo
from trustops.domain.span import Span
from trustops.operations.office import Office
from trustops.operations.tracing import question_trace, span_report


async def trace(request: Request) -> Json:
    """The spans of one question in one run, as `trustops trace RUN --question REF --json` tells them: its seats, their skills and model
    calls, with times, tokens and outcomes, and no text of anybody. Empty until the run comes to it; 404 where the run does not ask it."""

    def told(office: Office, named: dict[str, str]) -> dict[str, Any]:
        run, spans = traced(office, named["run"], named["ref"])
        return {"run": run.id, "review": run.review, "question": named["ref"], "spans": [span_report(span) for span in spans]}

    return Json(await asyncio.to_thread(told, office_of(request), request.path_params))


def traced(office: Office, name: str, ref: str) -> tuple[RunInfo, tuple[Span, ...]]:
    """The run and the question's spans. Raises a Problem 404 for a run that is not there, and for a question that it does not ask."""
    run = run_named(office, name)
    if ref not in run.questions:
        raise Problem(404, "the run does not ask this question", remedy="GET /v1/runs/{run} lists what it asks.")
    return run, question_trace(office, run, ref)
