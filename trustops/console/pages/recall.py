"""Recall: answers that left and no longer hold, who has them, and what changed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw
from trustops.console.pages.quotes import compared
from trustops.console.pages.standings import question_address
from trustops.console.pages.visitor import visitor
from trustops.operations.recalling import recalls


def recall(request: Request) -> Response:
    """The list on the facts that are on record now; evidence and controls are read anew by their own pages."""
    found = visitor(request)
    told = [
        (one, question_address(one.review, one.question), [(change, compared(change.before, change.after)) for change in one.changes])
        for one in recalls(found.office)
    ]
    sent = sum(len(found.office.ledger.exports(review.id)) for review in found.office.ledger.reviews())
    return draw(request, "recall.html", here="recall", recalls=told, sent=sent)
