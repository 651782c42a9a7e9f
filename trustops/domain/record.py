"""What happened, as it happened: calls, skill invocations, events, and a run as one file."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import JsonValue

from trustops.domain.authenticity import Origin
from trustops.domain.base import Noun
from trustops.domain.finding import Finding


class AgentTask(Noun):
    """One seat's work on one question in one run."""

    id: str
    seat: str
    outcome: str


class ModelCall(Noun):
    """One call of a model, as served. Times in milliseconds, cost in US dollars as a decimal string. `tokens_cached` are part of
    `tokens_in`; `skills` is the guidance that the seat was given, `profile` the settings' name for who
    answered.

    `detail` is why it gave no opinion, in the words of its finding, so that a replay says the same.
    """

    id: str
    task: str
    trace_id: str
    seat: str
    origin: Origin
    provider: str
    model: str
    profile: str = ""
    prompt: str
    skills: tuple[str, ...] = ()
    request_sha256: str
    request_id: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    latency_ms: int = 0
    attempts: int = 1
    repairs: int = 0
    cost_usd: str | None = None
    stop_reason: str = ""
    outcome: str
    detail: str = ""
    reply: str = ""


class SkillInvocation(Noun):
    """One call of a skill by a seat."""

    id: str
    task: str
    trace_id: str
    skill: str
    version: str
    seat: str
    outcome: str
    latency_ms: int = 0


class Event(Noun):
    """One state change of a run, numbered without gaps within it."""

    run: str
    seq: int
    at: datetime
    kind: str
    question: str = ""
    data: dict[str, JsonValue] = {}


TERMINAL_EVENTS = frozenset({"run_finished", "run_failed", "run_cancelled"})


class RunInfo(Noun):
    """One execution in a review: what it was started with, and how it stands. A paused run is not over."""

    id: str
    review: str
    started_at: datetime
    as_of: datetime
    as_of_given: bool
    entry: str
    engine: str
    profile: str
    questions: tuple[str, ...]
    state: Literal["RUNNING", "FINISHED", "FAILED", "CANCELLED"] = "RUNNING"
    paused: bool = False


def load_finding(row: dict[str, Any]) -> Finding:
    """A finding as storage kept it; raises pydantic's ValidationError on a row that is none."""
    return Finding.model_validate(row)
