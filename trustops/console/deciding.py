"""One question, and a person's verdict on it. `If-Match` names the digest that the person saw; another one is refused with 412."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from starlette.requests import Request

from trustops.console.people import office_of, somebody
from trustops.console.problems import Json, Problem
from trustops.domain.approval import Approval
from trustops.domain.errors import StaleVersion
from trustops.operations.approving import approve, reject
from trustops.operations.books import open_books
from trustops.operations.office import Office
from trustops.operations.reporting import question_report
from trustops.operations.standing import standing
from trustops.ports import StoredReview

TAG = re.compile(r'"([0-9a-f]{64})"')
MOST = 16 * 1024
"""Bytes of a body: a reason is a few sentences."""


async def question(request: Request) -> Json:
    """The question as `trustops status --json` tells it; `ETag` is the digest of its current answer. 404 where there is none."""
    told, tag = await asyncio.to_thread(_told, office_of(request), request.path_params)
    return Json(told, 200, {"ETag": f'"{tag}"'} if tag else None)


async def approval(request: Request) -> Json:
    """Approves the answer whose digest is named. 401 unsigned, 403 not allowed, 409 blocked, 412 another digest, 428 none named."""
    office, person = somebody(request)
    tag = _named(request)
    await _fields(request)

    def decide(review: StoredReview, ref: str) -> Approval:
        current = office.ledger.latest_answers(review.id).get(ref)
        return approve(office, review, ref, current.version if current else None, by=person, digest=tag)

    return await _decided(request, office, decide)


async def rejection(request: Request) -> Json:
    """Rejects it, for the `reason` in the body; refused as an approval is, and 422 without a reason."""
    office, person = somebody(request)
    tag, fields = _named(request), await _fields(request, "reason")

    def decide(review: StoredReview, ref: str) -> Approval:
        with office.ledger.writing(durable=True):
            current = office.ledger.latest_answers(review.id).get(ref)
            if current is not None and current.digest != tag:
                raise StaleVersion(f"digest {tag[:16]} is not the current one", where=ref, remedy="Read it again, then decide.")
            return reject(office, review, ref, by=person, reason=fields["reason"])

    return await _decided(request, office, decide)


async def _decided(request: Request, office: Office, decide: Callable[[StoredReview, str], Approval]) -> Json:
    review, ref = await asyncio.to_thread(_found, office, request.path_params)
    made = await asyncio.to_thread(decide, review, ref)
    return Json(made.model_dump(mode="json"), 200, {"ETag": f'"{made.digest}"'})


def _told(office: Office, named: dict[str, str]) -> tuple[dict[str, Any], str]:
    review, ref = _found(office, named)
    books = open_books(office, review)
    asked = next(q for q in review.questionnaire.questions if q.ref == ref)
    answer = books.answers.get(ref)
    return question_report(books, standing(office, books, ref), asked), answer.digest if answer else ""


def _found(office: Office, named: dict[str, str]) -> tuple[StoredReview, str]:
    """The refusal is the same to the byte for every review and question that is not there."""
    review = office.ledger.get_review(named["review"])
    if review is None or review.id != named["review"] or all(q.ref != named["ref"] for q in review.questionnaire.questions):
        raise Problem(404, "there is no such question", remedy="GET /v1/reviews/{review} lists them.")
    return review, named["ref"]


def _named(request: Request) -> str:
    given = request.headers.get("if-match")
    if given is None:
        raise Problem(428, "which answer is meant?", where="If-Match", remedy="Send the ETag of the question as you read it.")
    found = TAG.fullmatch(given.strip())
    if found is None:
        raise Problem(412, "this is no digest of an answer", where="If-Match", remedy="Send the ETag of the question as you read it.")
    return found[1]


async def _fields(request: Request, *known: str) -> dict[str, str]:
    """The body's text fields: exactly the known ones, none of them missing."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST:
            raise Problem(413, f"the body is larger than {MOST // 1024} KB")
    try:
        found = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or set(found) != set(known) or not all(isinstance(value, str) for value in found.values()):
        wanted = ", ".join(known) or "no field"
        raise Problem(422, "the body is not what this address takes", where="body", remedy=f"Send a JSON object with {wanted}.")
    return found
