"""Pages out of templates. Every value is text: Jinja2 escapes it, and no template says otherwise."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from trustops.console.hosted import organisations
from trustops.console.people import looked_at, perhaps

TEMPLATES = Path(__file__).resolve().parent / "templates"


@cache
def templates() -> Environment:
    """All templates, compiled once."""
    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def page(request: Request, template: str, status: int = 200, **told: Any) -> HTMLResponse:
    """A page. Each template knows `who` (None for a stranger), `csrf` for its forms, `organisation` and `organisations`, and the
    `layout` that it extends: base.html where there is one."""
    found = perhaps(request)
    here = found.hosted if found else looked_at(request)
    context = {
        "layout": templates().select_template(["base.html", "bare.html"]),
        "who": found,
        "csrf": found.form if found else "",
        "organisation": here.name,
        "organisations": list(organisations(request.scope)),
    }
    return HTMLResponse(templates().get_template(template).render({**context, **told}), status)
