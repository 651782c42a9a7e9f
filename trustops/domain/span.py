"""What happened, as spans: the tree of a run for people and for collectors (trustops/telemetry makes them)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from trustops.domain.record import Event, ModelCall, RunInfo, SkillInvocation

Value = str | int | float | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened within a span."""

    name: str
    at: datetime
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Span:
    """One span. Ids are lower-case hexadecimal, 32 and 16 digits; `parent` is empty at the root."""

    trace_id: str
    span_id: str
    parent: str
    name: str
    kind: Literal["INTERNAL", "CLIENT"]
    start: datetime
    end: datetime
    attributes: Mapping[str, Value]
    ok: bool = True
    why: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a trace is made of: the run, its events, and by question its calls, skill invocations and readings (control, evaluation)."""

    run: RunInfo
    organisation: str
    events: Sequence[Event]
    calls: Mapping[str, Sequence[ModelCall]]
    skills: Mapping[str, Sequence[SkillInvocation]]
    readings: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
