"""Who asks over HTTP: whoever's token stands in `Authorization: Bearer`, or whoever's browser holds a session. Else nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from trustops.console import cookies
from trustops.console.attempts import must_wait
from trustops.console.hosted import Hosted, Organisations, organisations
from trustops.console.problems import Json, Problem, document
from trustops.domain import credential
from trustops.domain.approval import Role
from trustops.domain.credential import parsed
from trustops.domain.errors import NotAllowed
from trustops.operations.office import Office
from trustops.operations.sessions import form_token, is_open, session_of
from trustops.operations.signing_in import credential_of

LONGEST = 200
"""Characters of a header that may be a token."""
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="trustops"'}
TOKEN, SESSION = "token", "session"


@dataclass(frozen=True, slots=True)
class Who:
    """The person who signed this request in, and in which organisation. `how` is token or session; `form` is what every form of a session
    carries in its field `csrf`, and is empty for a token, which no browser sends by itself. `still` looks into the books whether what was
    shown opens yet."""

    person: str
    role: Role
    scopes: frozenset[credential.Scope]
    how: str
    hosted: Hosted
    still: Callable[[], bool]
    form: str = ""

    @property
    def organisation(self) -> str:
        return self.hosted.name


class SignedIn:
    """Signs a request in. A token that opens nothing is refused on every route, never passed over; a session that is over is nobody's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            shown = Headers(scope=scope).get("authorization")
            try:
                who = await (_by_token(scope, shown) if shown is not None else _by_session(scope))
            except Problem as refused:
                await document(refused, headers=dict(refused.headers or {}))(scope, receive, send)
                return
            scope.setdefault("state", {})["who"] = who
        await self.app(scope, receive, send)


async def _by_token(scope: Scope, header: str) -> Who:
    token, everybody = _token(header), organisations(scope)
    came_from = address_of(scope)
    too_soon = must_wait((everybody.addresses, f"token {came_from}"))
    try:
        return await asyncio.to_thread(_opened, everybody, token, too_soon)
    except NotAllowed as refused:
        everybody.addresses.failed(f"token {came_from}")
        raise Problem(401, refused.message, where="Authorization", remedy=refused.remedy, headers=CHALLENGE) from refused


def _opened(everybody: Organisations, token: str, too_soon: Problem | None) -> Who:
    """The token belongs to the organisation whose books know it. Who has to wait may still show a token that opened here before."""
    name, secret = parsed(token)
    hosted = next(
        (each for each in everybody.values() if any(kept.id == name for kept in each.office.ledger.credentials())), everybody.first
    )
    if too_soon is not None and not hosted.opened.remembers(name, secret):
        raise too_soon
    kept = credential_of(hosted.office, token, hosted.opened)
    still = partial(_opens, hosted, token)
    return Who(kept.person, hosted.office.people[kept.person], frozenset(kept.scopes), TOKEN, hosted, still)


def _opens(hosted: Hosted, token: str) -> bool:
    try:
        credential_of(hosted.office, token, hosted.opened)
    except NotAllowed:
        return False
    return True


async def _by_session(scope: Scope) -> Who | None:
    asked = HTTPConnection(scope)
    hosted = looked_at(asked)
    secret = cookies.read(asked, cookies.session_cookie(hosted.name))
    if not 0 < len(secret) <= LONGEST:
        return None
    session = await asyncio.to_thread(session_of, hosted.office, secret)
    if session is None:
        return None
    office, scopes, still = hosted.office, frozenset(credential.Scope), partial(is_open, hosted.office, secret)
    return Who(session.person, office.people[session.person], scopes, SESSION, hosted, still, form_token(secret))


def looked_at(asked: HTTPConnection) -> Hosted:
    """The organisation that a browser looks at: the one it chose, else the first one that it has a session of, else the first."""
    everybody = organisations(asked.scope)
    chosen = everybody.get(cookies.read(asked, cookies.ORGANISATION))
    return chosen or next((each for each in everybody.values() if cookies.read(asked, cookies.session_cookie(each.name))), everybody.first)


def address_of(scope: Scope) -> str:
    """Where a request comes from: the peer, or whom a trusted proxy names."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _token(header: str) -> str:
    """What stands behind "Bearer"; of anything else, nothing that opens."""
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" and len(header) <= LONGEST else ""


def perhaps(request: Request) -> Who | None:
    """Who signed in, where somebody did."""
    found: Who | None = getattr(request.state, "who", None)
    return found


def who(request: Request) -> Who:
    """Who signed in; a Problem 401 where nobody did."""
    found = perhaps(request)
    if found is None:
        remedy = "Send Authorization: Bearer TOKEN (`trustops people issue NAME --by ADMIN` makes one), or sign in at /sign-in."
        raise Problem(401, "who asks this must sign in", where="Authorization", remedy=remedy, headers=CHALLENGE)
    return found


def office_of(request: Request) -> Office:
    """The organisation's office, for whoever signed this request in."""
    found = who(request)
    return replace(found.hosted.office, signed_in=found.person, scopes=found.scopes)


def somebody(request: Request) -> tuple[Office, str]:
    """Office and name of the person who signed in."""
    office = office_of(request)
    return office, office.signed_in


async def me(request: Request) -> Json:
    """Who signed in, with what role, in which organisation."""
    found = who(request)
    told = {"person": found.person, "role": found.role.value, "identity": "authenticated", "organisation": found.organisation}
    return Json({**told, "scopes": sorted(found.scopes), "how": found.how})
