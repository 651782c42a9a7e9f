"""Which collectors exist, and the one way from a control to a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar, Protocol

from trustops.collectors.command import CommandCollector
from trustops.collectors.file import FileCollector
from trustops.collectors.ground import Ground, Permits, place
from trustops.collectors.http import HttpCollector
from trustops.collectors.mock import MockCollector
from trustops.collectors.ocsf import OcsfCollector
from trustops.collectors.reading import Reading
from trustops.collectors.settings_of import missing
from trustops.collectors.sql import SqlCollector
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import digest, sha256
from trustops.domain.control import Control, ControlSource, Snapshot
from trustops.domain.errors import MalformedFile, Unavailable, UsageError

SHUT = Permits()


class Collector(Protocol):
    """Reads one control's values. `source_mode` is a constant of the class: no setting makes a made-up reading live."""

    name: ClassVar[str]
    source_mode: ClassVar[SourceMode]

    def read(self, control: Control, source: ControlSource, ground: Ground) -> Reading | None: ...


COLLECTORS: Mapping[str, Collector] = {
    each.name: each for each in (FileCollector(), MockCollector(), HttpCollector(), SqlCollector(), OcsfCollector(), CommandCollector())
}
ALLOWANCE = timedelta(minutes=15)
"""A live source is asked a little after the instant that a run judges by. Its reading then counts as of that instant, which makes it
older than it is and never younger; asked later than this, it says nothing about the instant."""


@dataclass(frozen=True)
class Collected:
    """A snapshot, or why there is none."""

    snapshot: Snapshot | None
    why: str = ""


def collect(
    control: Control,
    workspace: Path,
    *,
    at: datetime,
    version: int = 1,
    collected_at: datetime | None = None,
    permits: Permits = SHUT,
) -> Snapshot | None:
    """The control's newest snapshot, or None where it is unavailable; `attempt` says why as well."""
    return attempt(control, workspace, at=at, version=version, collected_at=collected_at, permits=permits).snapshot


def attempt(
    control: Control,
    workspace: Path,
    *,
    at: datetime,
    version: int = 1,
    collected_at: datetime | None = None,
    permits: Permits = SHUT,
    now: datetime | None = None,
) -> Collected:
    """Reads the control's source once.

    `at` is the run's instant: a reading from after it is refused. `version` is counted by the caller, who knows the earlier ones;
    `collected_at` is when we read it (`at` unless given); `now` is the present, for sources that are asked and not read. Raises
    MalformedFile for a wrong file or setting or a path out of the workspace, UsageError for a time without a zone and what is not
    permitted, Refused for a query that tries to write, Unavailable where a source does not answer.
    """
    collected = collected_at or at
    if at.tzinfo is None or collected.tzinfo is None:
        raise UsageError("A time without a zone.", where=f"control {control.id}", remedy="Give the instant with its zone.")
    if control.source is None:
        return Collected(None, "The control has no source.")
    collector = COLLECTORS[control.source.collector]
    present = now or datetime.now(UTC)
    if collector.source_mode is SourceMode.LIVE and present - at > ALLOWANCE:
        return Collected(None, f"A live source cannot be asked today what it said on {at.isoformat()}.")
    _complete(control, control.source)
    reading = collector.read(
        control, control.source, Ground(workspace, permits, min(present, at) if present - at <= ALLOWANCE else present)
    )
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


def _complete(control: Control, source: ControlSource) -> None:
    """The catalogue's check once more, for a source that was not read from a catalogue."""
    if lacking := missing(source.collector, [*source.settings, *(["path"] if source.path else [])]):
        raise MalformedFile(f"the source has no {lacking[0]}", where=place(control, source, lacking[0]), remedy="Add it in controls.yaml.")


@dataclass(frozen=True)
class WorkspaceCollectors:
    """The port ControlCollector for one workspace."""

    workspace: Path
    permits: Permits = SHUT

    def collect(self, control: Control, *, version: int, at: datetime) -> Snapshot | None:
        """The snapshot. Raises Unavailable with the reason where the source has none; None only without a source."""
        found = attempt(control, self.workspace, at=at, version=version, permits=self.permits)
        if found.snapshot is None and control.source is not None:
            raise Unavailable(found.why, where=place(control, control.source), remedy="See to the source, then collect again.")
        return found.snapshot
