"""The schema's versions: which one this program knows, and how a database comes to it. Both databases take the same steps."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import Connection

from trustops.domain.errors import UsageError

HEAD = "0012"


def newer(version: str, where: str) -> UsageError:
    """A ledger of a newer program is not touched."""
    return UsageError(
        f"the ledger is of a newer version of the program (schema {version}; this one knows up to {HEAD})",
        where=where,
        remedy="Update the program, or restore the backup from before the newer one; nothing was changed.",
    )


def upgrade(connection: Connection) -> None:
    """All steps that are missing, in the transaction of this connection."""
    from alembic import command  # imported only when there is something to migrate: it costs a tenth of a second
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
