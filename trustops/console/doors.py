"""What every address asks of who comes: one table of doors, each with the role and the token's scope that it needs.

A door is opened in this order: size of the body, who asks (401, or the sign-in page for a page), role and scope (403), the token of a
session's form (403), and then the endpoint.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trustops.console.bodies import SMALL, limited
from trustops.console.forms import must_be_own_form
from trustops.console.guards import READING
from trustops.console.people import Who, perhaps, who
from trustops.console.problems import Problem, status_of
from trustops.console.repeating import KEY, once
from trustops.domain.approval import MAY_APPROVE, MAY_EDIT, Role
from trustops.domain.credential import Scope
from trustops.domain.errors import TrustOpsError

Endpoint = Callable[[Request], Awaitable[Response]]


class Need(StrEnum):
    """What a door asks for. NOTHING: anybody may come, signed in or not."""

    NOTHING = "nothing"
    READ = "read"
    REVIEW = "review"
    APPROVE = "approve"
    ADMIN = "admin"


ROLES: dict[Need, frozenset[Role]] = {
    Need.READ: frozenset(Role),
    Need.REVIEW: MAY_EDIT,
    Need.APPROVE: MAY_APPROVE,
    Need.ADMIN: frozenset({Role.ADMIN}),
}
"""Which roles may come through. The operations behind the doors check the same again."""


@dataclass(frozen=True, slots=True)
class Door:
    """One method at one address. `page`: a person looks at it, so that a stranger is led to the sign-in page. `most` is the size of a body
    in bytes, `files` how many it may carry. `form`: a session must send its form token, which only what begins a session need not.

    The rest is what the OpenAPI document tells: shape of body and reply, the status of a success, refusals beside those of every door
    (`match`: If-Match is wanted), the kind of what is not JSON, and query parameters. `secret`: the reply is told once and kept nowhere.
    """

    method: str
    path: str
    endpoint: Endpoint
    need: Need
    page: bool = False
    most: int = SMALL
    files: int = 0
    form: bool = True
    body: type[BaseModel] | None = None
    reply: type[BaseModel] | None = None
    status: int = 200
    errors: tuple[int, ...] = ()
    match: bool = False
    kind: str = "application/json"
    query: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    secret: bool = False

    @property
    def address(self) -> str:
        """The path as the document tells it: what a parameter may hold is the router's affair."""
        return self.path.replace(":path}", "}")


def routes(doors: Iterable[Door]) -> list[Route]:
    """The doors as Starlette knows them."""
    return [Route(door.path, _guarded(door), methods=[door.method], name=f"{door.method} {door.path}") for door in doors]


def _guarded(door: Door) -> Endpoint:
    async def enter(request: Request) -> Response:
        asked, began, status = limited(request, door.most), time.monotonic(), 500
        try:
            answer = await admitted(asked)
            status = answer.status_code
            return answer
        except (HTTPException, TrustOpsError) as refused:
            status = refused.status_code if isinstance(refused, HTTPException) else status_of(refused)
            raise
        finally:
            await asked.close()  # files of a form, whoever read it
            if (found := perhaps(asked)) is not None:
                found.hosted.meter.count(door.method, door.path, status, time.monotonic() - began)

    async def admitted(asked: Request) -> Response:
        if door.need is not Need.NOTHING:
            found = perhaps(asked)
            if found is None and door.page and door.method in READING:
                return RedirectResponse(f"/sign-in?next={quote(_address(asked), safe='/')}", 303)
            admit(who(asked), door.need)
        try:
            if door.form and door.method not in READING:
                await must_be_own_form(asked, door.files)
            key = asked.headers.get(KEY) if door.method == "POST" and not door.page else None
            return await (door.endpoint(asked) if key is None else once(asked, key, door.endpoint, files=door.files, secret=door.secret))
        finally:
            await asked.close()  # files of a form lie on the disk until they are closed

    enter.__doc__ = door.endpoint.__doc__
    return enter


def admit(found: Who, need: Need) -> None:
    """Raises a Problem 403 where role or token are not enough."""
    if found.role not in ROLES[need]:
        wanted = ", ".join(role.value for role in Role if role in ROLES[need])
        raise Problem(
            403, f"{found.person} is {found.role.value}, and this is for {wanted}", remedy="Ask somebody who may.", kind="not-allowed"
        )
    if Scope(need.value) not in found.scopes:
        held = ", ".join(sorted(found.scopes))
        raise Problem(
            403,
            f"this token is for {held}, not to {need}",
            where="Authorization",
            remedy=f"Use one with the scope {need}.",
            kind="not-allowed",
        )


def _address(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
