"""Which collectors exist, and the one way from a control to a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Protocol

from trustops.collectors.file import FileCollector
from trustops.collectors.mock import MockCollector
from trustops.collectors.reading import Reading
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import digest, sha256
from trustops.domain.control import Control, ControlSource, Snapshot
from trustops.domain.errors import UsageError


class Collector(Protocol):
    """Reads one control's values. `source_mode` is a constant of the class: no setting makes a made-up reading live."""

    name: ClassVar[str]
    source_mode: ClassVar[SourceMode]

    def read(self, control: Control, source: ControlSource, workspace: Path) -> Reading | None: ...


COLLECTORS: Mapping[str, Collector] = {each.name: each for each in (FileCollector(), MockCollector())}


@dataclass(frozen=True)
class Collected:
    """A snapshot, or why there is none."""

    snapshot: Snapshot | None
    why: str = ""


def collect(control: Control, workspace: Path, *, at: datetime, version: int = 1, collected_at: datetime | None = None) -> Snapshot | None:
    """The control's newest snapshot, or None where it is unavailable; `attempt` says why as well."""
    return attempt(control, workspace, at=at, version=version, collected_at=collected_at).snapshot


def attempt(control: Control, workspace: Path, *, at: datetime, version: int = 1, collected_at: datetime | None = None) -> Collected:
    """Reads the control's source once.

    `at` is the run's instant: a reading from after it is refused. `version` is counted by the caller, who knows the earlier ones;
    `collected_at` is when we read it (`at` unless given). Raises MalformedFile for a wrong file or a path out of the workspace, and
    UsageError for a time without a zone or a collector that this program does not have.
    """
    collected = collected_at or at
    if at.tzinfo is None or collected.tzinfo is None:
        raise UsageError("A time without a zone.", where=f"control {control.id}", remedy="Give the instant with its zone.")
    if control.source is None:
        return Collected(None, "The control has no source.")
    collector = COLLECTORS.get(control.source.collector)
    if collector is None:
        raise UsageError(
            f"The collector {control.source.collector!r} is not available in this version; there are {', '.join(COLLECTORS)}.",
            where=f"controls.yaml, control {control.id}, key source.collector",
            remedy="Let a job write the reading to a file and use the collector 'file'.",
        )
    reading = collector.read(control, control.source, workspace)
    if reading is None:
        return Collected(None, f"There is no reading at {control.source.path or 'the source'}.")
    if reading.observed_at > at:
        return Collected(None, f"The reading of {reading.observed_at.isoformat()} is from after {at.isoformat()}.")
    return Collected(_snapshot(control, collector, reading, version, collected))


def _snapshot(control: Control, collector: Collector, reading: Reading, version: int, collected: datetime) -> Snapshot:
    """`sha256` covers the source's bytes and the control, not when or how often we read them: an equal reading has an equal hash."""
    return Snapshot(
        control=control.id,
        version=version,
        observed_at=reading.observed_at,
        collected_at=collected,
        values=reading.values,
        collector=collector.name,
        source_mode=collector.source_mode,
        sha256=digest({"control": control.id, "collector": collector.name, "content": sha256(reading.raw)}),
    )


@dataclass(frozen=True)
class WorkspaceCollectors:
    """The port ControlCollector for one workspace."""

    workspace: Path

    def collect(self, control: Control, *, version: int, at: datetime) -> Snapshot | None:
        return collect(control, self.workspace, at=at, version=version)
