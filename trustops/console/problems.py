"""Refusals over HTTP: RFC 9457 problem documents. One sentence says what is wrong, one what to do; nothing of the inside leaks."""

from __future__ import annotations

import json
import tempfile
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from trustops.domain.errors import NotAllowed, Refused, StaleVersion, TrustOpsError, Unavailable

STATUS: tuple[tuple[type[TrustOpsError], int], ...] = (
    (StaleVersion, 412),
    (NotAllowed, 403),
    (Refused, 409),
    (Unavailable, 503),
    (TrustOpsError, 422),
)
"""The first that fits counts, so a kind stands before its parent."""


class Problem(HTTPException):
    """A refusal with the status it goes out with. `where` and `remedy` may be empty."""

    def __init__(
        self, status: int, detail: str, *, where: str = "", remedy: str = "", kind: str = "", headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, headers)
        self.where, self.remedy, self.kind = where, remedy, kind


class Json(Response):
    """JSON as the command line writes it; no cache keeps it, since every byte belongs to one organisation."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, default=str).encode()

    def init_headers(self, headers: Any = None) -> None:
        super().init_headers({"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **(headers or {})})


class ProblemJson(Json):
    media_type = "application/problem+json"


def document(problem: Problem, *, headers: dict[str, str] | None = None) -> ProblemJson:
    """The problem as RFC 9457 has it: type, title, status and detail, and our `where` and `remedy`."""
    title = HTTPStatus(problem.status_code).phrase
    kind = problem.kind or title.lower().replace(" ", "-").replace("'", "")
    body = {
        "type": f"urn:trustops:problem:{kind}",
        "title": title,
        "status": problem.status_code,
        "detail": problem.detail,
        "where": problem.where,
        "remedy": problem.remedy,
    }
    return ProblemJson(body, problem.status_code, headers)


async def on_http(request: Request, raised: Exception) -> Response:
    """Refusals of ours and of Starlette's routing (no such address, no such method)."""
    assert isinstance(raised, HTTPException)
    del request
    problem = raised if isinstance(raised, Problem) else Problem(raised.status_code, _sentence(raised))
    return document(problem, headers=dict(raised.headers or {}))


def status_of(raised: TrustOpsError) -> int:
    """The status that an error of the house goes out with."""
    return next(status for kind, status in STATUS if isinstance(raised, kind))


async def on_refusal(request: Request, raised: Exception) -> Response:
    """Errors of the house, with their own words."""
    assert isinstance(raised, TrustOpsError)
    status = status_of(raised)
    hosted = request.app.state.organisations.values()
    folders = (*(f"{each.office.workspace}/" for each in hosted), f"{tempfile.gettempdir()}/")
    detail, where, remedy = (_without(text, folders) for text in (raised.message, raised.where, raised.remedy))
    return document(Problem(status, detail, where=where, remedy=remedy, kind=raised.code.lower().replace("_", "-")))


async def on_fault(request: Request, raised: Exception) -> Response:
    """A fault of the program. Its traceback goes to the log, which Starlette sees to, and never over the wire."""
    del request, raised
    return document(Problem(500, "the service failed on this request", remedy="Its log says why."))


def _sentence(raised: HTTPException) -> str:
    known = {404: "there is nothing at this address", 405: "this address does not know the method"}
    return known.get(raised.status_code, raised.detail)


def _without(text: str, folders: tuple[str, ...]) -> str:
    """Where a folder of this machine is named, its inside is what the reader knows."""
    for folder in folders:
        text = text.replace(folder, "")
    return text
