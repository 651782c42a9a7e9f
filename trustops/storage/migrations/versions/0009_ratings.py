"""What people thought of answers."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import ratings

revision = "0009"
down_revision = "0007"


def upgrade() -> None:
    """The table where it is not there yet."""
    create(ratings)
