"""What answers rest on: evidence, controls with their readings, and earlier answers."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from starlette.requests import Request

from trustops.console.asked import Enter, Nothing, Reason
from trustops.console.bodies import body_of
from trustops.console.finding import review_named, sent_named
from trustops.console.paging import page_of
from trustops.console.people import office_of, somebody
from trustops.console.problems import Json, Problem
from trustops.operations.answering import instant
from trustops.operations.covering import coverage, totals
from trustops.operations.library import add, conflicts, entries, withdraw
from trustops.operations.listing import control_row, document_rows, evidence_problems, pair_rows, readings
from trustops.operations.office import Office


async def evidence(request: Request) -> Json:
    """Every document, in pages."""
    page = page_of(request, await asyncio.to_thread(document_rows, office_of(request)), lambda row: str(row["path"]))
    return Json({"documents": list(page.entries), "next": page.next})


async def problems(request: Request) -> Json:
    """What is expired, undated or could not be read."""
    office = office_of(request)
    number, found = await asyncio.to_thread(evidence_problems, office, instant(office, None)[0].date())
    return Json({"documents": number, "problems": found})


async def controls(request: Request) -> Json:
    """Every control with its newest reading on record."""
    return await _readings(office_of(request), collect=False)


async def collect(request: Request) -> Json:
    """Reads every source now; a new reading is a new snapshot."""
    await body_of(request, Nothing)
    return await _readings(office_of(request), collect=True)


async def _readings(office: Office, *, collect: bool) -> Json:
    found, notices = await asyncio.to_thread(lambda: readings(office, instant(office, None)[0], collect=collect))
    return Json({"controls": [control_row(each) for each in found], "notices": list(notices)})


async def covering(request: Request) -> Json:
    """Which questions of a review have evidence, a control and a fresh reading; what is missing, and whose it is."""

    def told(office: Office, name: str) -> dict[str, Any]:
        review, at = review_named(office, name), instant(office, None)[0]
        rows = coverage(office, review, at)
        counts = totals(rows)
        return {"review": review.id, "file": review.questionnaire.file, "at": at, "questions": [asdict(r) for r in rows], "totals": counts}

    return Json(await asyncio.to_thread(told, office_of(request), request.path_params["review"]))


async def library(request: Request) -> Json:
    """Every earlier answer, in pages; withdrawn ones are marked."""
    page = page_of(request, await asyncio.to_thread(entries, office_of(request)), lambda answer: answer.id)
    return Json({"answers": [answer.model_dump(mode="json") for answer in page.entries], "next": page.next})


async def clashes(request: Request) -> Json:
    """Earlier answers that contradict or repeat each other."""
    return Json({"conflicts": pair_rows(await asyncio.to_thread(conflicts, office_of(request)))})


async def enter(request: Request) -> Json:
    """Makes the answers of an export earlier answers: 201 with what entered. 409 where they did already, or where none holds."""
    office, person = somebody(request)
    asked = await body_of(request, Enter)

    def done() -> dict[str, Any]:
        sent_named(office, asked.export)
        made = add(office, asked.export, by=person, owner=asked.owner, review_by=asked.review_by)
        return {"file": made.file.name, "answers": list(made.answers), "left_out": list(made.left_out)}

    return Json(await asyncio.to_thread(done), 201)


async def withdrawal(request: Request) -> Json:
    """Withdraws an earlier answer, for a reason. 409 where it is withdrawn already."""
    office, person = somebody(request)
    asked = await body_of(request, Reason)

    def done(answer: str) -> dict[str, Any]:
        if all(each.id != answer for each in entries(office)):
            raise Problem(404, "there is no such earlier answer", remedy="GET /v1/library lists them.")
        return {"withdrawn": withdraw(office, answer, by=person, reason=asked.reason).id}

    return Json(await asyncio.to_thread(done, request.path_params["answer"]))
