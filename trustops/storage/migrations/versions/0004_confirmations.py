"""Reconfirmed approvals, for ledgers that are older than they."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import confirmations

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """The table where it is not there yet."""
    create(confirmations)
