"""The console: pages drawn by the service, one file a noun. A script adds to them; without it they work all the same."""

from __future__ import annotations

from trustops.console.doors import Door, Need
from trustops.console.pages import (
    controls,
    coverage,
    evidence,
    exports,
    files,
    library,
    people,
    question,
    queue,
    ratings,
    recall,
    recordings,
    reports,
    review,
    reviews,
    trace,
    trust,
    upload,
    verdicts,
)
from trustops.console.pages.drawing import Endpoint, page
from trustops.console.pages.forms import MOST
from trustops.console.uploading import MAX_BODY


def _seen(path: str, endpoint: Endpoint, need: Need = Need.READ) -> Door:
    return Door("GET", path, endpoint, need, page=True)


def _sent(path: str, endpoint: Endpoint, need: Need, most: int = MOST, files: int = 0) -> Door:
    return Door("POST", path, endpoint, need, page=True, most=most, files=files)


DOORS = (
    Door("GET", "/static/{version}/{name}", files.asset, Need.NOTHING),
    _seen("/", page(reviews.reviews)),
    _seen("/reviews", page(reviews.reviews)),
    _seen("/reviews/new", page(upload.new)),
    _sent("/reviews/new", upload.take, Need.REVIEW, most=MAX_BODY, files=2),
    _seen("/reviews/{review}", page(review.review)),
    _seen("/reviews/{review}/rows", page(review.fragment)),
    _seen("/reviews/{review}/mapping", page(upload.mapping)),
    _sent("/reviews/{review}/runs", upload.start, Need.REVIEW),
    _sent("/reviews/{review}/steer", review.steer, Need.REVIEW),
    _seen("/reviews/{review}/queue", page(queue.queue)),
    _sent("/reviews/{review}/queue", queue.approve_all_green, Need.APPROVE),
    _seen("/reviews/{review}/export", page(exports.exports)),
    _sent("/reviews/{review}/export", exports.send, Need.REVIEW),
    _seen("/reviews/{review}/coverage", page(coverage.coverage)),
    _seen("/reviews/{review}/ratings", page(ratings.ratings)),
    _sent("/reviews/{review}/ratings", ratings.give, Need.READ),
    _sent("/reviews/{review}/ratings/table", ratings.take_table, Need.READ, most=2 * ratings.MOST_TABLE, files=1),
    _seen("/reviews/{review}/ratings/{kind}", page(ratings.as_table)),
    _seen("/reviews/{review}/questions/{ref:path}", page(question.question)),
    _sent("/reviews/{review}/questions/{ref:path}", verdicts.decide, Need.REVIEW),
    _seen("/runs/{run}/trace/{ref:path}", page(trace.trace)),
    _seen("/evidence", page(evidence.evidence)),
    _sent("/evidence", evidence.read_again, Need.REVIEW),
    _seen("/evidence/{file:path}", page(evidence.document)),
    _seen("/controls", page(controls.controls)),
    _sent("/controls", controls.collect, Need.REVIEW),
    _seen("/controls/{control}", page(controls.control)),
    _seen("/recall", page(recall.recall)),
    _seen("/library", page(library.library)),
    _sent("/library", library.take_back, Need.REVIEW),
    _seen("/trust", page(trust.trust)),
    _seen("/trust/models", page(trust.models)),
    _seen("/trust/records", page(trust.records)),
    _seen("/trust/of/{subject:path}", page(trust.subject)),
    _seen("/reports", page(reports.reports)),
    _seen("/reports/{report}", page(reports.report)),
    _seen("/reports/{report}/{file}", page(reports.file)),
    _seen("/recordings", page(recordings.recordings)),
    _seen("/people", page(people.people), Need.ADMIN),
    _sent("/people", people.change, Need.ADMIN),
)
"""The console's addresses, with the role that each needs. An approval is checked once more behind its door."""
