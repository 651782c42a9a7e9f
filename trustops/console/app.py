"""The service: a Starlette application over the offices of one or more organisations (product.md, "HTTP API and console")."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from trustops.console import oidc, pages, problems, signing
from trustops.console.api import API
from trustops.console.doors import Door, Need, routes
from trustops.console.guards import OwnName, Sealed
from trustops.console.hosted import STREAMS, THREADS, Organisations
from trustops.console.pages.refusing import as_page
from trustops.console.people import SignedIn
from trustops.domain.errors import TrustOpsError
from trustops.operations.office import Office

SIGN_IN = (
    Door("GET", "/sign-in", signing.ask, Need.NOTHING, page=True),
    Door("POST", "/sign-in", signing.enter, Need.NOTHING, page=True, form=False),
    Door("GET", "/sign-in/link", signing.show_link, Need.NOTHING, page=True),
    Door("POST", "/sign-in/link", signing.use_link, Need.NOTHING, page=True, form=False),
    Door("GET", "/sign-in/oidc", oidc.begin, Need.NOTHING, page=True),
    Door("GET", "/sign-in/oidc/callback", oidc.back, Need.NOTHING, page=True),
    Door("POST", "/sign-out", signing.leave, Need.READ, page=True),
    Door("POST", "/organisation", signing.choose, Need.NOTHING, page=True),
)
DOORS: tuple[Door, ...] = (*API, *SIGN_IN, *pages.DOORS)
"""Every address of the service."""


MACHINE = "trustops.workflow.machine"
"""Its graph library takes seconds to import. The first run would do that in the midst of everybody else's requests."""


def make_app(*offices: Office, hosts: Iterable[str] = (), streams: int = STREAMS) -> Starlette:
    """The application; its lifespan holds the runs: it takes up those that were left behind, and brings all to rest before it closes.
    `hosts` are names beside this machine's own under which it may be asked; `streams` is how many one organisation may hold open."""
    app = Starlette(
        routes=list(routes(DOORS)),
        middleware=[Middleware(Sealed), Middleware(OwnName, hosts=tuple(hosts)), Middleware(SignedIn)],
        exception_handlers={
            HTTPException: as_page(problems.on_http),
            TrustOpsError: as_page(problems.on_refusal),
            Exception: as_page(problems.on_fault),
        },
        lifespan=_lifespan,
    )
    app.state.organisations = Organisations(offices, streams)
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    everybody: Organisations = app.state.organisations
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="trustops"))
    warming = asyncio.create_task(asyncio.to_thread(importlib.import_module, MACHINE))
    for hosted in everybody.values():
        if hosted.office.engine.durable:
            await hosted.runs.take_up_all()
    try:
        with ExitStack() as listening:
            for hosted in everybody.values():
                listening.enter_context(hosted.runs.hear())
            yield
    finally:
        await warming
        await asyncio.gather(*(hosted.runs.stop() for hosted in everybody.values()))
