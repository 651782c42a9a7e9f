"""The list of reviews: what came in, where it stands, what it waits for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw, path
from trustops.console.pages.forms import flash
from trustops.console.pages.standings import counts, newest_run, rows, status_of
from trustops.console.pages.visitor import visitor
from trustops.console.pages.words import DONE
from trustops.operations.office import Office
from trustops.ports import StoredReview

SHOWN = 12
"""Reviews on one page: where each stands is computed anew for every look."""


@dataclass(frozen=True, slots=True)
class Line:
    """One review of the list."""

    id: str
    file: str
    format: str
    address: str
    created_at: datetime
    questions: int
    status: str
    counts: list[tuple[str, int]]
    sent_to: tuple[str, ...]


def reviews(request: Request) -> Response:
    """Newest first, a page of them at a time."""
    found = visitor(request)
    every = sorted(found.office.ledger.reviews(), key=lambda review: review.created_at, reverse=True)
    first = _first(request.query_params.get("from", "0"), len(every))
    lines = [_line(found.office, review) for review in every[first : first + SHOWN]]
    return draw(
        request,
        "reviews.html",
        here="reviews",
        done=flash(request, DONE),
        lines=lines,
        total=len(every),
        older=first + SHOWN if first + SHOWN < len(every) else None,
        newer=max(0, first - SHOWN) if first else None,
    )


def _first(given: str, total: int) -> int:
    return min(int(given), max(0, total - 1)) if given.isascii() and given.isdigit() and len(given) < 7 else 0


def _line(office: Office, review: StoredReview) -> Line:
    if newest_run(office, review) is None:
        found, told = "CREATED", [("PENDING", len(review.questionnaire.questions))]
    else:
        every = rows(office, review, None)
        found, told = status_of(every), counts(every)
    return Line(
        id=review.id,
        file=review.questionnaire.file,
        format=review.questionnaire.format,
        address=path("reviews", review.id) if told[0][0] != "PENDING" or found != "CREATED" else path("reviews", review.id, "mapping"),
        created_at=review.created_at,
        questions=len(review.questionnaire.questions),
        status=found,
        counts=told,
        sent_to=tuple(dict.fromkeys(export.to for export in office.ledger.exports(review.id))),
    )
