"""What can be read: reviews, one review as `status --json` tells it, one run, and whether the service is well."""

from __future__ import annotations

import asyncio

from starlette.requests import Request

from trustops.console.problems import Json, Problem
from trustops.domain.record import RunInfo
from trustops.operations.office import Office
from trustops.operations.reporting import report
from trustops.ports import StoredReview


async def reviews(request: Request) -> Json:
    """Every review, oldest first."""
    found = await asyncio.to_thread(_office(request).ledger.reviews)
    rows = [
        {
            "review": review.id,
            "file": review.questionnaire.file,
            "created_at": review.created_at.isoformat(),
            "questions": len(review.questionnaire.questions),
            "status": f"/v1/reviews/{review.id}",
        }
        for review in found
    ]
    return Json({"reviews": rows})


async def review(request: Request) -> Json:
    """The contract of `trustops status REVIEW --json`; 404 where there is no such review."""
    return Json(await asyncio.to_thread(_told, _office(request), request.path_params["review"]))


async def run(request: Request) -> Json:
    """One run: what it was started with and how it stands; 404 where there is no such run."""
    office = _office(request)
    found = await asyncio.to_thread(run_named, office, request.path_params["run"])
    return Json({**found.model_dump(mode="json", exclude={"id"}), "run": found.id, "events": f"/v1/runs/{found.id}/events"})


async def healthz(request: Request) -> Json:
    """The process answers."""
    del request
    return Json({"status": "ok"})


async def readyz(request: Request) -> Json:
    """The ledger answers and runs may be started; 503 while the service stops."""
    if request.app.state.runs.stopping:
        raise Problem(503, "the service is stopping", remedy="Try again when it is back.")
    await asyncio.to_thread(_office(request).ledger.get_run, "")
    return Json({"status": "ready"})


def run_named(office: Office, name: str) -> RunInfo:
    """The run of an id. The refusal is the same to the byte for every id, so that it tells nothing about others' runs."""
    found = office.ledger.get_run(name)
    if found is None:
        raise Problem(404, "there is no such run", remedy="GET /v1/reviews lists the reviews.")
    return found


def _told(office: Office, name: str) -> dict[str, object]:
    found: StoredReview | None = office.ledger.get_review(name)
    if found is None or found.id != name:  # the ledger also takes the beginning of an id; an address is exact
        raise Problem(404, "there is no such review", remedy="GET /v1/reviews lists them.")
    return report(office, found)


def _office(request: Request) -> Office:
    office: Office = request.app.state.office
    return office
