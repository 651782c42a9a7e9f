"""What is thought of those who do the work: trust profiles, their records and reputations. They inform; no door opens by them."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request

from trustops.console.people import office_of
from trustops.console.problems import Json, Problem
from trustops.domain.errors import UnknownName
from trustops.operations.office import Office
from trustops.operations.reputing import in_evaluations, reputation_row, reputations
from trustops.operations.trusting import assess_all, assess_one, history_of, profile_row, record_row, verify_trust
from trustops.operations.vouching import Grade, last_grades

GRADES = 50


async def trust(request: Request) -> Json:
    """Every subject with a profile or with evaluations."""
    found = await asyncio.to_thread(assess_all, office_of(request))
    return Json({"subjects": [profile_row(each) for each in found]})


async def subject(request: Request) -> Json:
    """One subject with its history and its newest evaluations, each checked."""
    return Json(await asyncio.to_thread(_told, office_of(request), request.path_params["subject"]))


def _told(office: Office, name: str) -> dict[str, Any]:
    try:
        found = assess_one(office, name)
    except UnknownName as none:
        raise Problem(404, "there is no such subject", remedy="GET /v1/trust lists them.") from none
    records = [record_row(row) for row, _ in history_of(office, name)]
    return {
        "profile": profile_row(found),
        "records": records,
        "in_evaluations": [reputation_row(each) for each in in_evaluations(office, name)],
        "grades": [grade_row(each) for each in last_grades(office, name, GRADES)],
    }


def grade_row(grade: Grade) -> dict[str, Any]:
    """An evaluation in its protocol's form, with what it judged and whether it holds."""
    kept = grade.kept
    return {
        "evaluation": kept.body,
        "mode": kept.mode,
        "origin": kept.origin,
        "model": kept.model,
        "source": kept.source or None,
        "review": grade.review or None,
        "question": grade.question or None,
        "scores": dict(grade.scores),
        "holds": not grade.problem,
        "problem": grade.problem,
        "signature": grade.signature,
        "revoked": grade.revoked.model_dump(mode="json") if grade.revoked else None,
    }


async def chain(request: Request) -> Json:
    """Walks along the chain of trust records."""
    found = await asyncio.to_thread(verify_trust, office_of(request))
    bad = [{"record": seq, "subject": name, "problem": problem} for seq, name, problem in found.bad]
    return Json({"valid": not bad, "records": found.records, "head": found.head, "bad": bad})


async def standing(request: Request) -> Json:
    """Reputations, apart by the model that served."""
    found = await asyncio.to_thread(lambda: reputations(office_of(request), models=True))
    return Json({"reputations": [reputation_row(each) for each in found]})
