"""The export page: what would leave and what would not, and why; and the files of what left."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.finding import review_named
from trustops.console.pages.drawing import draw, path, seen_next
from trustops.console.pages.forms import flash, form
from trustops.console.pages.standings import mode_word, question_address
from trustops.console.pages.visitor import visitor
from trustops.console.pages.words import DONE
from trustops.console.problems import Problem
from trustops.domain.approval import ApprovalStatus
from trustops.operations.books import open_books
from trustops.operations.exporting import export
from trustops.operations.standing import Standing, standing
from trustops.ports import StoredReview

LONGEST_NAME = 120
KINDS = {
    "answered": "the customer's file with the answers",
    "receipt": "receipt",
    "bundle": "bundle for offline verification",
    "oscal": "OSCAL assessment results",
}


@dataclass(frozen=True, slots=True)
class Withheld:
    """A question that would stay, with the gate's reasons."""

    ref: str
    text: str
    address: str
    status: str
    reasons: tuple[str, ...]


def exports(request: Request) -> Response:
    """What would leave now, as the gate judges what is on record; the export itself reads evidence and controls anew first."""
    found = visitor(request)
    office = found.office
    review = review_named(office, request.path_params["review"])
    books = open_books(office, review)
    standings = {q.ref: standing(office, books, q.ref) for q in review.questionnaire.questions}
    leaving = [q for q in review.questionnaire.questions if standings[q.ref].gate.state == "OPEN"]
    return draw(
        request,
        "exports.html",
        here="reviews",
        mode=mode_word((standings[ref].mode.value for ref in books.records), found.mode),
        done=flash(request, DONE),
        review=review,
        leaving=[(q.ref, q.text, question_address(review.id, q.ref), books.answers[q.ref]) for q in leaving],
        withheld=[_withheld(review, standings[q.ref], q.ref, q.text) for q in review.questionnaire.questions if q not in leaving],
        sent=list(reversed(books.exports)),
        kinds=KINDS,
        signed=office.signer.public_key() is not None,
        waiting=sum(now.approval is ApprovalStatus.PENDING for now in standings.values()),
    )


def _withheld(review: StoredReview, now: Standing, ref: str, text: str) -> Withheld:
    return Withheld(ref, text, question_address(review.id, ref), now.status.value, now.gate.reasons)


async def send(request: Request) -> Response:
    """Exports what is cleared. Raises Problem 401, NotAllowed, NothingCleared (then nothing is written) and 422 without a customer."""
    found = visitor(request)
    review = await asyncio.to_thread(review_named, found.office, request.path_params["review"])
    to = (await form(request, "to")).needed("to", "who receives it?")
    if len(to) > LONGEST_NAME:
        raise Problem(422, f"the customer's name is longer than {LONGEST_NAME} characters", where="to")

    def done() -> None:
        with tempfile.TemporaryDirectory(prefix="trustops-") as folder:  # what left is in the ledger; these files are only its copies
            export(found.office, review, Path(folder), to=to, by=found.person)

    await asyncio.to_thread(done)
    return seen_next(path("reviews", review.id, "export"), "exported")
