"""Signing in and out with a browser: name and password, or a link that works once. Every form works without JavaScript."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from trustops.console import cookies
from trustops.console.attempts import must_wait
from trustops.console.forms import form_of
from trustops.console.hosted import Hosted, organisations
from trustops.console.people import address_of, looked_at, perhaps, who
from trustops.console.problems import Problem
from trustops.console.rendering import page
from trustops.domain.errors import NotAllowed, UsageError
from trustops.operations.inviting import accept, invited
from trustops.operations.office import Office
from trustops.operations.passwords import LEAST, MOST, password_opens
from trustops.operations.sessions import end_session, open_session
from trustops.operations.timing import present

START = "/"
"""Where a person is led who asked for nothing else."""


async def ask(request: Request) -> Response:
    """The form. Who is signed in already goes on to where they wanted to go."""
    following = inside(request.query_params.get("next", ""))
    if perhaps(request) is not None:
        return RedirectResponse(following, 303)
    return form(request, following=following)


async def enter(request: Request) -> Response:
    """Opens a session, or shows the form again: 401 where name or password are wrong, 429 after too many attempts."""
    typed = await _texts(request)
    following = inside(typed.get("next", ""))
    hosted = organisations(request.scope).get(typed.get("organisation", "")) or looked_at(request)
    person = typed.get("person", "").strip()
    try:
        with counted(request, hosted, person):
            async with organisations(request.scope).hashing:
                await asyncio.to_thread(password_opens, hosted.office, person, typed.get("password", ""))
    except NotAllowed as refused:
        await asyncio.to_thread(recorded, hosted.office, person, "password")
        return form(request, 401, str(refused.message), person, following)
    except Problem as too_soon:
        answer = form(request, too_soon.status_code, f"{too_soon.detail}. {too_soon.remedy}", person, following)
        answer.headers.update(too_soon.headers or {})
        return answer
    return await signed_in(request, hosted, person, "password", following)


async def signed_in(request: Request, hosted: Hosted, person: str, how: str, following: str) -> Response:
    """Where a sign-in leads, with a new session in the browser. What session it had there before is over."""
    name = cookies.session_cookie(hosted.name)
    secret = await asyncio.to_thread(open_session, hosted.office, person, how=how, before=cookies.read(request, name))
    answer = RedirectResponse(following, 303)
    cookies.write(request, answer, name, secret, seconds=int(hosted.office.stay.longest.total_seconds()))
    cookies.write(request, answer, cookies.ORGANISATION, hosted.name)
    return answer


async def leave(request: Request) -> Response:
    """Ends the session."""
    found = who(request)
    name = cookies.session_cookie(found.organisation)
    await asyncio.to_thread(end_session, found.hosted.office, cookies.read(request, name))
    answer = RedirectResponse("/sign-in", 303)
    cookies.clear(request, answer, name)
    return answer


async def choose(request: Request) -> Response:
    """Looks at another organisation of this service from now on. A person signs in to each by itself."""
    typed = await _texts(request)
    hosted = organisations(request.scope).get(typed.get("organisation", ""))
    if hosted is None:
        raise Problem(404, "there is no such organisation here", where="organisation")
    answer = RedirectResponse(START, 303)
    cookies.write(request, answer, cookies.ORGANISATION, hosted.name)
    return answer


async def show_link(request: Request) -> Response:
    """The form behind a link. Looking at it does not use it up: mail programs look at links too."""
    return await asyncio.to_thread(_link, request, request.query_params.get("key", ""))


async def use_link(request: Request) -> Response:
    """Sets the password, uses the link up and signs in; shows the form again where the password will not do."""
    typed = await _texts(request)
    key = typed.get("key", "")
    if typed.get("password") != typed.get("again"):
        return await asyncio.to_thread(_link, request, key, 422, "the two passwords differ")
    hosted = await asyncio.to_thread(_inviting, request, key)
    try:
        with counted(request, hosted or looked_at(request), "link"):
            if hosted is None:
                raise NotAllowed("this link was used, replaced or is too old")
            async with organisations(request.scope).hashing:
                person = await asyncio.to_thread(accept, hosted.office, key, typed.get("password", ""))
    except UsageError as unfit:
        return await asyncio.to_thread(_link, request, key, 422, f"{unfit.message}. {unfit.remedy}")
    except NotAllowed:
        return await asyncio.to_thread(_link, request, key)
    return await signed_in(request, hosted, person, "link", START)


def _link(request: Request, key: str, status: int = 200, problem: str = "") -> Response:
    hosted = _inviting(request, key)
    told = {"key": key, "least": LEAST, "most": MOST}
    if hosted is None:
        problem = "This link was used, replaced or is too old. Ask an admin for a new one."
        return page(request, "link.html", 404, person="", problem=problem, **told)
    return page(request, "link.html", status, person=invited(hosted.office, key), problem=problem, organisation=hosted.name, **told)


def _inviting(request: Request, key: str) -> Hosted | None:
    """The organisation whose books know a link's key."""
    for hosted in organisations(request.scope).values():
        with contextlib.suppress(NotAllowed):
            invited(hosted.office, key)
            return hosted
    return None


@contextlib.contextmanager
def counted(request: Request, hosted: Hosted, name: str) -> Iterator[None]:
    """Counts a failure under the address, and under the name where somebody has it; raises a Problem 429 where there were too many."""
    limits = [(organisations(request.scope).addresses, f"sign-in {address_of(request.scope)}")]
    limits += [(hosted.names, name)] if name in hosted.office.people else []
    if refused := must_wait(*limits):
        raise refused
    try:
        yield
    except NotAllowed:
        for limit, key in limits:
            limit.failed(key)
        raise
    limits[0][0].succeeded(limits[0][1])


def recorded(office: Office, person: str, how: str) -> None:
    """A failure on record. What was typed as a name is not, where nobody has it: people type passwords there."""
    with office.ledger.writing():
        office.ledger.append_audit(
            "sign_in_failed", actor=person if person in office.people else "", payload={"how": how}, at=present(office)
        )


def form(request: Request, status: int = 200, problem: str = "", person: str = "", following: str = START) -> Response:
    """The sign-in page."""
    offered = [name for name, hosted in organisations(request.scope).items() if hosted.office.single_sign_on]
    return page(request, "sign_in.html", status, problem=problem, person=person, next=following, single_sign_on=offered)


async def _texts(request: Request) -> dict[str, str]:
    return {name: value for name, value in (await form_of(request)).items() if isinstance(value, str)}


def inside(address: str) -> str:
    """An address of this service to go on to; the start for any other. A backslash and a second slash would lead elsewhere."""
    told = urlsplit(address)
    plain = address.startswith("/") and not address.startswith(("//", "/\\")) and not told.scheme and not told.netloc
    return address if plain and address.isprintable() and "\\" not in address else START
