"""Ratings: what people think of a review's answers, on a form or in a table, and how far they agree. No field is filled in beforehand."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.downloads import attachment
from trustops.console.finding import review_named
from trustops.console.pages.drawing import draw, path, seen_next
from trustops.console.pages.forms import Form, flash, form
from trustops.console.pages.visitor import Visitor, visitor
from trustops.console.pages.words import DONE
from trustops.console.people import SESSION, who
from trustops.console.problems import Problem
from trustops.domain.rating import HIGHEST, LOWEST, Criterion, agreement, newest, units
from trustops.operations.rating import LONGEST, Row, blank, rate, read_table, table
from trustops.scoring.statistics import krippendorff_alpha

MOST_TABLE = 1024 * 1024
SAID = {
    Criterion.CLARITY: "The answer is clear",
    Criterion.EVIDENCE_TRACEABILITY: "I can trace it to its evidence",
    Criterion.ANSWER_ACCURACY: "The answer is right",
    Criterion.RISK_EXPLANATION: "The risk is explained",
    Criterion.ACTIONABILITY: "I know what to do next",
    Criterion.APPROVAL_CONFIDENCE: "I would approve it with confidence",
    Criterion.EXPORT_CONFIDENCE: "I would send it with confidence",
    Criterion.UI_READABILITY: "The page is easy to read",
}


def ratings(request: Request) -> Response:
    """The form for one question (`question`) or for the whole review, what was given, and the agreement."""
    found = visitor(request)
    review = review_named(found.office, request.path_params["review"])
    given = newest(found.office.ledger.ratings(review.id))
    wanted = request.query_params.get("question", "")
    refs = [question.ref for question in review.questionnaire.questions]
    return draw(
        request,
        "ratings.html",
        here="reviews",
        done=flash(request, DONE),
        review=review,
        refs=refs,
        wanted=wanted if wanted in refs else "",
        asked=next((q.text for q in review.questionnaire.questions if q.ref == wanted), ""),
        said=SAID,
        scale=range(LOWEST, HIGHEST + 1),
        agreement=[(line, krippendorff_alpha(units(given, line.criterion), "ordinal")) for line in agreement(given)],
        given=given,
        raters=len({rating.rater for rating in given}),
        longest=LONGEST,
    )


async def give(request: Request) -> Response:
    """Keeps what a person gave on the form."""
    found = _person(request)
    review = await asyncio.to_thread(review_named, found.office, request.path_params["review"])
    sent = await form(request, "question", "comment", *(criterion.value for criterion in Criterion))
    row: Row = (sent.one("question"), _scores(sent), sent.one("comment"))
    await asyncio.to_thread(rate, found.office, review, [row], by=found.person, way="page")
    return seen_next(path("reviews", review.id, "ratings"), "rated")


def _person(request: Request) -> Visitor:
    """Whoever rates, with a browser: a token is for programs, and no program rates."""
    if who(request).how != SESSION:
        raise Problem(403, "a rating is given by a person with a browser, not by a program", remedy="Sign in at /sign-in.")
    return visitor(request)


def _scores(sent: Form) -> dict[Criterion, int]:
    found = {}
    for criterion in Criterion:
        score = sent.one(criterion.value)
        if score and not (score.isascii() and score.isdigit() and len(score) < 4):
            raise Problem(422, "this is no score", where=criterion.value, remedy=f"Give {LOWEST} to {HIGHEST}.")
        if score:
            found[criterion] = int(score)
    return found


async def take_table(request: Request) -> Response:
    """Keeps the rows of an uploaded table, in the name of whoever signed in."""
    found = _person(request)
    review = await asyncio.to_thread(review_named, found.office, request.path_params["review"])
    sent = await form(request, files=("table",))
    data = await sent.file("table", MOST_TABLE, "no table was chosen").read()
    rows = await asyncio.to_thread(read_table, data, found.person)
    await asyncio.to_thread(rate, found.office, review, rows, by=found.person, way="table")
    return seen_next(path("reviews", review.id, "ratings"), "rated")


def as_table(request: Request) -> Response:
    """`blank` to fill in, or `given`: everything that was."""
    found = visitor(request)
    review = review_named(found.office, request.path_params["review"])
    kind = request.path_params["kind"]
    if kind not in ("blank", "given"):
        raise Problem(404, "there is no such table", remedy="The ratings page has both.")
    data = blank(review) if kind == "blank" else table(newest(found.office.ledger.ratings(review.id)))
    return attachment(f"ratings-{review.id}-{kind}.csv", data)
