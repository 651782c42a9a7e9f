"""The live streams of a run and of a review. They read the event table and nothing else: a run goes on whoever watches, and a watcher that
comes late or comes back gets what it missed. The bell only says when to look; a look every second covers runs of other processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.responses import Response

from trustops.console.feeds import Feed, ReviewFeed, RunFeed
from trustops.console.finding import review_named, run_named
from trustops.console.people import Who, office_of, who
from trustops.console.problems import Problem
from trustops.console.tails import Tail, frames

HEARTBEAT_S = 15
SEND_TIMEOUT_S = 20
"""A client that does not read would otherwise hold its connection for ever."""
LOOK_S = 15.0
"""How long somebody who was shown out may go on listening."""
GRACE_S = 3
LONGEST = 400
"""Characters of an id."""


async def events(request: Request) -> Response:
    """Server-sent events of a run after `Last-Event-ID`, or after `?after=`, always up to a terminal event.

    204 for a client that has the terminal event already: it tells an EventSource to stay away. 404 where there is no such run,
    400 for a number that is no event of the run, 429 where too many watch.
    """
    office = office_of(request)
    run = await asyncio.to_thread(run_named, office, request.path_params["run"])
    return await _answer(request, RunFeed(office.ledger, run.id))


async def review_events(request: Request) -> Response:
    """Server-sent events of all runs of a review, and of what happens to its answers, after `Last-Event-ID` or `?after=`; the last one is
    `settled`, where no run goes on. The refusals are those of a run's stream."""
    office = office_of(request)
    review = await asyncio.to_thread(review_named, office, request.path_params["review"])
    return await _answer(request, ReviewFeed(office.ledger, review.id))


async def _answer(request: Request, feed: Feed) -> Response:
    """The stream, counted as long as it is open."""
    found, after = who(request), _after(request)
    hosted = found.hosted
    if not await asyncio.to_thread(feed.known, after):
        raise Problem(400, "this is not the number of an event here", where="Last-Event-ID or after", remedy="Begin again without it.")
    if await asyncio.to_thread(feed.done, after):
        return Response(status_code=204)
    if hosted.streams >= hosted.most_streams:
        told = f"{hosted.most_streams} streams of this organisation are open"
        raise Problem(429, told, remedy="Close one, or try again later.", headers={"Retry-After": "30"})
    return EventSourceResponse(
        _stream(found, feed, after),
        ping=HEARTBEAT_S,
        sep="\n",
        send_timeout=SEND_TIMEOUT_S,
        shutdown_grace_period=GRACE_S,
    )


async def _stream(found: Who, feed: Feed, after: str) -> AsyncIterator[bytes]:
    hosted, out = found.hosted, asyncio.Event()
    hosted.streams += 1
    try:
        async with hosted.tails.of(feed, hosted.runs.bell, after) as tail:
            looking = asyncio.create_task(_shown_out(found, tail, out))
            try:
                async for data in frames(feed, tail, after, out.is_set):
                    yield data
            finally:
                looking.cancel()
    finally:
        hosted.streams -= 1


async def _shown_out(found: Who, tail: Tail, out: asyncio.Event) -> None:
    """Ends the stream of a person whose session or token is over. It breaks off without a terminal event; who comes back must sign in."""
    while not out.is_set():
        await asyncio.sleep(LOOK_S)
        if not await asyncio.to_thread(found.still):
            out.set()
            tail.wake()


def _after(request: Request) -> str:
    """The last event that the client has. The header wins: on reconnection the address still says where it once began."""
    given = request.headers.get("last-event-id") or request.query_params.get("after") or ""
    return "" if given == "0" else given[: LONGEST + 1]
