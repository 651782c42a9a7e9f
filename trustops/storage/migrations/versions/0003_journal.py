"""The journal of model replies, for ledgers that are older than it or that made it with their first durable run."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import journal

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """The tables where they are not there yet."""
    create(journal)
