"""Recordings: every run as one file that can be played again without a model."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw
from trustops.console.pages.visitor import visitor


def recordings(request: Request) -> Response:
    """Every run that ended, newest first."""
    found = visitor(request)
    runs = [(review, run) for review in found.office.ledger.reviews() for run in found.office.ledger.runs(review.id)]
    newest = sorted(runs, key=lambda pair: pair[1].started_at, reverse=True)
    return draw(request, "recordings.html", here="recordings", runs=newest)
