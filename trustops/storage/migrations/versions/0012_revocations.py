"""Revocations of trusted keys."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import key_revocations

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """The table where it is not there yet."""
    create(key_revocations)
