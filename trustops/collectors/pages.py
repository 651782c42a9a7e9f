"""Paging as directory interfaces do it: the next page's link in the body or the Link header, or a cursor for the query.

Pages are joined whole or not at all: a count over half of the people would be a wrong reading.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from trustops.collectors.ground import place
from trustops.collectors.selecting import searched
from trustops.collectors.vetting import same_origin
from trustops.domain.control import Control, ControlSource
from trustops.domain.errors import MalformedFile

MOST = 200
"""Pages of one reading."""
LARGEST = 32 * 1024 * 1024
"""Bytes of all pages together."""
IN_HEADER = "link-header"
_NEXT = re.compile(r'<([^<>\s]+)>\s*;[^,]*\brel="?next"?', re.IGNORECASE)

Fetch = Callable[[str], Awaitable[tuple[object, bytes, str]]]


@dataclass(frozen=True, slots=True)
class Paging:
    """`items` selects the list of a page, `next` its successor (a JMESPath, or `link-header`); with `cursor` the successor is a value
    of that parameter and no link. All empty: one response is all there is."""

    items: str = ""
    next: str = ""
    cursor: str = ""

    @staticmethod
    def of(control: Control, source: ControlSource) -> Paging:
        found = Paging(*(source.settings.get(key, "") for key in ("items", "next", "cursor")))
        if (found.next and not found.items) or (found.items and not found.next) or (found.cursor and found.next in ("", IN_HEADER)):
            raise MalformedFile(
                "paging needs items and next; cursor needs a next that is a JMESPath", where=place(control, source), remedy="Give both."
            )
        return found


async def joined(paging: Paging, url: str, where: str, fetch: Fetch) -> tuple[object, bytes]:
    """The one response, or {"items": [...], "pages": N} of all pages; with all bytes that were read."""
    data, raw, link = await fetch(url)
    if not paging.items:
        return data, raw
    items: list[object] = []
    everything, seen = bytearray(raw), {url}
    while True:
        found = searched(paging.items, data, where)
        if not isinstance(found, list):
            raise MalformedFile("a page has no list where items looks for it", where=where, remedy="Correct items.")
        items += found
        following = _following(paging, url, data, link, where)
        if following is None:
            return {"items": items, "pages": len(seen)}, bytes(everything)
        if following in seen or len(seen) == MOST:
            raise MalformedFile(
                f"the pages do not end (a link comes again, or there are more than {MOST})", where=where, remedy="Ask for larger pages."
            )
        seen.add(following)
        data, raw, link = await fetch(following)
        everything += raw
        if len(everything) > LARGEST:
            raise MalformedFile(f"the pages have more than {LARGEST} bytes", where=where, remedy="Ask for fewer fields.")


def _following(paging: Paging, url: str, data: object, link: str, where: str) -> str | None:
    """The next page's URL, of the first one's origin: a credential is sent to no other."""
    found = _in_header(link) if paging.next == IN_HEADER else searched(paging.next, data, where)
    if found is None or found == "" or found is False:
        return None
    if not isinstance(found, str) or not found.isascii() or not found.isprintable():
        raise MalformedFile("the link to the next page is no text", where=where, remedy="Correct next.")
    following = _with(url, paging.cursor, found) if paging.cursor else urljoin(url, found)
    try:
        within = same_origin(urlsplit(url), urlsplit(following))
    except ValueError:
        within = False
    if not within:
        raise MalformedFile("the next page is at another host, and was not fetched", where=where, remedy="See to the source.")
    return following


def _in_header(link: str) -> str | None:
    found = _NEXT.search(link)
    return found[1] if found else None


def _with(url: str, name: str, value: str) -> str:
    parts = urlsplit(url)
    query = [(key, each) for key, each in parse_qsl(parts.query, keep_blank_values=True) if key != name]
    return urlunsplit(parts._replace(query=urlencode([*query, (name, value)])))
