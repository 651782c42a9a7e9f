"""storage migrate: what an administrator of a shared database does, once before the first start and again before each newer version."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say
from trustops.domain.errors import UsageError


def storage_migrate(
    role: Annotated[str, typer.Option("--role", help="The role that the program works with; made where it is missing.")] = "trustops",
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Make or update the tables of a shared PostgreSQL database, and the restricted role that the program works with. TRUSTOPS_DATABASE is
    the address for the tables' owner here; a file of SQLite needs none of this."""
    from trustops import assembly

    address = _address(workspace)
    schema = assembly.migrate_storage(address, role)
    if as_json:
        emit({"schema": schema, "role": role})
    else:
        say(f"The database is of schema {schema}. The program works with the role {role}: it reads and appends, and changes nothing.")


def _address(workspace: Path) -> str:
    """The environment's, else the workspace's."""
    from trustops import settings

    told = settings.environment(settings.variables()).trustops_database
    if told:
        return told.get_secret_value()
    named = settings.load(workspace).database if (workspace / "trustops.toml").is_file() else ""
    if not named:
        raise UsageError(
            "no shared database is named, and a file of SQLite is migrated when it is opened",
            where="TRUSTOPS_DATABASE",
            remedy="Set it to postgresql://OWNER@HOST/DATABASE.",
        )
    return named
