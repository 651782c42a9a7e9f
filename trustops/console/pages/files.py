"""The console's own files: one style sheet, one script, one mark. They are the same for everybody, so a cache may keep them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.problems import Problem
from trustops.domain.chain import sha256

FOLDER = Path(__file__).resolve().parent.parent / "static"
KINDS = {"console.css": "text/css; charset=utf-8", "console.js": "text/javascript; charset=utf-8", "mark.svg": "image/svg+xml"}
HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file and the name of its version."""

    data: bytes
    kind: str
    version: str


@cache
def assets() -> dict[str, Asset]:
    """All of them, read once."""
    return {name: Asset(data := (FOLDER / name).read_bytes(), kind, sha256(data)[:12]) for name, kind in KINDS.items()}


def address(name: str) -> str:
    """Where a page asks for a file; another version has another address."""
    return f"/static/{assets()[name].version}/{name}"


async def asset(request: Request) -> Response:
    """A file. An address of another version gives the file as it is now, and is kept by nobody."""
    found = assets().get(request.path_params["name"])
    if found is None:
        raise Problem(404, "there is nothing at this address")
    current = request.path_params["version"] == found.version
    return Response(found.data, media_type=found.kind, headers=HEADERS if current else {**HEADERS, "Cache-Control": "no-store"})
