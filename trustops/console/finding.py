"""What an address names: a review, a question, a run, an export. A foreign one is refused like one that never was, byte for byte."""

from __future__ import annotations

from trustops.console.problems import Problem
from trustops.domain.errors import UnknownName
from trustops.domain.record import RunInfo
from trustops.operations.fetching import export_named
from trustops.operations.office import Office
from trustops.ports import ExportRecord, StoredReview


def review_named(office: Office, name: str) -> StoredReview:
    """The review of exactly this id; the ledger would also take its beginning."""
    found = office.ledger.get_review(name)
    if found is None or found.id != name:
        raise Problem(404, "there is no such review", remedy="GET /v1/reviews lists them.")
    return found


def question_named(office: Office, name: str, ref: str) -> tuple[StoredReview, str]:
    """A question of a review."""
    review = office.ledger.get_review(name)
    if review is None or review.id != name or all(q.ref != ref for q in review.questionnaire.questions):
        raise Problem(404, "there is no such question", remedy="GET /v1/reviews/{review} lists them.")
    return review, ref


def run_named(office: Office, name: str) -> RunInfo:
    """The run of an id."""
    found = office.ledger.get_run(name)
    if found is None:
        raise Problem(404, "there is no such run", remedy="GET /v1/reviews lists the reviews.")
    return found


def sent_named(office: Office, name: str) -> tuple[StoredReview, ExportRecord]:
    """An export of an id, and its review."""
    try:
        return export_named(office, name)
    except UnknownName as unknown:
        raise Problem(404, "there is no such export", remedy="GET /v1/reviews/{review}/exports lists them.") from unknown
