"""What becomes of a run: it is taken up, paused or cancelled. A run of another process heeds the books too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.requests import Request

from trustops.console.finding import run_named
from trustops.console.people import office_of, who
from trustops.console.problems import Json
from trustops.domain.record import RunInfo
from trustops.operations import resuming
from trustops.operations.office import Office
from trustops.operations.telling import Watch


async def resume(request: Request) -> Json:
    """202 with the run, which goes on here. 404 where there is none; 409 where it is over, or somebody works on it or its review."""
    found = await asyncio.to_thread(run_named, office_of(request), request.path_params["run"])
    await who(request).hosted.runs.resume(found)
    return Json(_links(found), 202, {"Location": f"/v1/runs/{found.id}"})


async def pause(request: Request) -> Json:
    """202: the run begins no new question, whoever carries it out. 404 where there is none, 409 where it is over."""
    return await _asked(request, resuming.pause)


async def cancel(request: Request) -> Json:
    """202: the run is over in the books, and whoever carries it out breaks off. 404 where there is none, 409 where it is over."""
    return await _asked(request, resuming.cancel)


async def _asked(request: Request, verb: Callable[[Office, str, Watch], RunInfo]) -> Json:
    office = office_of(request)
    found = await asyncio.to_thread(run_named, office, request.path_params["run"])
    await asyncio.to_thread(verb, office, found.id, lambda kind, question, data: None)
    await who(request).hosted.runs.bell.ring(found.id)
    return Json(_links(found), 202)


def _links(run: RunInfo) -> dict[str, str]:
    return {"review": run.review, "run": run.id, "events": f"/v1/runs/{run.id}/events", "status": f"/v1/reviews/{run.review}"}
