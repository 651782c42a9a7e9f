"""Evidence: the documents that answers may rest on, as they were indexed, and the text of each."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw, path, seen_next
from trustops.console.pages.forms import flash, form
from trustops.console.pages.visitor import visitor
from trustops.console.pages.words import DONE
from trustops.console.problems import Problem
from trustops.domain.evidence import Document, Passage
from trustops.facts.hidden import invisible
from trustops.operations.answering import instant
from trustops.operations.indexing import index_evidence
from trustops.operations.office import Office


@dataclass(frozen=True, slots=True)
class Line:
    """One document of the list. `hiding` counts passages with text that a reader does not see."""

    document: Document
    address: str
    state: str
    passages: int
    hiding: int


def evidence(request: Request) -> Response:
    """Every indexed document with its kind, dates, owner and whether it is in force."""
    found = visitor(request)
    lines = _lines(found.office)
    wanted = request.query_params.get("state", "")
    states = {line.state for line in lines}
    return draw(
        request,
        "evidence.html",
        here="evidence",
        done=flash(request, DONE),
        lines=[line for line in lines if not wanted or line.state == wanted],
        total=len(lines),
        counts=[(state, sum(line.state == state for line in lines)) for state in STATES if state in states],
        wanted=wanted,
    )


STATES = ("IN_FORCE", "UNDATED", "EXPIRED", "NOT_YET")


def document(request: Request) -> Response:
    """One document, passage by passage, as the agents may be given it."""
    found = visitor(request)
    wanted = request.path_params["file"]
    held = [each for each in found.office.index.passages() if each.document.path == wanted]
    if not held:
        raise Problem(404, "there is no such document", remedy="The list of evidence shows what is indexed.")
    today = instant(found.office, None)[0].date()
    about = held[0].document
    return draw(
        request,
        "document.html",
        here="evidence",
        document=about,
        state=state_of(about, today),
        passages=sorted(held, key=lambda p: p.start),
    )


async def read_again(request: Request) -> Response:
    """Reads the evidence folder and the earlier answers anew. One at a time replaces the index."""
    found = visitor(request)
    await form(request)
    async with found.runs.indexing:
        await asyncio.to_thread(index_evidence, found.office)
    return seen_next("/evidence", "indexed")


def _lines(office: Office) -> list[Line]:
    today = instant(office, None)[0].date()
    counted: dict[str, tuple[Document, int, int]] = {}
    for passage in office.index.passages():
        document, passages, hiding = counted.get(passage.document.path, (passage.document, 0, 0))
        hides = passage.concealed or bool(invisible(passage.text))
        counted[passage.document.path] = (document, passages + 1, hiding + hides)
    return [
        Line(document, path("evidence", document.path), state_of(document, today), passages, hiding)
        for document, passages, hiding in (counted[name] for name in sorted(counted))
    ]


def _start(passage: Passage) -> int:
    return passage.start


def state_of(document: Document, today: date) -> str:
    """IN_FORCE, EXPIRED, NOT_YET or UNDATED, by the rules that judge a citation."""
    if document.effective is None and document.expires is None:
        return "UNDATED" if document.in_force(today) else "EXPIRED"
    if document.in_force(today):
        return "IN_FORCE"
    return "NOT_YET" if document.effective is not None and document.effective > today else "EXPIRED"
