"""An upload becomes a review and a run. The client's file name is a label: it is cleaned, and nothing is ever stored under it."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.types import Message

from trustops.console.problems import Json, Problem
from trustops.console.runs import Runs
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import StoredReview

MAX_BODY = 25 * 1024 * 1024
MAX_NAME = 120
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


async def start_review(request: Request) -> Json:
    """202 with the review, the new run and where to watch both. `file` is the questionnaire; `only`, which may be repeated, a question.

    413 above 25 MB; 422 where the file is refused, and then nothing is stored; 409 while a run of the same file goes on.
    """
    office, runs = request.app.state.office, request.app.state.runs
    form = await _limited(request).form(max_files=1, max_fields=500, max_part_size=1024)
    try:
        upload, only = _fields(form)
        found = await asyncio.to_thread(_take_in, office, upload.file, safe_name(upload.filename or ""))
    finally:
        await form.close()
    return await _start(runs, found, only)


async def _start(runs: Runs, found: StoredReview, only: list[str]) -> Json:
    run = await runs.start(found, only)
    links = {"review": found.id, "run": run, "events": f"/v1/runs/{run}/events", "status": f"/v1/reviews/{found.id}"}
    return Json(links, 202, {"Location": f"/v1/runs/{run}"})


def _limited(request: Request) -> Request:
    """The request with its body counted as it comes in: a length that is announced too large is refused before it is read."""
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > MAX_BODY:
        raise _too_large()
    seen = 0

    async def receive() -> Message:
        nonlocal seen
        message = await request.receive()
        seen += len(message.get("body", b""))
        if seen > MAX_BODY:
            raise _too_large()
        return message

    return Request(request.scope, receive)


def _too_large() -> Problem:
    remedy = "Remove pictures and try again, or use `trustops review FILE`."
    return Problem(413, f"the upload is larger than {MAX_BODY // 1024 // 1024} MB", where="file", remedy=remedy)


def _fields(form: FormData) -> tuple[UploadFile, list[str]]:
    """The file and the questions of a form; a field that nobody knows is refused rather than ignored."""
    if unknown := sorted(set(form) - {"file", "only"}):
        raise Problem(422, "the form has a field that is not known", where=unknown[0][:MAX_NAME], remedy="Known are `file` and `only`.")
    upload, only = form.get("file"), form.getlist("only")
    if not isinstance(upload, UploadFile):
        remedy = "Send multipart/form-data with the questionnaire in the field `file`."
        raise Problem(422, "there is no file in the request", where="file", remedy=remedy)
    return upload, [text for text in only if isinstance(text, str)]


def _take_in(office: Office, stream: BinaryIO, name: str) -> StoredReview:
    """Reads the file in a folder that is gone afterwards; what is kept is kept by digest, and only if it is a questionnaire."""
    with tempfile.TemporaryDirectory(prefix="trustops-") as folder:
        path = Path(folder) / name
        with path.open("wb") as target:
            shutil.copyfileobj(stream, target)
        return take_in(office, path)


def safe_name(name: str) -> str:
    """The last component of a client's file name, without anything that a file system or a terminal gives a meaning."""
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in last).strip(" .")
    stem, suffix = plain[: -len(Path(plain).suffix) or None], Path(plain).suffix[:16]
    kept = f"{stem.encode()[:MAX_NAME].decode(errors='ignore')}{suffix}" or "upload"
    return f"_{kept}" if DEVICES.fullmatch(kept) else kept
