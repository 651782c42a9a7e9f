"""Reviews, their runs, questions, versions and verdicts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from trustops.console.shapes.base import Shape
from trustops.domain.approval import Role


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


class Followed(Shape):
    """The question that a follow-up follows, and which one to it this is."""

    review: str
    question: str
    number: int


class FollowUpStarted(Started):
    """The case of a follow-up, its question, and its run."""

    question: str
    follows: Followed


class Said(Shape):
    """One turn of a conversation: what was asked, and what left as its answer; empty where nothing left."""

    asked: str
    answered: str


class FollowUpRow(Shape):
    """A follow-up and what became of it. `text` is there only where it has left; `blocked_because` is why it may not."""

    ref: str
    review: str
    asked: str
    follows: Followed
    conversation: list[Said]
    status: str
    cleared: bool
    blocked_because: list[str]
    text: str | None


class FollowUps(Shape):
    """The follow-ups to a question, oldest first."""

    review: str
    question: str
    follow_ups: list[FollowUpRow]


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


class SpanRow(Shape):
    """A span: what was done, from when to when, below which other; `events` are verdicts and readings."""

    trace_id: str
    span_id: str
    parent: str | None
    name: str
    kind: str
    start: datetime
    end: datetime
    ok: bool
    attributes: dict[str, Any]
    events: list[dict[str, Any]]


class Trace(Shape):
    """Who did what for one question in one run, parents before children."""

    run: str
    review: str
    question: str
    spans: list[SpanRow]


class RunRows(Shape):
    """The runs of a review, oldest first."""

    runs: list[RunRow]


class Parsed(Shape):
    """What would be asked, where each answer goes, and what is skipped and why."""

    file: str
    format: str
    questions: list[dict[str, Any]]
    skipped: list[dict[str, str]]
    mappings: list[dict[str, Any]]
