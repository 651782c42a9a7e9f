"""Sign-in tokens of people, by their salted hashes."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import credentials

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """The table where it is not there yet."""
    create(credentials)
