"""Who may talk to the service while it has no accounts: programs and pages of this machine, and no page from elsewhere in its name."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from trustops.console.problems import Problem, document

READING = frozenset({"GET", "HEAD", "OPTIONS"})


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only be this machine."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class LoopbackOnly:
    """Refuses a request whose Host is not this machine (a page whose name was rebound to 127.0.0.1 would read as well as write),
    and a mutation that a page of another origin sent."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = _refusal(Headers(scope=scope), scope["method"]) if scope["type"] == "http" else None
        await (document(problem) if problem else self.app)(scope, receive, send)


def _refusal(headers: Headers, method: str) -> Problem | None:
    host = headers.get("host", "")
    if not is_loopback(_name(host)):
        return Problem(421, "this service answers to names of this machine only", where="Host", remedy="Use http://127.0.0.1 or localhost.")
    if method in READING:
        return None
    origin = headers.get("origin")
    foreign = origin is not None and origin.lower() != f"http://{host.lower()}"
    if foreign or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        remedy = "Send it from the service's own origin."
        return Problem(403, "a page of another origin may change nothing here", where="Origin", remedy=remedy)
    return None


def _name(host: str) -> str:
    """The name in a Host header; nothing where it is malformed."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
