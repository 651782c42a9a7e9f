"""Figures of the service for a monitor, in Prometheus' text form (exposition format 0.0.4): counts and times, no word of anybody."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.hosted import Hosted
from trustops.console.people import who

KIND = "text/plain; version=0.0.4; charset=utf-8"


async def metrics(request: Request) -> Response:
    """Figures of the organisation of whoever asks: requests by address and status, how long they took, streams, runs, reviews."""
    hosted = who(request).hosted
    reviews = await asyncio.to_thread(hosted.office.ledger.reviews)
    return Response("\n".join(_lines(hosted, len(reviews))) + "\n", headers={"Content-Type": KIND})


def _lines(hosted: Hosted, reviews: int) -> Iterator[str]:
    label = f'organisation="{hosted.name}"'
    yield from _family("trustops_streams_open", "gauge", "Streams that are open.", [(label, hosted.streams)])
    yield from _family("trustops_runs_going", "gauge", "Runs that this process carries out.", [(label, hosted.runs.going)])
    yield from _family("trustops_reviews", "gauge", "Reviews on record.", [(label, reviews)])
    told = [(f'{label},method="{m}",path="{p}",status="{s}"', n) for (m, p, s), n in sorted(hosted.meter.requests.items())]
    yield from _family("trustops_requests_total", "counter", "Requests that were answered.", told)
    yield from _histogram("trustops_request_seconds", label, hosted.meter.times, hosted.meter.bounds, hosted.meter.seconds)


def _family(name: str, kind: str, told: str, values: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        yield f"{name}{{{labels}}} {value}"


def _histogram(name: str, label: str, times: Counter[int], bounds: tuple[float, ...], seconds: float) -> Iterator[str]:
    yield f"# HELP {name} Time until an answer began, in seconds."
    yield f"# TYPE {name} histogram"
    below = 0
    for place, bound in enumerate(bounds):
        below += times[place]
        yield f'{name}_bucket{{{label},le="{bound}"}} {below}'
    whole = sum(times.values())
    yield f'{name}_bucket{{{label},le="+Inf"}} {whole}'
    yield f"{name}_sum{{{label}}} {seconds:.6f}"
    yield f"{name}_count{{{label}}} {whole}"
