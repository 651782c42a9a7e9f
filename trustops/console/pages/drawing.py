"""How a page is drawn: templates, what they may call, and the headers that keep a page from doing anything else."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Undefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from trustops.console.hosted import organisations
from trustops.console.pages import files, words
from trustops.console.pages.quotes import compared, quoted
from trustops.console.pages.visible import marked, plain, told
from trustops.console.pages.visitor import house_mode, visitor
from trustops.console.people import looked_at, perhaps
from trustops.domain.approval import Role

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
"""Of every page. What belongs to an organisation is kept by no cache, and nothing is asked of another origin."""


Endpoint = Callable[[Request], Awaitable[Response]]


def page(view: Callable[[Request], Response]) -> Endpoint:
    """An endpoint of a view that reads the books: it works in a thread."""

    @functools.wraps(view)
    async def endpoint(request: Request) -> Response:
        return await asyncio.to_thread(view, request)

    return endpoint


def draw(request: Request, template: str, /, **named: Any) -> Response:
    """A page for whoever signed in. `named` is what its template names; a name that is missing is an error, never an empty place."""
    return draw_for(request, template, named)


def draw_for(
    request: Request, template: str, named: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A page with a status and headers beside those of every page, also for a stranger."""
    made = templates().get_template(template).render({**frame(request), **named})
    return HTMLResponse(made, status, {**HEADERS, **(headers or {})})


def frame(request: Request) -> dict[str, Any]:
    """What the frame around every page names: who looks, in which organisation, and what a run would be now."""
    found = perhaps(request)
    here = found.hosted if found else looked_at(request)
    as_of = here.office.as_of
    why = f"judged as of {moment(as_of)}, not of now" if as_of else "no live model serves the agents"
    return {
        "layout": "base.html",
        "who": found,
        "visitor": visitor(request) if found else None,
        "admin": found is not None and found.role is Role.ADMIN,
        "csrf": found.form if found else "",
        "organisation": here.name,
        "organisations": list(organisations(request.scope)),
        "mode": house_mode(here.office),
        "why_test": f"Nothing here is live: {why}.",
    }


def seen_next(address: str, done: str = "", **query: str) -> Response:
    """Where a form leads after it was sent (303). `done` names a sentence of `words.DONE`; nothing else is said by an address."""
    asked = urlencode({**({"done": done} if done else {}), **query})
    return RedirectResponse(f"{address}?{asked}" if asked else address, 303, {**HEADERS})


def path(*parts: str) -> str:
    """An address of the console; each part is one step of it, whatever characters it has."""
    return "/" + "/".join(quote(part, safe="") for part in parts)


@cache
def templates() -> Environment:
    """The templates, read once. Autoescape is on, and every text that is put out shows its hidden characters."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "marked": lambda value: marked(str(value)),
        "exact": lambda value: Markup(escape(str(value))),
        "told": lambda value: told(str(value)),
        "moment": moment,
        "span": span,
        "dollars": dollars,
        "plural": plural,
    }
    made.globals |= {
        "path": path,
        "quoted": quoted,
        "compared": compared,
        "words": words,
        "asset": files.address,
    }
    return made


def _shown(value: Any) -> Any:
    """Before escaping: text shows what hides in it; markup was made by a template or by `marked`."""
    return plain(value) if isinstance(value, str) and not isinstance(value, (Markup, Undefined)) else value


def moment(at: datetime | None) -> str:
    """A time for people, in UTC, to the minute."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if at else "never"


def span(seconds: float) -> str:
    """A duration for people: 8 s, 2 min 10 s, 3 h 5 min."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def dollars(amount: Decimal | str | None) -> str:
    """What something cost; a price that nobody knows is said, not counted as nothing."""
    return "no price known" if amount is None else f"${Decimal(amount):.4f}"


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its noun."""
    return f"{count} {one if count == 1 else many or one + 's'}"
