"""The ledger's tables, each with triggers that refuse UPDATE and DELETE."""

from alembic import op

from trustops.storage.tables import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """All tables, and on SQLite the triggers."""
    bind = op.get_bind()
    metadata.create_all(bind)
    if bind.dialect.name != "sqlite":
        return
    for table in metadata.sorted_tables:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
                f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
            )
