"""Who really did it: origins, modes and their derivation (evaluation.md, "Authenticity"). A mode is derived, never typed in."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Origin(StrEnum):
    """What served a model call: a constant of the provider, or the marker a fake server sends."""

    LIVE = "LIVE"
    SCRIPTED = "SCRIPTED"
    RECORDED = "RECORDED"


def declared_by(client: object) -> Origin:
    """The origin that what serves calls declares for itself; one that declares nothing, or nothing known, is not live."""
    declared = getattr(client, "origin", Origin.SCRIPTED)
    return declared if isinstance(declared, Origin) else Origin.SCRIPTED


class SourceMode(StrEnum):
    """Where a snapshot comes from: a constant of its collector."""

    LIVE = "LIVE"
    RECORDED = "RECORDED"
    MOCK = "MOCK"


class ExecutionMode(StrEnum):
    TEST = "TEST"
    LIVE_AI = "LIVE_AI"


class EntryPoint(StrEnum):
    """How a run was started. Only a product entry point at the present instant can be live."""

    PRODUCT = "PRODUCT"
    EVALUATION = "EVALUATION"


SEATS = ("commander", "policy", "control", "answer", "reviewer")
AGENT_RUNTIME = "AGENTTEAMS"


def execution_mode(origins: Iterable[Origin], *, entry: EntryPoint, as_of_given: bool) -> ExecutionMode:
    """LIVE_AI only where calls exist, all were served live, and the run came through the product at the present instant."""
    served = list(origins)
    live = bool(served) and all(origin is Origin.LIVE for origin in served)
    return ExecutionMode.LIVE_AI if live and entry is EntryPoint.PRODUCT and not as_of_given else ExecutionMode.TEST


def real_model(origins: Iterable[Origin]) -> bool:
    """True where at least one call was made and every one was served by a live provider, whatever the mode."""
    served = list(origins)
    return bool(served) and all(origin is Origin.LIVE for origin in served)
