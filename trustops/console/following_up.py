"""A customer's follow-up over HTTP: the case is made or found again, and its run begins here as any other."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request

from trustops.console.asked import FollowUp
from trustops.console.bodies import body_of
from trustops.console.deciding import NONE, named_tag
from trustops.console.finding import question_named
from trustops.console.people import office_of, who
from trustops.console.problems import Json
from trustops.console.runs import Runs
from trustops.domain.errors import Unavailable
from trustops.operations.asking import ask, conversation_report
from trustops.operations.office import Office
from trustops.ports import StoredReview


async def follow_up(request: Request) -> Json:
    """202 with the case of a customer's follow-up and its run. It is worked, approved and exported like any other question.

    The same words again are the same case and a new attempt at it. 404 where there is no such question, 409 where it was never answered or
    a run of the case goes on, 412 where its answer is another one than was read, 422 where the words are no question.
    """
    tag, asked = named_tag(request), await body_of(request, FollowUp)
    office, runs, named = office_of(request), who(request).hosted.runs, request.path_params
    review, ref = await asyncio.to_thread(question_named, office, named["review"], named["ref"])
    case, run = await begun(office, runs, review, ref, asked.text, "" if tag == NONE else tag)
    told = {
        "review": case.id,
        "question": case.questionnaire.questions[0].ref,
        "follows": case.follows.model_dump() if case.follows else None,
        "run": run,
        "events": f"/v1/runs/{run}/events",
        "status": f"/v1/reviews/{case.id}",
    }
    return Json(told, 202, {"Location": f"/v1/runs/{run}"})


async def follow_ups(request: Request) -> Json:
    """The follow-ups to a question with what became of each, oldest first: the contract of `trustops ask QUESTION --json`. Of a follow-up
    it tells the conversation that it stands in."""

    def told(named: dict[str, str]) -> dict[str, Any]:
        office = office_of(request)
        return conversation_report(office, *question_named(office, named["review"], named["ref"]))

    return Json(await asyncio.to_thread(told, request.path_params))


async def begun(office: Office, runs: Runs, review: StoredReview, ref: str, text: str, seen: str) -> tuple[StoredReview, str]:
    """The case and its new run. Raises as `ask` and `Runs.start` do; a service that stops takes no question in."""
    if runs.stopping:
        raise Unavailable("the service is stopping", remedy="Try again when it is back.")
    case = await asyncio.to_thread(ask, office, review, ref, text, seen)
    return case, await runs.start(case, ())
