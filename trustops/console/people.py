"""Who asks over HTTP: the person whose sign-in token stands in `Authorization: Bearer`. Without one nobody is signed in."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from trustops.console.problems import Json, Problem, document
from trustops.domain.errors import NotAllowed
from trustops.operations.office import Office
from trustops.operations.signing_in import sign_in

LONGEST = 200
"""Characters of a header that may be a token."""
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="trustops"'}


class SignedIn:
    """Signs a request in by its token. One that opens nothing is refused on every route, never passed over."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shown = Headers(scope=scope).get("authorization") if scope["type"] == "http" else None
        if shown is not None:
            try:
                person = await asyncio.to_thread(sign_in, scope["app"].state.office, _token(shown))
            except NotAllowed as refused:
                problem = Problem(401, refused.message, where="Authorization", remedy=refused.remedy)
                await document(problem, headers=CHALLENGE)(scope, receive, send)
                return
            scope.setdefault("state", {})["person"] = person
        await self.app(scope, receive, send)


def _token(header: str) -> str:
    """What stands behind "Bearer"; of anything else, nothing that opens."""
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" and len(header) <= LONGEST else ""


def office_of(request: Request) -> Office:
    """The organisation's office, for whoever signed this request in."""
    office: Office = request.app.state.office
    return replace(office, signed_in=getattr(request.state, "person", ""))


def somebody(request: Request) -> tuple[Office, str]:
    """Office and name of the person who signed in; a Problem 401 where nobody did."""
    office = office_of(request)
    if not office.signed_in:
        remedy = "Send Authorization: Bearer TOKEN; `trustops people issue NAME --by ADMIN` makes one."
        raise Problem(401, "who asks this must sign in", where="Authorization", remedy=remedy, headers=CHALLENGE)
    return office, office.signed_in


async def me(request: Request) -> Json:
    """Who signed in, and with what role; 401 where nobody did."""
    office, person = somebody(request)
    return Json({"person": person, "role": office.people[person].value, "identity": "authenticated"})
