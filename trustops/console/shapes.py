"""Shapes of what goes out under /v1. The OpenAPI document is made from them; a test holds every reply against it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue

from trustops.domain.approval import Role
from trustops.domain.credential import Scope


class Shape(BaseModel):
    """Closed: what nobody knows is refused rather than ignored, and nothing goes out that is not told."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ProblemDetails(Shape):
    """RFC 9457: what is wrong, where, and what to do."""

    type: str
    title: str
    status: int
    detail: str
    where: str
    remedy: str


class Me(Shape):
    """Who signed in."""

    person: str
    role: Role
    identity: str
    organisation: str
    scopes: list[Scope]
    how: str


class Well(Shape):
    """Whether the service is well."""

    status: str


class Started(Shape):
    """A run, and where it can be watched."""

    review: str
    run: str
    events: str
    status: str


class ReviewRow(Shape):
    """A review in a list."""

    review: str
    file: str
    created_at: datetime
    questions: int
    status: str


class Reviews(Shape):
    """A page of reviews; `next` is the cursor of the page after it."""

    reviews: list[ReviewRow]
    next: str | None


class Part(Shape):
    """A value in a cell of the customer's file."""

    part: str
    cell: str
    value: str


class Gate(Shape):
    """Whether an answer may leave, and every reason against it."""

    state: str
    reasons: list[str]


class FindingRow(Shape):
    """A finding."""

    code: str
    severity: str
    source: str
    summary: str
    exhibits: list[str]
    remedy: str


class QuestionReport(Shape):
    """One question: where it stands, what would be said, and everything that speaks for or against it."""

    ref: str
    sheet: str
    cell: str
    text: str
    status: str
    risk: str | None
    determination: str | None
    decision: str | None
    decision_source: str | None
    risk_review: dict[str, str] | None
    approval: str
    export_gate: Gate
    answer_version: int | None
    answers: list[Part]
    attachments: list[str]
    answer_text: str
    claims: list[dict[str, Any]]
    findings: list[FindingRow]
    citations: list[dict[str, str]]
    conflicts: list[dict[str, Any]]
    controls: list[dict[str, Any]]
    agent_tasks: list[dict[str, Any]]
    model_calls: list[dict[str, Any]]
    skill_invocations: list[dict[str, Any]]
    authenticity: dict[str, Any] | None


class ReviewReport(Shape):
    """A review, as `trustops status --json` tells it."""

    review: str
    file: str
    organisation: str
    execution_mode: str
    agent_runtime: str
    engine: str
    real_model: bool
    authenticity: dict[str, Any]
    as_of: str | None
    run: str | None
    status: str
    questions: list[QuestionReport]
    totals: dict[str, Any]


class Versions(Shape):
    """Every version of an answer, oldest first."""

    versions: list[dict[str, Any]]


class Edited(Shape):
    """The version that an edit made, and what blocks it."""

    question: str
    version: int
    digest: str
    blocking: list[str]


class Verdict(Shape):
    """An approval or a rejection, and what it stands for in words."""

    question: str
    version: int
    digest: str
    verdict: str
    by: str
    role: Role
    identity: str
    at: datetime
    reason: str
    execution_mode: str
    expires_at: datetime | None
    covers: list[str] = []


class Verdicts(Shape):
    """What was approved in bulk, and which of the named answers were not, with why."""

    approved: list[Verdict]
    refused: dict[str, str]


class RunRow(Shape):
    """A run: what it was started with and how it stands."""

    run: str
    review: str
    started_at: datetime
    as_of: datetime
    as_of_given: bool
    entry: str
    engine: str
    profile: str
    questions: list[str]
    state: str
    paused: bool
    events: str


class RunRows(Shape):
    """The runs of a review, oldest first."""

    runs: list[RunRow]


class Withheld(Shape):
    """An answer that stayed, and why."""

    ref: str
    reasons: list[str]


class ExportMade(Shape):
    """What an export made, and where its files are."""

    export: str
    file: str
    exported: list[str]
    withheld: list[Withheld]
    replaced: list[dict[str, Any]]
    parts: dict[str, Any]
    execution_mode: str
    signed: bool
    files: dict[str, str]


class ExportRow(Shape):
    """An export on record."""

    export: str
    review: str
    at: datetime
    to: str
    by: str
    file: str
    sha256: str
    answers: list[dict[str, JsonValue]]
    execution_mode: str
    files: dict[str, str]


class Exports(Shape):
    """The exports of a review, oldest first."""

    exports: list[ExportRow]


class Verification(Shape):
    """What was found about a bundle."""

    valid: bool
    integrity: bool
    signer_fingerprint: str | None
    trusted_key: bool
    checks: list[dict[str, Any]]


class Recalled(Shape):
    """Answers that left and no longer hold; `notices` are sources that gave nothing."""

    recall: list[dict[str, Any]]
    notices: list[str]


class Documents(Shape):
    """A page of evidence files."""

    documents: list[dict[str, Any]]
    next: str | None


class Problems(Shape):
    """What is expired, undated or could not be read."""

    documents: int
    problems: list[dict[str, str]]


class Controls(Shape):
    """Controls with their readings; `notices` are sources that gave nothing."""

    controls: list[dict[str, Any]]
    notices: list[str]


class Coverage(Shape):
    """Which questions have evidence, a control and a fresh reading."""

    review: str
    file: str
    at: datetime
    questions: list[dict[str, Any]]
    totals: dict[str, Any]


class Library(Shape):
    """A page of earlier answers."""

    answers: list[dict[str, Any]]
    next: str | None


class Withdrawn(Shape):
    """An earlier answer that counts no longer."""

    withdrawn: str


class Conflicts(Shape):
    """Earlier answers that contradict or repeat each other."""

    conflicts: list[dict[str, Any]]


class Entered(Shape):
    """What entered the library, and what did not since it no longer holds."""

    file: str
    answers: list[str]
    left_out: list[str]


class Records(Shape):
    """A page of the audit chain, oldest first."""

    records: list[dict[str, Any]]
    next: str | None


class Redaction(Shape):
    """The record that was redacted, and the one that says so."""

    redacted: int
    record: int
    again: bool


class Person(Shape):
    """A person, the role, and how they can sign in."""

    person: str
    role: Role | None
    password: bool
    tokens: list[dict[str, Any]]
    sessions: int


class People(Shape):
    """Everybody who may sign in, or holds what once opened something."""

    people: list[Person]


class Token(Shape):
    """A token. It is told this once."""

    person: str
    token: str


class Invitation(Shape):
    """A link that sets a password. It is told this once."""

    person: str
    link: str


class Revoked(Shape):
    """Tokens that were ended. Sessions and the password are too."""

    person: str
    revoked: list[str]


class Parsed(Shape):
    """What would be asked, where each answer goes, and what is skipped and why."""

    file: str
    format: str
    questions: list[dict[str, Any]]
    skipped: list[dict[str, str]]
    mappings: list[dict[str, Any]]
