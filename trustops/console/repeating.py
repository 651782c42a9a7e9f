"""A request that carries `Idempotency-Key` is carried out once: the same again gets the same reply, without a second deed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from trustops.console.forms import FIELD, form_of
from trustops.console.people import who
from trustops.console.problems import Json, Problem
from trustops.domain.chain import digest, sha256
from trustops.domain.request import Asked
from trustops.operations.repeating import Again, Busy, Other, abandon, begin, keep

KEY = "idempotency-key"
LONGEST = 200
KEPT = ("location", "etag")
"""Headers that a kept reply repeats."""


async def once(request: Request, key: str, endpoint: Callable[[Request], Awaitable[Response]], *, files: int, secret: bool) -> Response:
    """The endpoint's reply, or the one that it gave before. 409 while the first is in progress, 422 for another request under the same
    key. A refusal is not kept: what was in its way may be gone. A `secret` reply is not kept either, and is told only once."""
    if not (key.isascii() and key.isprintable() and 0 < len(key) <= LONGEST):
        raise Problem(400, f"a key has 1 to {LONGEST} printable characters", where="Idempotency-Key", remedy="A UUID is a good one.")
    found = who(request)
    office, mark = found.hosted.office, await _fingerprint(request, files)
    asked = await asyncio.to_thread(begin, office, found.person, key, mark)
    if isinstance(asked, Asked):
        return await _first(request, asked, endpoint, secret=secret)
    raise_unless_again(asked)
    assert isinstance(asked, Again)
    told = json.loads(asked.reply)
    if told.get("secret"):
        raise Problem(409, "this was done, and what it told is kept nowhere", where="Idempotency-Key", remedy="Ask anew under another key.")
    return Json(told["body"], told["status"], {**told["headers"], "Idempotency-Replayed": "true"})


def raise_unless_again(asked: Again | Busy | Other | Asked) -> None:
    """The refusals: the first one is not over, or the key stands for something else."""
    if isinstance(asked, Busy):
        problem = Problem(409, "the first request with this key is not over", where="Idempotency-Key", remedy="Ask again in a moment.")
        problem.headers = {"Retry-After": "1"}
        raise problem
    if isinstance(asked, Other):
        raise Problem(422, "this key was used for another request", where="Idempotency-Key", remedy="Each request has a key of its own.")


async def _first(request: Request, asked: Asked, endpoint: Callable[[Request], Awaitable[Response]], *, secret: bool) -> Response:
    office = who(request).hosted.office
    try:
        answer = await endpoint(request)
    except BaseException:
        await asyncio.shield(asyncio.to_thread(abandon, office, asked))
        raise
    headers = {name: value for name, value in answer.headers.items() if name in KEPT}
    told = {"secret": True} if secret else {"status": answer.status_code, "headers": headers, "body": json.loads(bytes(answer.body))}
    await asyncio.to_thread(keep, office, asked, json.dumps(told, ensure_ascii=False))
    return answer


async def _fingerprint(request: Request, files: int) -> str:
    """The digest of what is asked. Of a form its fields count, not how they were packed: another attempt packs them otherwise."""
    told: list[str] = [request.method, request.url.path, request.url.query, request.headers.get("if-match", "")]
    if not files:
        return digest([*told, sha256(await request.body())])
    for name, value in sorted((await form_of(request, files)).multi_items(), key=lambda item: item[0]):
        if isinstance(value, UploadFile):
            told += [name, value.filename or "", sha256(await value.read())]
            await value.seek(0)
        elif name != FIELD:
            told += [name, value]
    return digest(told)
