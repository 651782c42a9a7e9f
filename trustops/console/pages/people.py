"""People and their sign-in tokens, for admins."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw, seen_next
from trustops.console.pages.forms import flash, form
from trustops.console.pages.visitor import visitor
from trustops.console.pages.words import DONE
from trustops.console.problems import Problem
from trustops.domain.approval import Role
from trustops.domain.credential import Credential
from trustops.domain.session import Password
from trustops.operations.inviting import invite
from trustops.operations.office import Office
from trustops.operations.sessions import alive
from trustops.operations.signing_in import holders, issue, revoke

SHOWN = 30
"""Sign-ins that are listed."""


@dataclass(frozen=True, slots=True)
class Line:
    """A person, and what they can sign in with. A role is None where the person is not in [people] any more."""

    name: str
    role: Role | None
    password: bool
    tokens: tuple[Credential, ...]
    sessions: int


def people(request: Request) -> Response:
    """Everybody of [people] with the role, and how they sign in; the newest sign-ins on record."""
    return _list(request, "", "")


def _list(request: Request, made_for: str, secret: str) -> Response:
    found = visitor(request)
    office, held, passwords = found.office, holders(found.office), found.office.ledger.passwords()
    names = [*sorted(office.people), *sorted(name for name in held if name not in office.people)]
    lines = [_line(office, name, held.get(name, ()), passwords) for name in names]
    signs = [record for record in reversed(office.ledger.audit()) if record.kind.startswith("sign")][:SHOWN]
    return draw(
        request, "people.html", here="people", done=flash(request, DONE), lines=lines, signs=signs, made_for=made_for, secret=secret
    )


def _line(office: Office, name: str, tokens: tuple[Credential, ...], passwords: Mapping[str, Password]) -> Line:
    password = name in passwords and bool(passwords[name].argon2)
    return Line(name, office.people.get(name), password, tokens, len(alive(office, name)))


async def change(request: Request) -> Response:
    """Makes a link or a token, which is shown on this one page and kept nowhere, or ends every way in which a person signs in."""
    found, sent = visitor(request), await form(request, "verb", "person")
    person, verb = sent.needed("person", "whose sign-in?"), sent.one("verb")
    if verb == "invite":
        key = await asyncio.to_thread(invite, found.office, person, by=found.person)
        return await asyncio.to_thread(_list, request, person, f"{request.base_url}sign-in/link?key={key}")
    if verb == "issue":
        made = await asyncio.to_thread(issue, found.office, person, by=found.person, label="console")
        return await asyncio.to_thread(_list, request, person, made)
    if verb != "revoke":
        raise Problem(422, "this is nothing that can be done with a sign-in", where="verb", remedy="Reload the page.")
    await asyncio.to_thread(revoke, found.office, person, by=found.person)
    return seen_next("/people", "revoked")
