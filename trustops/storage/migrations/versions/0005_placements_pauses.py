"""Which runs are paused, and which exports are in place. Those of an older ledger were on record only once they were."""

from alembic import op

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import pauses, placements

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """The tables where they are not there yet, with the exports that there are."""
    create(pauses, placements)
    op.execute(
        "INSERT INTO placements (org, export, at) SELECT org, id, at FROM exports WHERE NOT EXISTS "
        "(SELECT 1 FROM placements WHERE placements.org = exports.org AND placements.export = exports.id)"
    )
