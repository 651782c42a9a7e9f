"""The approval queue: what waits for a person, one beside the other, and all green answers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.finding import review_named
from trustops.console.pages import case
from trustops.console.pages.drawing import draw, path, seen_next
from trustops.console.pages.forms import flash, form
from trustops.console.pages.standings import mode_word
from trustops.console.pages.visitor import Visitor, visitor
from trustops.console.pages.words import DONE
from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import ApprovalStatus
from trustops.domain.finding import Finding
from trustops.operations.approving import approve_green
from trustops.operations.books import Books, current_answer, open_books
from trustops.operations.office import Office
from trustops.operations.standing import Standing, standing
from trustops.ports import QuestionRecord

WAITING = frozenset({ApprovalStatus.PENDING, ApprovalStatus.INVALIDATED})
SHOWN = 40
"""Answers on one page: a person reads each of them."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that waits, with what an approver reads first."""

    ref: str
    asked: str
    answer: AnswerVersion
    record: QuestionRecord
    status: str
    cited: tuple[case.Exhibit, ...]
    readings: tuple[case.Reading, ...]
    findings: tuple[Finding, ...]
    own: bool


def queue(request: Request) -> Response:
    """What waits in a review; green answers first, then by risk."""
    found = visitor(request)
    review = review_named(found.office, request.path_params["review"])
    books = open_books(found.office, review)
    standings = {ref: standing(found.office, books, ref) for ref in books.records}
    waiting = sorted(_waiting(found, books, standings), key=_order)
    return draw(
        request,
        "queue.html",
        here="reviews",
        mode=mode_word((now.mode.value for now in standings.values()), found.mode),
        done=flash(request, DONE),
        review=review,
        waiting=waiting[:SHOWN],
        total=len(waiting),
        green=sum(one.record.result.decision.value == "PASS" for one in waiting),
    )


def _waiting(found: Visitor, books: Books, standings: Mapping[str, Standing]) -> Iterator[Waiting]:
    for question in books.review.questionnaire.questions:
        answer, now = current_answer(books, question.ref), standings.get(question.ref)
        if answer is not None and now is not None and now.approval in WAITING:
            yield _one(found.office, books, question.text, answer, found.person, now.status.value)


def _one(office: Office, books: Books, asked: str, answer: AnswerVersion, person: str, status: str) -> Waiting:
    record = books.records[answer.question]
    second = office.rules.second_person_for_all or record.risk == "HIGH"
    return Waiting(
        ref=answer.question,
        asked=asked,
        answer=answer,
        record=record,
        status=status,
        cited=tuple(each for each in case.exhibits(record.dossier, answer) if each.cited),
        readings=case.readings(record.dossier),
        findings=case.findings(record.result.findings),
        own=second and answer.author == person,
    )


def _order(one: Waiting) -> tuple[bool, int]:
    return (one.record.result.decision.value != "PASS", {"LOW": 0, "MEDIUM": 1, "HIGH": 2}.get(one.record.risk, 3))


async def approve_all_green(request: Request) -> Response:
    """Approves what is PASS and waiting, each by itself; nothing else can be approved in bulk."""
    found = visitor(request)
    review = await asyncio.to_thread(review_named, found.office, request.path_params["review"])
    await form(request)
    made = await asyncio.to_thread(approve_green, found.office, review, by=found.person)
    return seen_next(path("reviews", review.id, "queue"), "green" if made else "none-green")
