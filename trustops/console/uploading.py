"""An upload becomes a review and a run. The client's file name is a label: it is cleaned, and nothing is ever stored under it."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from trustops.console.asked import Recheck
from trustops.console.bodies import body_of
from trustops.console.finding import review_named
from trustops.console.forms import FIELD, form_of
from trustops.console.hosted import organisations
from trustops.console.people import office_of, who
from trustops.console.problems import Json, Problem
from trustops.console.runs import Runs
from trustops.domain.question import Questionnaire
from trustops.operations.intake import take_in
from trustops.operations.listing import parse_report
from trustops.operations.office import Office
from trustops.ports import StoredReview

MAX_BODY = 25 * 1024 * 1024
MAX_NAME = 120
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


async def start_review(request: Request) -> Json:
    """202 with the review, the new run and where to watch both. `file` is the questionnaire; `only`, which may be repeated, a question.

    413 above 25 MB; 422 where the file is refused, and then nothing is stored; 409 while a run of the same file goes on.
    """
    office, runs = office_of(request), who(request).hosted.runs
    upload, only = _fields(await form_of(request, files=1))
    async with organisations(request.scope).reading:
        found = await asyncio.to_thread(_take_in, office, upload.file, safe_name(upload.filename or ""))
    return await _start(runs, found, only)


async def recheck(request: Request) -> Json:
    """202 with a new run of a review: of the questions in `only`, or of all, on evidence and controls read anew. 409 while another goes
    on."""
    office, runs = office_of(request), who(request).hosted.runs
    asked = await body_of(request, Recheck)
    found = await asyncio.to_thread(review_named, office, request.path_params["review"])
    return await _start(runs, found, list(asked.only))


async def parse(request: Request) -> Json:
    """What would be asked, where each answer goes, and what is skipped and why. Nothing is stored."""
    office = office_of(request)
    upload, _ = _fields(await form_of(request, files=1))
    async with organisations(request.scope).reading:
        found = await asyncio.to_thread(_read, office, upload.file, safe_name(upload.filename or ""))
    return Json(parse_report(found))


async def _start(runs: Runs, found: StoredReview, only: list[str]) -> Json:
    run = await runs.start(found, only)
    links = {"review": found.id, "run": run, "events": f"/v1/runs/{run}/events", "status": f"/v1/reviews/{found.id}"}
    return Json(links, 202, {"Location": f"/v1/runs/{run}"})


def _fields(form: FormData) -> tuple[UploadFile, list[str]]:
    """The file and the questions of a form; a field that nobody knows is refused rather than ignored."""
    if unknown := sorted(set(form) - {"file", "only", FIELD}):
        raise Problem(422, "the form has a field that is not known", where=unknown[0][:MAX_NAME], remedy="Known are `file` and `only`.")
    upload, only = form.get("file"), form.getlist("only")
    if not isinstance(upload, UploadFile):
        remedy = "Send multipart/form-data with the questionnaire in the field `file`."
        raise Problem(422, "there is no file in the request", where="file", remedy=remedy)
    return upload, [text for text in only if isinstance(text, str)]


def _take_in(office: Office, stream: BinaryIO, name: str) -> StoredReview:
    """What is kept is kept by digest, and only if it is a questionnaire."""
    with _laid_down(stream, name) as path:
        return take_in(office, path)


def _read(office: Office, stream: BinaryIO, name: str) -> Questionnaire:
    with _laid_down(stream, name) as path:
        return office.formats.read(path)


@contextmanager
def _laid_down(stream: BinaryIO, name: str) -> Iterator[Path]:
    """The file in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="trustops-") as folder:
        path = Path(folder) / name
        with path.open("wb") as target:
            shutil.copyfileobj(stream, target)
        yield path


def safe_name(name: str) -> str:
    """The last component of a client's file name, without anything that a file system or a terminal gives a meaning."""
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in last).strip(" .")
    stem, suffix = plain[: -len(Path(plain).suffix) or None], Path(plain).suffix[:16]
    kept = f"{stem.encode()[:MAX_NAME].decode(errors='ignore')}{suffix}" or "upload"
    return f"_{kept}" if DEVICES.fullmatch(kept) else kept
