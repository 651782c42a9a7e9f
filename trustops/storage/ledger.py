"""The books of one organisation: append, latest, get. Composed of one ledger a noun."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from trustops.storage.events import EventLedger
from trustops.storage.ratings import RatingLedger
from trustops.storage.redacting import RedactingLedger
from trustops.storage.requests import RequestLedger
from trustops.storage.scores import ScoreLedger
from trustops.storage.snapshots import SnapshotLedger
from trustops.storage.sqlite import BUSY_MS, open_engine

POOL = 15
"""Connections of a process to a shared database."""


class OrganisationLedger(RedactingLedger, EventLedger, SnapshotLedger, RatingLedger, RequestLedger, ScoreLedger):
    """Implements ports.Ledger."""

    def hears(self, heard: Callable[[str], None]) -> AbstractContextManager[None]:
        """Calls `heard` with the run of every event of this organisation that any process appends, where the database tells."""
        from trustops.storage.listening import listening

        return listening(self.engine, self._channel, heard)


def open_shared(address: str, org: str, *, pool: int = POOL) -> OrganisationLedger:
    """The books of one organisation in a database of PostgreSQL that others use as well; no method takes an organisation."""
    from trustops.storage.postgres import open_engine as open_postgres

    return OrganisationLedger(open_postgres(address, pool=pool), org)


def open_ledger(path: Path, org: str, *, busy_ms: int = BUSY_MS) -> OrganisationLedger:
    """The books of one organisation in its own SQLite file."""
    return OrganisationLedger(open_engine(path, busy_ms=busy_ms), org)
