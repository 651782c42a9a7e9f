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
    known = office.ledger.latest_snapshots()
    current: dict[str, Snapshot] = {}
    notices = []
    for control in office.controls:
        if control.source is None:
            continue
        before = known.get(control.id)
        try:
            found = office.collector.collect(control, version=before.version + 1 if before else 1, at=at)
        except TrustOpsError as bad:
            notices.append(f"{control.id}: {bad}")
            continue
        if found is None:
            notices.append(f"{control.id}: there is no reading")
        elif before is not None and before.sha256 == found.sha256:
            current[control.id] = before
        else:
            office.ledger.append_snapshot(found)
            current[control.id] = found
    return current, tuple(notices)
