"""The cookies of a browser: one session for each organisation, and which organisation it looks at.

Over HTTPS they carry the prefix `__Host-` (RFC 6265bis, 4.1.3.2), so that no other host and no plain connection can set or read them. On
a loopback address without TLS a browser refuses that prefix, and they go without.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.responses import Response

ORGANISATION = "trustops-organisation"


def session_cookie(organisation: str) -> str:
    """The name of the cookie that holds a session's secret."""
    return f"trustops-session-{organisation}"


def read(asked: HTTPConnection, name: str) -> str:
    """A cookie's value; empty where there is none. Over HTTPS only the guarded one counts."""
    return asked.cookies.get(_full(asked, name), "")


def write(asked: HTTPConnection, answer: Response, name: str, value: str, *, seconds: int | None = None) -> None:
    """Sets a cookie that scripts cannot read and that other sites do not send with what they post. Without `seconds` it ends with the
    browser."""
    secure = asked.url.scheme == "https"
    answer.set_cookie(_full(asked, name), value, max_age=seconds, path="/", secure=secure, httponly=True, samesite="lax")


def clear(asked: HTTPConnection, answer: Response, name: str) -> None:
    """Takes a cookie back."""
    write(asked, answer, name, "", seconds=0)


def _full(asked: HTTPConnection, name: str) -> str:
    return f"__Host-{name}" if asked.url.scheme == "https" else name
