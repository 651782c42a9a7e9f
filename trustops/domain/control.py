"""Controls, their snapshots and what a snapshot says about a control. Values are exact: integers, strings and flags, no floats."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from pydantic import Field, StrictBool, StrictInt, StrictStr

from trustops.domain.authenticity import SourceMode
from trustops.domain.base import Noun

Exact = StrictBool | StrictInt | StrictStr


class Risk(StrEnum):
    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


RISK_ORDER = {Risk.LOW: 0, Risk.MEDIUM: 1, Risk.HIGH: 2}


def highest(*risks: Risk) -> Risk:
    """Declared risk may only be raised (product.md, "Seats add, never subtract")."""
    return max(risks, key=RISK_ORDER.__getitem__, default=Risk.LOW)


class Measure(Noun):
    """How a reading's value is made from a snapshot's values; exactly one field is set."""

    ratio: tuple[str, str] | None = None
    value: str | None = None
    flag: str | None = None
    version: str | None = None


class Expectation(Noun):
    """What the value must be; exactly one field is set. Decimals are written as strings ("0.95")."""

    equals: Exact | None = None
    at_least: Exact | None = None
    at_most: Exact | None = None
    one_of: tuple[Exact, ...] | None = None


class ControlSource(Noun):
    """Which collector reads the control, and its own settings."""

    collector: Literal["file", "mock", "http", "sql", "ocsf", "command"]
    path: str = ""
    settings: dict[str, str] = Field(default_factory=dict)


class Control(Noun):
    """One entry of the control catalogue (controls.yaml)."""

    id: str
    title: str
    topics: tuple[str, ...]
    frameworks: tuple[str, ...] = ()
    scope: str = ""
    measure: Measure
    expect: Expectation
    max_age: timedelta
    risk: Risk
    source: ControlSource | None = None
    owner: str = ""


class Snapshot(Noun):
    """What a collector read at one instant. Immutable; a new reading is a new version."""

    control: str
    version: int
    observed_at: datetime
    collected_at: datetime
    values: dict[str, Exact]
    collector: str
    source_mode: SourceMode
    sha256: str

    @property
    def id(self) -> str:
        return f"S-{self.control}@{self.version}"


class Evaluation(StrEnum):
    """ControlEvaluation: what a control says at the run's instant."""

    PASS = "PASS"
    DRIFT = "DRIFT"
    STALE = "STALE"
    UNAVAILABLE = "UNAVAILABLE"
    NOT_MEASURED = "NOT_MEASURED"


class ControlReading(Noun):
    """A control judged against its newest snapshot: the sentence `says` is what an answer may cite, made by code."""

    control: Control
    evaluation: Evaluation
    snapshot: Snapshot | None = None
    value: str = ""
    says: str = ""
    why: str = ""

    @property
    def id(self) -> str:
        return self.snapshot.id if self.snapshot else f"S-{self.control.id}@0"
