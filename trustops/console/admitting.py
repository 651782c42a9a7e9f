"""What admins see to: how people sign in, and the audit chain."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from starlette.requests import Request

from trustops.console.asked import Issue, Nothing, Reason
from trustops.console.bodies import body_of
from trustops.console.paging import page_of
from trustops.console.people import office_of, somebody
from trustops.console.problems import Json, Problem
from trustops.operations.inviting import invite
from trustops.operations.office import Office
from trustops.operations.redacting import redact
from trustops.operations.sessions import alive
from trustops.operations.signing_in import holders, issue, revoke

SHOWN = {"id", "label", "scopes", "by", "at", "expires_at"}
"""Of a token: nothing that it could be made from."""


async def people(request: Request) -> Json:
    """Everybody of `[people]`, and who holds what opened something once."""
    return Json({"people": await asyncio.to_thread(_people, office_of(request))})


def _people(office: Office) -> list[dict[str, Any]]:
    held, passwords = holders(office), office.ledger.passwords()
    names = [*sorted(office.people), *sorted(name for name in held if name not in office.people)]
    return [
        {
            "person": name,
            "role": office.people.get(name),
            "password": name in passwords and bool(passwords[name].argon2),
            "tokens": [kept.model_dump(mode="json", include=SHOWN) for kept in held.get(name, ())],
            "sessions": len(alive(office, name)),
        }
        for name in names
    ]


async def token(request: Request) -> Json:
    """Makes a token for a person: 201, and it is told this once."""
    office, admin = somebody(request)
    asked, person = await body_of(request, Issue), _person(request, office)
    lasts = timedelta(days=asked.days) if asked.days else None
    made = await asyncio.to_thread(lambda: issue(office, person, by=admin, label=asked.label, scopes=asked.scopes, lasts=lasts))
    return Json({"person": person, "token": made}, 201)


async def invitation(request: Request) -> Json:
    """Makes a link with which a person sets a password: 201, and it is told this once."""
    office, admin = somebody(request)
    await body_of(request, Nothing)
    person = _person(request, office)
    key = await asyncio.to_thread(lambda: invite(office, person, by=admin))
    return Json({"person": person, "link": f"{request.base_url}sign-in/link?key={key}"}, 201)


async def ended(request: Request) -> Json:
    """Ends every way in which a person signs in. 409 where there is none."""
    office, admin = somebody(request)
    await body_of(request, Nothing)
    person = request.path_params["person"]
    gone = await asyncio.to_thread(lambda: revoke(office, person, by=admin))
    return Json({"person": person, "revoked": [kept.id for kept in gone]})


def _person(request: Request, office: Office) -> str:
    person: str = request.path_params["person"]
    if person not in office.people:
        raise Problem(404, "there is no such person", remedy="GET /v1/people lists them; people are entered in trustops.toml.")
    return person


async def audit(request: Request) -> Json:
    """The records of the audit chain, oldest first, in pages; a redacted payload is null."""
    page = page_of(request, await asyncio.to_thread(office_of(request).ledger.audit), lambda record: str(record.seq))
    return Json({"records": [record.model_dump(mode="json") for record in page.entries], "next": page.next})


async def redaction(request: Request) -> Json:
    """Takes the words of a record out of the books, for a reason that stays."""
    office, admin = somebody(request)
    asked, named = await body_of(request, Reason), request.path_params["record"]
    if not (named.isascii() and named.isdigit() and len(named) < 10):
        raise Problem(404, "there is no such record", remedy="GET /v1/audit lists them.")

    def done(seq: int) -> dict[str, Any]:
        if not 1 <= seq <= len(office.ledger.audit()):
            raise Problem(404, "there is no such record", remedy="GET /v1/audit lists them.")
        made = redact(office, seq, by=admin, reason=asked.reason)
        return {"redacted": made.record.seq, "record": made.by.seq, "again": made.again}

    return Json(await asyncio.to_thread(done, int(named)))
