"""Upload and mapping: what would be asked, where each answer goes and what is skipped, before anything runs."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from trustops.console.finding import review_named
from trustops.console.pages.drawing import draw, path, seen_next
from trustops.console.pages.forms import flash, form
from trustops.console.pages.standings import newest_run
from trustops.console.pages.visitor import visitor
from trustops.console.pages.words import DONE
from trustops.console.problems import Problem
from trustops.console.uploading import MAX_BODY, safe_name
from trustops.domain.errors import UsageError
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import StoredReview

MOST_MAPPING = 256 * 1024


def new(request: Request) -> Response:
    """The form for a customer's file."""
    return draw(request, "upload.html", here="reviews")


async def take(request: Request) -> Response:
    """A file becomes a review that nobody started yet. The same file again is the review that is there.

    Raises Problem 413 above the limit and 422 for a form without a file; a file that is refused is told in the words of its refusal.
    """
    found, sent = visitor(request), await form(request, files=("file", "mapping"))
    upload = sent.file("file", MAX_BODY, "no file was chosen")
    mapping = sent.file("mapping", MOST_MAPPING, "no mapping was chosen") if "mapping" in sent.files else None
    review = await asyncio.to_thread(_take_in, found.office, upload, mapping)
    return seen_next(path("reviews", review.id, "mapping"))


def mapping(request: Request) -> Response:
    """What was found in a review's file."""
    found = visitor(request)
    review = review_named(found.office, request.path_params["review"])
    return draw(
        request,
        "mapping.html",
        here="reviews",
        done=flash(request, DONE),
        review=review,
        started=newest_run(found.office, review) is not None,
        unsure=[each for each in review.questionnaire.mappings if each.confidence < 60],
        parts=sum(len(question.answers) for question in review.questionnaire.questions),
        without=[question.ref for question in review.questionnaire.questions if not question.answers],
    )


async def start(request: Request) -> Response:
    """Runs the review's questions, or those that are named."""
    found = visitor(request)
    review = await asyncio.to_thread(review_named, found.office, request.path_params["review"])
    sent = await form(request, "only")
    only = sent.every("only")
    asked = {question.ref for question in review.questionnaire.questions}
    if unknown := [ref for ref in only if ref not in asked]:
        raise Problem(422, "there is no such question in this review", where=unknown[0][:60], remedy="Reload the page and choose again.")
    await found.runs.start(review, only)
    return seen_next(path("reviews", review.id), "started")


def _take_in(office: Office, upload: UploadFile, mapping: UploadFile | None) -> StoredReview:
    """Both files lie in a folder that is gone afterwards; what is kept is kept by digest, and only if it is a questionnaire."""
    with tempfile.TemporaryDirectory(prefix="trustops-") as folder:
        (Path(folder) / "file").mkdir()
        target = Path(folder) / "file" / safe_name(upload.filename or "")
        with target.open("wb") as kept:
            shutil.copyfileobj(upload.file, kept)
        correction = Path(folder) / "mapping.yaml" if mapping else None
        if mapping and correction:
            with correction.open("wb") as kept:
                shutil.copyfileobj(mapping.file, kept)
        if not target.stat().st_size:
            raise UsageError("the file is empty", where=target.name, remedy="Choose the customer's questionnaire.")
        return take_in(office, target, correction)
