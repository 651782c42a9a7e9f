"""Pages of a list: so many entries after the one that a cursor names, which is the name of an entry, packed so that nobody builds on it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.requests import Request

from trustops.console.problems import Problem

Entry = TypeVar("Entry")
USUAL, MOST = 100, 500


@dataclass(frozen=True, slots=True)
class Page(Generic[Entry]):
    """Entries in their order, and the cursor of what follows; None at the end."""

    entries: tuple[Entry, ...]
    next: str | None


def page_of(request: Request, entries: Sequence[Entry], name: Callable[[Entry], str]) -> Page[Entry]:
    """The page that `?limit=` and `?cursor=` ask for. `name` is unique in the list and stays. A Problem 400 for a cursor that names
    nothing here, or for a limit out of bounds."""
    limit, after = _limit(request), _after(request)
    begin = 0
    if after is not None:
        begin = next((place for place, entry in enumerate(entries, start=1) if name(entry) == after), -1)
        if begin < 0:
            raise _no_cursor()
    shown = tuple(entries[begin : begin + limit])
    more = begin + len(shown) < len(entries)
    return Page(shown, _packed(name(shown[-1])) if more else None)


def _limit(request: Request) -> int:
    given = request.query_params.get("limit", str(USUAL))
    if not (given.isascii() and given.isdigit() and len(given) < 6 and 1 <= int(given) <= MOST):
        raise Problem(400, f"a page has 1 to {MOST} entries", where="limit", remedy="Leave it out for the usual size.")
    return int(given)


def _after(request: Request) -> str | None:
    given = request.query_params.get("cursor")
    if given is None:
        return None
    try:
        return base64.urlsafe_b64decode(given.encode("ascii") + b"=" * (-len(given) % 4)).decode()
    except (UnicodeError, binascii.Error, ValueError) as bad:
        raise _no_cursor() from bad


def _packed(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _no_cursor() -> Problem:
    return Problem(400, "this cursor names nothing in the list", where="cursor", remedy="Begin again without it.")
