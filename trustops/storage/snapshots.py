"""Snapshots: immutable and versioned. A newer reading is a new version; none is ever overwritten."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select

from trustops.domain.control import Snapshot
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book

ALL = select(t.snapshots.c.body).where(t.snapshots.c.org == ORG).order_by(t.snapshots.c.version)


class SnapshotLedger(Book):
    """Snapshots by control and version."""

    def append_snapshot(self, snapshot: Snapshot) -> None:
        """A second row of the same control and version is refused by the key."""
        body = snapshot.model_dump_json()
        self.add(t.snapshots, control=snapshot.control, version=snapshot.version, sha256=snapshot.sha256, body=body)

    def latest_snapshots(self) -> dict[str, Snapshot]:
        """The newest snapshot of each control, by control id."""
        return {snapshot.control: snapshot for row in self.all(ALL) if (snapshot := Snapshot.model_validate_json(row.body))}

    def snapshots(self) -> dict[str, tuple[Snapshot, ...]]:
        """All snapshots of each control, oldest first."""
        held: dict[str, list[Snapshot]] = defaultdict(list)
        for row in self.all(ALL):
            snapshot = Snapshot.model_validate_json(row.body)
            held[snapshot.control].append(snapshot)
        return {control: tuple(versions) for control, versions in held.items()}
