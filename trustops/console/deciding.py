"""One question, its versions, and what a person does with it. `If-Match` names the digest that the person saw; another one is refused."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

from starlette.requests import Request

from trustops.console.asked import Edit, Green, Nothing, Reason
from trustops.console.bodies import body_of
from trustops.console.finding import question_named, review_named
from trustops.console.people import office_of, somebody
from trustops.console.problems import Json, Problem
from trustops.domain.approval import Approval
from trustops.domain.errors import StaleVersion
from trustops.operations.approving import approve, approve_green, covered, reject
from trustops.operations.books import open_books
from trustops.operations.editing import edit_answer
from trustops.operations.office import Office
from trustops.operations.reporting import question_report
from trustops.operations.standing import standing
from trustops.ports import StoredReview

TAG = re.compile(r'"([0-9a-f]{64}|none)"')
NONE = "none"
"""The tag of a question that has no answer yet: a person may write the first one."""


async def question(request: Request) -> Json:
    """The question as `trustops status --json` tells it; `ETag` is the digest of its current answer. 404 where there is none."""
    told, tag = await asyncio.to_thread(_told, office_of(request), request.path_params)
    return Json(told, 200, {"ETag": f'"{tag}"'})


async def versions(request: Request) -> Json:
    """Every version of the answer, oldest first."""

    def told(office: Office, named: dict[str, str]) -> list[dict[str, Any]]:
        review, ref = question_named(office, named["review"], named["ref"])
        return [version.model_dump(mode="json") for version in office.ledger.answers(review.id, ref)]

    return Json({"versions": await asyncio.to_thread(told, office_of(request), request.path_params)})


async def edit(request: Request) -> Json:
    """A person's version: 201 with what blocks it. The same rules and the Reviewer look at it, and it must be approved anew."""
    office, person = somebody(request)
    tag, asked = named_tag(request), await body_of(request, Edit)
    review, ref = await asyncio.to_thread(_found, office, request.path_params)
    made = await edit_answer(
        office,
        review,
        ref,
        by=person,
        text=asked.text,
        choice=asked.choice,
        determination=asked.determination,
        cite=asked.cite,
        digest="" if tag == NONE else tag,
    )
    blocking = sorted({finding.code.value for finding in made.findings if finding.blocks})
    told = {"question": ref, "version": made.version, "digest": made.digest, "blocking": blocking}
    where = f"/v1/reviews/{review.id}/questions/{ref}"
    return Json(told, 201, {"ETag": f'"{made.digest}"', "Location": where})


async def approval(request: Request) -> Json:
    """Approves the answer whose digest is named. 401 unsigned, 403 not allowed, 409 blocked, 412 another digest, 428 none named."""
    office, person = somebody(request)
    tag = named_tag(request)
    await body_of(request, Nothing)

    def decide(review: StoredReview, ref: str) -> Approval:
        current = office.ledger.latest_answers(review.id).get(ref)
        return approve(office, review, ref, current.version if current else None, by=person, digest=tag)

    return await _decided(request, office, decide)


async def rejection(request: Request) -> Json:
    """Rejects it, for the `reason` in the body; refused as an approval is, and 422 without a reason."""
    office, person = somebody(request)
    tag, asked = named_tag(request), await body_of(request, Reason)

    def decide(review: StoredReview, ref: str) -> Approval:
        with office.ledger.writing(durable=True):
            current = office.ledger.latest_answers(review.id).get(ref)
            if current is not None and current.digest != tag:
                raise StaleVersion(f"digest {tag[:16]} is not the current one", where=ref, remedy="Read it again, then decide.")
            return reject(office, review, ref, by=person, reason=asked.reason)

    return await _decided(request, office, decide)


async def approvals(request: Request) -> Json:
    """Approves what is green (PASS, waiting, nothing against it), each recorded by itself: all of it, or the answers that are named with
    the digest that the person saw. What is not green any more, or another answer by now, is told and left alone."""
    office, person = somebody(request)
    asked = await body_of(request, Green)

    def decide(name: str) -> dict[str, Any]:
        review = review_named(office, name)
        given = approve_green(office, review, by=person, seen=asked.answers)
        done = {made.question for made in given}
        why = "it is not green, or not the answer that was seen: look at it by itself"
        refused = {ref: why for ref in asked.answers or {} if ref not in done}
        return {"approved": [_verdict(office, review, made) for made in given], "refused": refused}

    return Json(await asyncio.to_thread(decide, request.path_params["review"]))


async def _decided(request: Request, office: Office, decide: Callable[[StoredReview, str], Approval]) -> Json:
    def done() -> tuple[dict[str, Any], str]:
        review, ref = _found(office, request.path_params)
        made = decide(review, ref)
        return _verdict(office, review, made), made.digest

    told, tag = await asyncio.to_thread(done)
    return Json(told, 200, {"ETag": f'"{tag}"'})


def _verdict(office: Office, review: StoredReview, made: Approval) -> dict[str, Any]:
    return {**made.model_dump(mode="json"), "covers": list(covered(office, review, made))}


def _told(office: Office, named: dict[str, str]) -> tuple[dict[str, Any], str]:
    review, ref = _found(office, named)
    books = open_books(office, review, only=frozenset([ref]))
    asked = next(q for q in review.questionnaire.questions if q.ref == ref)
    answer = books.answers.get(ref)
    return question_report(books, standing(office, books, ref), asked), answer.digest if answer else NONE


def _found(office: Office, named: dict[str, str]) -> tuple[StoredReview, str]:
    return question_named(office, named["review"], named["ref"])


def named_tag(request: Request) -> str:
    """The digest that `If-Match` names, or NONE. Raises a Problem 428 without it, 412 for what is none."""
    given = request.headers.get("if-match")
    if given is None:
        raise Problem(428, "which answer is meant?", where="If-Match", remedy="Send the ETag of the question as you read it.")
    found = TAG.fullmatch(given.strip())
    if found is None:
        raise Problem(412, "this is no digest of an answer", where="If-Match", remedy="Send the ETag of the question as you read it.")
    return found[1]
