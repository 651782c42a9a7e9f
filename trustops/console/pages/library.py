"""The answer library: what was promised earlier, who owns it, and which promises cannot stand beside each other."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw, seen_next
from trustops.console.pages.forms import flash, form
from trustops.console.pages.visitor import visitor
from trustops.console.pages.words import DONE
from trustops.operations.answering import instant
from trustops.operations.library import conflicts, entries, withdraw


def library(request: Request) -> Response:
    """Every earlier answer; `find` narrows to those that hold the words."""
    found = visitor(request)
    every = entries(found.office)
    words = request.query_params.get("find", "")
    shown = [a for a in every if all(w in f"{a.question} {a.answer} {a.customer} {a.owner}".lower() for w in words.lower().split())]
    today = instant(found.office, None)[0].date()
    return draw(
        request,
        "library.html",
        here="library",
        done=flash(request, DONE),
        answers=shown,
        total=len(every),
        find=words,
        pairs=conflicts(found.office),
        overdue={a.id for a in every if a.review_by is not None and a.review_by < today and not a.withdrawn},
    )


async def take_back(request: Request) -> Response:
    """Withdraws an earlier answer, with a reason. Raises NotAllowed, UnknownName, and Refused where it is withdrawn already."""
    found = visitor(request)
    sent = await form(request, "answer", "reason")
    answer, reason = sent.needed("answer", "which answer?"), sent.needed("reason", "a withdrawal needs a reason")
    await asyncio.to_thread(withdraw, found.office, answer, by=found.person, reason=reason)
    return seen_next("/library", "withdrawn")
