"""Collecting: every control with a source is read; a new reading is a new immutable snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from trustops.domain.control import Control, Snapshot
from trustops.domain.errors import TrustOpsError
from trustops.operations.office import Office

AT_ONCE = 8
"""Sources that are asked at the same time: a slow one holds up seven others at most, and no system is asked by a crowd."""


def collect_snapshots(office: Office, at: datetime) -> tuple[Mapping[str, Snapshot], tuple[str, ...]]:
    """The snapshots that the sources give now, by control, and what went wrong, both in the order of the catalogue. A source without a
    reading leaves its control out: an older snapshot does not stand in for it."""
    sourced = [control for control in office.controls if control.source is not None]
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="collect") as sources:
        told = list(sources.map(lambda control: _read(office, control, at), sourced))
    read = [found for found in told if isinstance(found, Snapshot)]
    return {snapshot.control: snapshot for snapshot in _kept(office, read)}, tuple(why for why in told if isinstance(why, str))


def unread(office: Office, snapshots: Mapping[str, Snapshot]) -> frozenset[str]:
    """Controls whose source gave nothing although it has been asked: their last snapshots say no longer how things are."""
    return frozenset(control.id for control in office.controls if control.source is not None and control.id not in snapshots)


def _read(office: Office, control: Control, at: datetime) -> Snapshot | str:
    """The source's snapshot, or why there is none."""
    try:
        found = office.collector.collect(control, version=1, at=at)
    except TrustOpsError as bad:
        return f"{control.id}: {bad}"
    return f"{control.id}: there is no reading" if found is None else found


def _kept(office: Office, read: list[Snapshot]) -> list[Snapshot]:
    """The readings as versions in the ledger: numbered under the write lock, an equal reading is the version that is there."""
    with office.ledger.writing():
        known = office.ledger.latest_snapshots()
        kept = []
        for snapshot in read:
            before = known.get(snapshot.control)
            if before is not None and before.sha256 == snapshot.sha256:
                kept.append(before)
                continue
            kept.append(snapshot.model_copy(update={"version": before.version + 1 if before else 1}))
            office.ledger.append_snapshot(kept[-1])
        return kept
