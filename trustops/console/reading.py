"""What can be read: reviews, one review as `status --json` tells it, runs, and whether the service is well."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from trustops import settings
from trustops.console.downloads import attachment
from trustops.console.finding import review_named, run_named
from trustops.console.hosted import organisations
from trustops.console.paging import page_of
from trustops.console.people import office_of
from trustops.console.problems import Json, Problem
from trustops.domain.authenticity import Origin
from trustops.domain.record import RunInfo
from trustops.operations.fetching import gaps
from trustops.operations.office import Office
from trustops.operations.recording import recorded
from trustops.operations.reporting import report
from trustops.ports import StoredReview


async def reviews(request: Request) -> Json:
    """Every review, oldest first, in pages."""
    page = page_of(request, await asyncio.to_thread(office_of(request).ledger.reviews), lambda review: review.id)
    return Json({"reviews": [_row(review) for review in page.entries], "next": page.next})


async def review(request: Request) -> Json:
    """The contract of `trustops status REVIEW --json`; 404 where there is no such review."""

    def told(office: Office, name: str) -> dict[str, Any]:
        return report(office, review_named(office, name))

    return Json(await asyncio.to_thread(told, office_of(request), request.path_params["review"]))


async def runs(request: Request) -> Json:
    """The runs of a review, oldest first."""

    def told(office: Office, name: str) -> list[dict[str, Any]]:
        return [run_row(run) for run in office.ledger.runs(review_named(office, name).id)]

    return Json({"runs": await asyncio.to_thread(told, office_of(request), request.path_params["review"])})


async def run(request: Request) -> Json:
    """One run: what it was started with and how it stands; 404 where there is no such run."""
    found = await asyncio.to_thread(run_named, office_of(request), request.path_params["run"])
    return Json(run_row(found))


async def recording(request: Request) -> Response:
    """A run as one file (`trustops record`), packed. 409 where evidence or readings are no longer those that it saw, or where a key of
    this environment would be in it."""

    def made(office: Office, name: str) -> tuple[str, bytes, str]:
        found = run_named(office, name)
        return f"{found.id}.jsonl.gz", recorded(office, found.id, secrets=settings.secrets()), Origin.RECORDED.value

    return attachment(*await asyncio.to_thread(made, office_of(request), request.path_params["run"]))


async def gap_register(request: Request) -> Response:
    """What is not cleared, why, and what would close the gap: CSV, for the organisation and not for the customer."""

    def made(office: Office, name: str) -> tuple[str, bytes]:
        return gaps(office, review_named(office, name))

    return attachment(*await asyncio.to_thread(made, office_of(request), request.path_params["review"]))


async def healthz(request: Request) -> Json:
    """The process answers."""
    del request
    return Json({"status": "ok"})


async def readyz(request: Request) -> Json:
    """Every ledger answers and runs may be started; 503 while the service stops."""
    everybody = organisations(request.scope)
    if any(hosted.runs.stopping for hosted in everybody.values()):
        raise Problem(503, "the service is stopping", remedy="Try again when it is back.")
    for hosted in everybody.values():
        await asyncio.to_thread(hosted.office.ledger.get_run, "")
    return Json({"status": "ready"})


def run_row(found: RunInfo) -> dict[str, Any]:
    """One run for machines."""
    return {**found.model_dump(mode="json", exclude={"id"}), "run": found.id, "events": f"/v1/runs/{found.id}/events"}


def _row(review: StoredReview) -> dict[str, Any]:
    return {
        "review": review.id,
        "file": review.questionnaire.file,
        "created_at": review.created_at.isoformat(),
        "questions": len(review.questionnaire.questions),
        "status": f"/v1/reviews/{review.id}",
    }
