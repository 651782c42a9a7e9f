"""Coverage: which questions rest on evidence, on a control and on a fresh reading, and whose the gaps are."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.finding import review_named
from trustops.console.pages.drawing import draw
from trustops.console.pages.standings import question_address
from trustops.console.pages.visitor import visitor
from trustops.operations.answering import instant
from trustops.operations.covering import coverage as covered
from trustops.operations.covering import totals


def coverage(request: Request) -> Response:
    """One row a question; `gaps` shows only those that have one."""
    found = visitor(request)
    review = review_named(found.office, request.path_params["review"])
    every = covered(found.office, review, instant(found.office, None)[0])
    only = request.query_params.get("gaps") == "1"
    shown = [(row, question_address(review.id, row.ref)) for row in every if row.gaps or not only]
    return draw(request, "coverage.html", here="reviews", review=review, rows=shown, totals=totals(every), only=only)
