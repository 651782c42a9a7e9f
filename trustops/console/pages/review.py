"""One review, live: its questions, the run that goes on, what it took and what is left. Without a script, a reload shows the same."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from trustops.console.finding import review_named
from trustops.console.pages.drawing import HEADERS, draw, path, seen_next, templates
from trustops.console.pages.forms import flash, form
from trustops.console.pages.progress import Progress, following
from trustops.console.pages.standings import Row, counts, mode_word, newest_run, rows, status_of
from trustops.console.pages.visitor import Visitor, visitor
from trustops.console.pages.words import DONE
from trustops.console.problems import Problem
from trustops.domain.record import RunInfo
from trustops.operations import resuming
from trustops.operations.exporting import unplaced
from trustops.ports import StoredReview

MOST_ROWS = 60
"""Questions whose rows are asked for at once."""
VERBS = ("pause", "resume", "cancel")


def review(request: Request) -> Response:
    """The whole review. `status` narrows the list, `find` to questions that hold the words."""
    found = visitor(request)
    named = review_named(found.office, request.path_params["review"])
    run = newest_run(found.office, named)
    progress = following(request).of(found.office, run) if run else None
    every = rows(found.office, named, progress)
    wanted, words = request.query_params.get("status", ""), request.query_params.get("find", "")
    shown = [row for row in every if (not wanted or row.status == wanted) and _holds(row, words)]
    return draw(
        request,
        "review.html",
        here="reviews",
        mode=mode_word((row.mode for row in every if row.decision), found.mode),
        done=flash(request, DONE),
        review=named,
        rows=shown,
        total=len(every),
        status=status_of(every),
        counts=counts(every),
        wanted=wanted,
        find=words,
        waiting=sum(row.status == "AWAITING_APPROVAL" for row in every),
        unplaced=unplaced(found.office, named),
        **_run(found, run, progress),
    )


def _holds(row: Row, words: str) -> bool:
    return all(word in f"{row.ref} {row.text} {' '.join(row.codes)}".lower() for word in words.lower().split())


def _run(found: Visitor, run: RunInfo | None, progress: Progress | None) -> dict[str, object]:
    """What the head of the page says of the newest run. A run that no process works on is left behind, whatever its events say."""
    left = run is not None and resuming.left_behind(found.office, run)
    state = "" if run is None else "PAUSED" if run.paused and run.state == "RUNNING" else "LEFT" if left else run.state
    return {"run": run, "progress": progress, "state": state, "going": state == "RUNNING", "limit": found.office.usd_per_review}


def fragment(request: Request) -> Response:
    """Rows of the named questions and the head, as a piece of the page: what a script fetches when it hears that something happened."""
    found = visitor(request)
    named = review_named(found.office, request.path_params["review"])
    only = request.query_params.getlist("ref")[:MOST_ROWS]
    run = newest_run(found.office, named)
    progress = following(request).of(found.office, run) if run else None
    shown = rows(found.office, named, progress, only) if only else []
    made = templates().get_template("rows.html").render(visitor=found, review=named, rows=shown, **_run(found, run, progress))
    return HTMLResponse(made, headers=HEADERS)


async def steer(request: Request) -> Response:
    """Pauses, takes up or cancels the review's newest run."""
    found = visitor(request)
    named = await asyncio.to_thread(review_named, found.office, request.path_params["review"])
    sent = await form(request, "verb", "run")
    run = await asyncio.to_thread(_named_run, found, named, sent.one("run"))
    verb = sent.one("verb")
    if verb not in VERBS:
        raise Problem(422, "this is nothing that can be done with a run", where="verb", remedy="Reload the page.")
    if verb == "resume":
        await found.runs.resume(run)
        return seen_next(path("reviews", named.id), "resumed")
    act = resuming.pause if verb == "pause" else resuming.cancel
    await asyncio.to_thread(act, found.office, run.id, lambda kind, question, data: None)
    await found.runs.bell.ring(run.id)
    return seen_next(path("reviews", named.id), "paused" if verb == "pause" else "cancelled")


def _named_run(found: Visitor, review: StoredReview, name: str) -> RunInfo:
    run = found.office.ledger.get_run(name)
    if run is None or run.review != review.id:
        raise Problem(404, "there is no such run", remedy="Reload the review's page.")
    return run
