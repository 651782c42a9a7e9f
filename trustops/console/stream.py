"""The live stream of a run. It reads the event table and nothing else: a run goes on whoever watches, and a watcher that comes
late or comes back gets what it missed. The bell only says when to look; a look every second covers runs of other processes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from trustops.console.feed import heard_all, is_event, line, next_page
from trustops.console.finding import run_named
from trustops.console.people import office_of, who
from trustops.console.problems import Problem
from trustops.console.runs import Bell
from trustops.domain.record import Event
from trustops.operations.office import Office

POLL_S = 1.0
HEARTBEAT_S = 15
SEND_TIMEOUT_S = 20
"""A client that does not read would otherwise hold its connection for ever."""
GRACE_S = 3
RETRY_MS = 2000


async def events(request: Request) -> Response:
    """Server-sent events after `Last-Event-ID`, or after `?after=`, always up to a terminal event.

    204 for a client that has the terminal event already: it tells an EventSource to stay away. 404 where there is no such run,
    400 for a number that is no event of the run.
    """
    office, hosted = office_of(request), who(request).hosted
    after = _after(request)
    run = request.path_params["run"]
    if await asyncio.to_thread(_nothing_left, office, run, after):
        return Response(status_code=204)
    stream = _stream(office, hosted.runs.bell, run, after)
    return EventSourceResponse(
        stream,
        ping=HEARTBEAT_S,
        sep="\n",
        send_timeout=SEND_TIMEOUT_S,
        shutdown_grace_period=GRACE_S,
    )


async def _stream(office: Office, bell: Bell, run: str, after: int) -> AsyncIterator[ServerSentEvent]:
    over = False
    while not over:
        heard = bell.count(run)
        page = await asyncio.to_thread(next_page, office.ledger, run, after)
        for event in page.events:
            yield _sent(event)
            after = event.seq
        over = page.over
        if not page.events:
            await bell.wait(run, heard, POLL_S)


def _sent(event: Event) -> ServerSentEvent:
    data = json.dumps(line(event), ensure_ascii=False)
    return ServerSentEvent(data, event=event.kind, id=str(event.seq), retry=RETRY_MS, sep="\n")


def _after(request: Request) -> int:
    """The last event that the client has. The header wins: on reconnection the address still says where it once began."""
    given = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise _no_event()
    return int(given)


def _nothing_left(office: Office, run: str, after: int) -> bool:
    found = run_named(office, run)
    if not is_event(office.ledger, run, after):
        raise _no_event()
    return heard_all(office.ledger, found, after)


def _no_event() -> Problem:
    return Problem(400, "this is not the number of an event of the run", where="Last-Event-ID or after", remedy="Begin again without it.")
