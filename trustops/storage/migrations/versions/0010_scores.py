"""Evaluations, their rubrics, trusted keys and records of trust."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import evaluations, rubrics, trust_records, trusted_keys

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """The tables where they are not there yet."""
    create(rubrics, evaluations, trusted_keys, trust_records)
