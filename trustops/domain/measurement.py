"""What happened, in numbers: one observation each, for collectors of metrics (trustops/telemetry makes and sends them)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from trustops.domain.span import Value


@dataclass(frozen=True, slots=True)
class Measurement:
    """One observation. A counter's are added up, a histogram's counted by size. `unit` as in UCUM: seconds `s`, `{token}`."""

    name: str
    kind: Literal["counter", "histogram"]
    unit: str
    value: float
    attributes: Mapping[str, Value]
