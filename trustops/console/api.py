"""The addresses under /v1, each with what it needs, takes and gives. Routes, rights and the OpenAPI document are all read from here."""

from __future__ import annotations

from trustops.console import admitting, asked, deciding, esteem, holdings, metering, openapi, reading, sending, steering, stream, uploading
from trustops.console import shapes as told
from trustops.console.doors import Door, Need
from trustops.console.people import me

PAGED = ("limit", "cursor")
API = (
    Door(
        "POST",
        "/v1/parse",
        uploading.parse,
        Need.REVIEW,
        most=uploading.MAX_BODY,
        files=1,
        reply=told.Parsed,
        fields=("file",),
        errors=(422,),
    ),
    Door(
        "POST",
        "/v1/reviews",
        uploading.start_review,
        Need.REVIEW,
        most=uploading.MAX_BODY,
        files=1,
        reply=told.Started,
        status=202,
        fields=("file", "only"),
        errors=(409, 422, 503),
    ),
    Door("GET", "/v1/reviews", reading.reviews, Need.READ, reply=told.Reviews, query=PAGED),
    Door("GET", "/v1/reviews/{review}", reading.review, Need.READ, reply=told.ReviewReport),
    Door("GET", "/v1/reviews/{review}/runs", reading.runs, Need.READ, reply=told.RunRows),
    Door(
        "POST",
        "/v1/reviews/{review}/runs",
        uploading.recheck,
        Need.REVIEW,
        body=asked.Recheck,
        reply=told.Started,
        status=202,
        errors=(409, 503),
    ),
    Door("GET", "/v1/reviews/{review}/coverage", holdings.covering, Need.READ, reply=told.Coverage),
    Door("GET", "/v1/reviews/{review}/gap-register", reading.gap_register, Need.READ, kind="text/csv"),
    Door("POST", "/v1/reviews/{review}/approvals", deciding.approvals, Need.APPROVE, body=asked.Green, reply=told.Verdicts),
    Door(
        "POST", "/v1/reviews/{review}/exports", sending.send, Need.REVIEW, body=asked.Send, reply=told.ExportMade, status=201, errors=(409,)
    ),
    Door("GET", "/v1/reviews/{review}/exports", sending.exports, Need.READ, reply=told.Exports),
    Door("GET", "/v1/reviews/{review}/questions/{ref}", deciding.question, Need.READ, reply=told.QuestionReport),
    Door("GET", "/v1/reviews/{review}/questions/{ref}/versions", deciding.versions, Need.READ, reply=told.Versions),
    Door(
        "POST",
        "/v1/reviews/{review}/questions/{ref}/versions",
        deciding.edit,
        Need.REVIEW,
        body=asked.Edit,
        reply=told.Edited,
        status=201,
        match=True,
        errors=(409,),
    ),
    Door(
        "POST",
        "/v1/reviews/{review}/questions/{ref}/approval",
        deciding.approval,
        Need.APPROVE,
        body=asked.Nothing,
        reply=told.Verdict,
        match=True,
        errors=(409,),
    ),
    Door(
        "POST",
        "/v1/reviews/{review}/questions/{ref}/rejection",
        deciding.rejection,
        Need.APPROVE,
        body=asked.Reason,
        reply=told.Verdict,
        match=True,
        errors=(409,),
    ),
    Door("GET", "/v1/exports/{export}", sending.sent, Need.READ, reply=told.ExportRow),
    Door("GET", "/v1/exports/{export}/{file}", sending.file, Need.READ, kind="*/*"),
    Door(
        "POST",
        "/v1/verify",
        sending.verify,
        Need.READ,
        most=sending.LARGEST_BUNDLE,
        files=2,
        reply=told.Verification,
        fields=("bundle", "key"),
        errors=(422,),
    ),
    Door("GET", "/v1/recall", sending.recall, Need.READ, reply=told.Recalled),
    Door("POST", "/v1/recall", sending.recall_anew, Need.REVIEW, body=asked.Nothing, reply=told.Recalled),
    Door("GET", "/v1/runs/{run}", reading.run, Need.READ, reply=told.RunRow),
    Door("GET", "/v1/runs/{run}/events", stream.events, Need.READ, kind="text/event-stream", query=("after",), errors=(400, 429)),
    Door(
        "GET", "/v1/reviews/{review}/events", stream.review_events, Need.READ, kind="text/event-stream", query=("after",), errors=(400, 429)
    ),
    Door("GET", "/v1/runs/{run}/recording", reading.recording, Need.REVIEW, kind="application/gzip", errors=(409,)),
    Door("POST", "/v1/runs/{run}/resume", steering.resume, Need.REVIEW, reply=told.Started, status=202, errors=(409, 503)),
    Door("POST", "/v1/runs/{run}/pause", steering.pause, Need.REVIEW, reply=told.Started, status=202, errors=(409,)),
    Door("POST", "/v1/runs/{run}/cancel", steering.cancel, Need.REVIEW, reply=told.Started, status=202, errors=(409,)),
    Door("GET", "/v1/evidence", holdings.evidence, Need.READ, reply=told.Documents, query=PAGED),
    Door("GET", "/v1/evidence/problems", holdings.problems, Need.READ, reply=told.Problems),
    Door("GET", "/v1/controls", holdings.controls, Need.READ, reply=told.Controls),
    Door("POST", "/v1/controls/collect", holdings.collect, Need.REVIEW, body=asked.Nothing, reply=told.Controls),
    Door("GET", "/v1/library", holdings.library, Need.READ, reply=told.Library, query=PAGED),
    Door("POST", "/v1/library", holdings.enter, Need.REVIEW, body=asked.Enter, reply=told.Entered, status=201, errors=(404, 409)),
    Door("GET", "/v1/library/conflicts", holdings.clashes, Need.READ, reply=told.Conflicts),
    Door(
        "POST", "/v1/library/{answer}/withdrawal", holdings.withdrawal, Need.REVIEW, body=asked.Reason, reply=told.Withdrawn, errors=(409,)
    ),
    Door("GET", "/v1/trust", esteem.trust, Need.READ, reply=told.Profiles),
    Door("GET", "/v1/trust/records", esteem.chain, Need.READ, reply=told.TrustChain),
    Door("GET", "/v1/trust/subjects/{subject:path}", esteem.subject, Need.READ, reply=told.Subject),
    Door("GET", "/v1/reputations", esteem.standing, Need.READ, reply=told.Reputations),
    Door("GET", "/v1/audit", admitting.audit, Need.ADMIN, reply=told.Records, query=PAGED),
    Door(
        "POST", "/v1/audit/{record}/redaction", admitting.redaction, Need.ADMIN, body=asked.Reason, reply=told.Redaction, errors=(409, 503)
    ),
    Door("GET", "/v1/people", admitting.people, Need.ADMIN, reply=told.People),
    Door("POST", "/v1/people/{person}/tokens", admitting.token, Need.ADMIN, body=asked.Issue, reply=told.Token, status=201, secret=True),
    Door(
        "POST",
        "/v1/people/{person}/invitation",
        admitting.invitation,
        Need.ADMIN,
        body=asked.Nothing,
        reply=told.Invitation,
        status=201,
        secret=True,
    ),
    Door("POST", "/v1/people/{person}/revocation", admitting.ended, Need.ADMIN, body=asked.Nothing, reply=told.Revoked, errors=(409,)),
    Door("GET", "/v1/me", me, Need.READ, reply=told.Me),
    Door("GET", "/metrics", metering.metrics, Need.READ, kind="text/plain"),
    Door("GET", "/healthz", reading.healthz, Need.NOTHING, reply=told.Well),
    Door("GET", "/readyz", reading.readyz, Need.NOTHING, reply=told.Well, errors=(503,)),
    Door("GET", "/v1/openapi.json", openapi.show, Need.READ, kind="application/json"),
)
"""In the order of the document."""
