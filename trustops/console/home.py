"""The page on which a person arrives."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.rendering import page


async def show(request: Request) -> Response:
    """Who is signed in, and the way out."""
    return page(request, "home.html")
