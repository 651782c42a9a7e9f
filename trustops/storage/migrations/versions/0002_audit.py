"""The audit chain and its payloads, for ledgers that are older than they."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import audit, audit_payloads

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """The tables where they are not there yet."""
    create(audit, audit_payloads)
