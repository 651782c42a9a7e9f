"""The audit chain and its payloads, with the triggers that refuse UPDATE and DELETE."""

from alembic import op

from trustops.storage.tables import audit, audit_payloads, metadata

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Both tables where they are not there yet: 0001 makes every table that it knows of in a new ledger."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[audit, audit_payloads])
    if bind.dialect.name != "sqlite":
        return
    for table in (audit, audit_payloads):
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER IF NOT EXISTS {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
                f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
            )
