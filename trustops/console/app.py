"""The service of one organisation: a Starlette application over its office (product.md, "HTTP API and console")."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from trustops.console import deciding, problems, reading, steering
from trustops.console.guards import LoopbackOnly
from trustops.console.people import SignedIn, me
from trustops.console.runs import Runs
from trustops.console.stream import events
from trustops.console.uploading import start_review
from trustops.domain.errors import TrustOpsError
from trustops.operations.office import Office

ROUTES = (
    Route("/v1/reviews", start_review, methods=["POST"]),
    Route("/v1/reviews", reading.reviews),
    Route("/v1/reviews/{review}", reading.review),
    Route("/v1/reviews/{review}/questions/{ref}", deciding.question),
    Route("/v1/reviews/{review}/questions/{ref}/approval", deciding.approval, methods=["POST"]),
    Route("/v1/reviews/{review}/questions/{ref}/rejection", deciding.rejection, methods=["POST"]),
    Route("/v1/me", me),
    Route("/v1/runs/{run}", reading.run),
    Route("/v1/runs/{run}/events", events),
    Route("/v1/runs/{run}/resume", steering.resume, methods=["POST"]),
    Route("/v1/runs/{run}/pause", steering.pause, methods=["POST"]),
    Route("/v1/runs/{run}/cancel", steering.cancel, methods=["POST"]),
    Route("/healthz", reading.healthz),
    Route("/readyz", reading.readyz),
)


def make_app(office: Office) -> Starlette:
    """The application; its lifespan holds the runs: it takes up those that were left behind, and brings all to rest before it closes."""
    app = Starlette(
        routes=list(ROUTES),
        middleware=[Middleware(LoopbackOnly), Middleware(SignedIn)],
        exception_handlers={HTTPException: problems.on_http, TrustOpsError: problems.on_refusal, Exception: problems.on_fault},
        lifespan=_lifespan,
    )
    app.state.office = office
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    app.state.runs = Runs(app.state.office)
    if app.state.office.engine.durable:
        await app.state.runs.take_up_all()
    try:
        yield
    finally:
        await app.state.runs.stop()
