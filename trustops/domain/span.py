"""What happened, as spans: the tree of a run for people and for collectors (trustops/telemetry makes them)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

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
