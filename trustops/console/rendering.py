"""Pages out of templates for the doors of signing in; the console draws its own with the same templates and frame."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from trustops.console.pages.drawing import HEADERS, frame, templates


def page(request: Request, template: str, status: int = 200, **told: Any) -> HTMLResponse:
    """A page. Each template knows what `drawing.frame` names: `who` (None for a stranger), `csrf` for its forms, `organisation`,
    `organisations`, and the `layout` that it extends."""
    return HTMLResponse(templates().get_template(template).render({**frame(request), **told}), status, HEADERS)
