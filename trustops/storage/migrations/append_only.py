"""Tables that keep what was written: made where they are missing, and shut against UPDATE and DELETE (invariant 7)."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Table

from trustops.storage.rowlevel import FUNCTIONS, guarded
from trustops.storage.tables import metadata


def create(*tables: Table) -> None:
    """Makes the tables with what guards them; what is there already stays. 0001 makes every table it knows of in a new ledger."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=list(tables))
    if bind.dialect.name == "postgresql":
        for statement in [*FUNCTIONS, *(each for table in tables for each in guarded(table.name))]:
            bind.exec_driver_sql(statement)
        return
    for table in tables:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER IF NOT EXISTS {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
                f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
            )
