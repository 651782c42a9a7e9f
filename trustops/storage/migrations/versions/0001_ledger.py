"""The ledger's tables, each with triggers that refuse UPDATE and DELETE."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """All tables that are declared, also those of later revisions: a new ledger is made in one step."""
    create(*metadata.sorted_tables)
