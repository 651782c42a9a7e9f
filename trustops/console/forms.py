"""Forms: how they are read, and that what a browser sends in a person's name comes from a form that was made for that session."""

from __future__ import annotations

import hmac

from starlette.datastructures import FormData
from starlette.requests import Request

from trustops.console.people import SESSION, perhaps
from trustops.console.problems import Problem

FIELD, HEADER = "csrf", "x-csrf-token"
MOST_FIELDS = 2000
"""A form that approves in bulk carries one field for each answer."""
LONGEST_FIELD = 48 * 1024


async def form_of(request: Request, files: int = 0) -> FormData:
    """The form of a request, read once; a second call gives the same."""
    return await request.form(max_files=files, max_fields=MOST_FIELDS, max_part_size=LONGEST_FIELD)


async def must_be_own_form(request: Request, files: int) -> None:
    """Raises a Problem 403 where a session sends something without its form token: in the field `csrf`, or in the header `X-CSRF-Token`.
    A token in `Authorization` needs none, since no browser sends it by itself."""
    found = perhaps(request)
    if found is None or found.how != SESSION:
        return
    given = request.headers.get(HEADER)
    if given is None and _is_form(request):
        sent = (await form_of(request, files)).get(FIELD)
        given = sent if isinstance(sent, str) else None
    if given is None or not hmac.compare_digest(given.encode(), found.form.encode()):
        remedy = "Reload the page and send it again; a program uses a token in Authorization."
        raise Problem(403, "this was not sent by a page of this session", where=FIELD, remedy=remedy, kind="foreign-form")


def _is_form(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in ("application/x-www-form-urlencoded", "multipart/form-data")
