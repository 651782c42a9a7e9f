"""Which requests the service hears at all: those that name it by its own name, and none that a page from elsewhere sends in its name."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trustops.console.problems import Problem, document

READING = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
SEALS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer carries unless it says otherwise itself: every byte belongs to one organisation, and no page runs what is not ours."""
LASTING = "max-age=31536000"


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only be this machine."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class OwnName:
    """Refuses a request whose Host is neither this machine nor one of the service's names (a page whose name was rebound to its address
    would read as well as write), and a mutation that a page of another origin sent."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self.app, self.hosts = app, frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._refusal(Headers(scope=scope), scope) if scope["type"] == "http" else None
        await (document(problem) if problem else self.app)(scope, receive, send)

    def _refusal(self, headers: Headers, scope: Scope) -> Problem | None:
        host = headers.get("host", "")
        name = _name(host)
        if not is_loopback(name) and name not in self.hosts:
            remedy = f"Use {', '.join(sorted(self.hosts)) or 'http://127.0.0.1 or localhost'}."
            return Problem(421, "this service answers to its own names only", where="Host", remedy=remedy)
        if scope["method"] in READING:
            return None
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        # a form of a page with `Referrer-Policy: no-referrer` comes with the origin "null"; the browser itself says that it is ours
        ours = origin is None or origin.lower() == f"{scope['scheme']}://{host.lower()}" or (origin == "null" and site == "same-origin")
        if not ours or site not in ("none", "same-origin"):
            remedy = "Send it from the service's own origin."
            return Problem(403, "a page of another origin may change nothing here", where="Origin", remedy=remedy)
        return None


class Sealed:
    """Puts the seals on every answer, and the promise to come back over TLS on those that go over it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def seal(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SEALS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", LASTING)
            await send(message)

        await self.app(scope, receive, seal if scope["type"] == "http" else send)


def _name(host: str) -> str:
    """The name in a Host header; nothing where it is malformed."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
