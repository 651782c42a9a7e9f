"""The service: a Starlette application over the offices of one or more organisations (product.md, "HTTP API and console")."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from trustops.console import admitting, deciding, holdings, home, problems, reading, sending, signing, steering, stream, uploading
from trustops.console.doors import Door, Need, routes
from trustops.console.guards import OwnName, Sealed
from trustops.console.hosted import Organisations
from trustops.console.people import SignedIn, me
from trustops.domain.errors import TrustOpsError
from trustops.operations.office import Office

API = (
    Door("POST", "/v1/parse", uploading.parse, Need.REVIEW, most=uploading.MAX_BODY, files=1),
    Door("POST", "/v1/reviews", uploading.start_review, Need.REVIEW, most=uploading.MAX_BODY, files=1),
    Door("GET", "/v1/reviews", reading.reviews, Need.READ),
    Door("GET", "/v1/reviews/{review}", reading.review, Need.READ),
    Door("GET", "/v1/reviews/{review}/runs", reading.runs, Need.READ),
    Door("POST", "/v1/reviews/{review}/runs", uploading.recheck, Need.REVIEW),
    Door("GET", "/v1/reviews/{review}/coverage", holdings.covering, Need.READ),
    Door("GET", "/v1/reviews/{review}/gap-register", reading.gap_register, Need.READ),
    Door("POST", "/v1/reviews/{review}/approvals", deciding.approvals, Need.APPROVE),
    Door("POST", "/v1/reviews/{review}/exports", sending.send, Need.REVIEW),
    Door("GET", "/v1/reviews/{review}/exports", sending.exports, Need.READ),
    Door("GET", "/v1/reviews/{review}/questions/{ref}", deciding.question, Need.READ),
    Door("GET", "/v1/reviews/{review}/questions/{ref}/versions", deciding.versions, Need.READ),
    Door("POST", "/v1/reviews/{review}/questions/{ref}/versions", deciding.edit, Need.REVIEW),
    Door("POST", "/v1/reviews/{review}/questions/{ref}/approval", deciding.approval, Need.APPROVE),
    Door("POST", "/v1/reviews/{review}/questions/{ref}/rejection", deciding.rejection, Need.APPROVE),
    Door("GET", "/v1/exports/{export}", sending.sent, Need.READ),
    Door("GET", "/v1/exports/{export}/{file}", sending.file, Need.READ),
    Door("POST", "/v1/verify", sending.verify, Need.READ, most=sending.LARGEST_BUNDLE, files=2),
    Door("GET", "/v1/recall", sending.recall, Need.READ),
    Door("POST", "/v1/recall", sending.recall_anew, Need.REVIEW),
    Door("GET", "/v1/runs/{run}", reading.run, Need.READ),
    Door("GET", "/v1/runs/{run}/events", stream.events, Need.READ),
    Door("GET", "/v1/runs/{run}/recording", reading.recording, Need.REVIEW),
    Door("POST", "/v1/runs/{run}/resume", steering.resume, Need.REVIEW),
    Door("POST", "/v1/runs/{run}/pause", steering.pause, Need.REVIEW),
    Door("POST", "/v1/runs/{run}/cancel", steering.cancel, Need.REVIEW),
    Door("GET", "/v1/evidence", holdings.evidence, Need.READ),
    Door("GET", "/v1/evidence/problems", holdings.problems, Need.READ),
    Door("GET", "/v1/controls", holdings.controls, Need.READ),
    Door("POST", "/v1/controls/collect", holdings.collect, Need.REVIEW),
    Door("GET", "/v1/library", holdings.library, Need.READ),
    Door("POST", "/v1/library", holdings.enter, Need.REVIEW),
    Door("GET", "/v1/library/conflicts", holdings.clashes, Need.READ),
    Door("POST", "/v1/library/{answer}/withdrawal", holdings.withdrawal, Need.REVIEW),
    Door("GET", "/v1/audit", admitting.audit, Need.ADMIN),
    Door("POST", "/v1/audit/{record}/redaction", admitting.redaction, Need.ADMIN),
    Door("GET", "/v1/people", admitting.people, Need.ADMIN),
    Door("POST", "/v1/people/{person}/tokens", admitting.token, Need.ADMIN),
    Door("POST", "/v1/people/{person}/invitation", admitting.invitation, Need.ADMIN),
    Door("POST", "/v1/people/{person}/revocation", admitting.ended, Need.ADMIN),
    Door("GET", "/v1/me", me, Need.READ),
    Door("GET", "/healthz", reading.healthz, Need.NOTHING),
    Door("GET", "/readyz", reading.readyz, Need.NOTHING),
)
SIGN_IN = (
    Door("GET", "/sign-in", signing.ask, Need.NOTHING, page=True),
    Door("POST", "/sign-in", signing.enter, Need.NOTHING, page=True, form=False),
    Door("GET", "/sign-in/link", signing.show_link, Need.NOTHING, page=True),
    Door("POST", "/sign-in/link", signing.use_link, Need.NOTHING, page=True, form=False),
    Door("POST", "/sign-out", signing.leave, Need.READ, page=True),
    Door("POST", "/organisation", signing.choose, Need.NOTHING, page=True),
)
PAGES = (Door("GET", "/", home.show, Need.READ, page=True),)
DOORS: tuple[Door, ...] = (*API, *SIGN_IN, *PAGES)
"""Every address of the service."""


def make_app(*offices: Office, hosts: Iterable[str] = ()) -> Starlette:
    """The application; its lifespan holds the runs: it takes up those that were left behind, and brings all to rest before it closes.
    `hosts` are names beside this machine's own under which it may be asked."""
    app = Starlette(
        routes=list(routes(DOORS)),
        middleware=[Middleware(Sealed), Middleware(OwnName, hosts=tuple(hosts)), Middleware(SignedIn)],
        exception_handlers={HTTPException: problems.on_http, TrustOpsError: problems.on_refusal, Exception: problems.on_fault},
        lifespan=_lifespan,
    )
    app.state.organisations = Organisations(offices)
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    everybody: Organisations = app.state.organisations
    for hosted in everybody.values():
        if hosted.office.engine.durable:
            await hosted.runs.take_up_all()
    try:
        yield
    finally:
        await asyncio.gather(*(hosted.runs.stop() for hosted in everybody.values()))
