"""Collecting: every control with a source is read; a new reading is a new immutable snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from trustops.domain.control import Snapshot
from trustops.domain.errors import TrustOpsError
from trustops.operations.office import Office


def collect_snapshots(office: Office, at: datetime) -> tuple[Mapping[str, Snapshot], tuple[str, ...]]:
    """The snapshots that the sources give now, by control, and what went wrong. A source without a reading leaves its control out:
    an older snapshot does not stand in for it."""
    read: list[Snapshot] = []
    notices = []
    for control in office.controls:
        if control.source is None:
            continue
        try:
            found = office.collector.collect(control, version=1, at=at)
        except TrustOpsError as bad:
            notices.append(f"{control.id}: {bad}")
            continue
        if found is None:
            notices.append(f"{control.id}: there is no reading")
        else:
            read.append(found)
    return {snapshot.control: snapshot for snapshot in _kept(office, read)}, tuple(notices)


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
