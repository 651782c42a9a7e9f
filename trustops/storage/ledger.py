"""The books of one organisation: append, latest, get. Composed of one ledger a noun."""

from __future__ import annotations

from pathlib import Path

from trustops.storage.events import EventLedger
from trustops.storage.ratings import RatingLedger
from trustops.storage.redacting import RedactingLedger
from trustops.storage.requests import RequestLedger
from trustops.storage.scores import ScoreLedger
from trustops.storage.snapshots import SnapshotLedger
from trustops.storage.sqlite import BUSY_MS, open_engine


class OrganisationLedger(RedactingLedger, EventLedger, SnapshotLedger, RatingLedger, RequestLedger, ScoreLedger):
    """Implements ports.Ledger."""


def open_ledger(path: Path, org: str, *, busy_ms: int = BUSY_MS) -> OrganisationLedger:
    """The books of one organisation in its own SQLite file; this is the only door."""
    return OrganisationLedger(open_engine(path, busy_ms=busy_ms), org)
