"""What the two databases write differently inside a query, and what only one of them can do."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from sqlalchemy import Text, func, select
from sqlalchemy.engine import Connection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class Member(FunctionElement[str]):
    """A member of a JSON object that stands as text in a column: `Member(column, "origin")`."""

    type = Text()
    inherit_cache = True


@compiles(Member, "sqlite")
def _in_sqlite(element: Member, compiler: Any, **kw: Any) -> str:
    column, name = list(element.clauses)
    return f"json_extract({compiler.process(column, **kw)}, '$.' || {compiler.process(name, **kw)})"


@compiles(Member, "postgresql")
def _in_postgres(element: Member, compiler: Any, **kw: Any) -> str:
    column, name = list(element.clauses)
    return f"(CAST({compiler.process(column, **kw)} AS json) ->> CAST({compiler.process(name, **kw)} AS text))"


def channel(org: str) -> str:
    """The channel on which an organisation's events are told: a name that no organisation's id can break out of."""
    return f"trustops_{sha256(org.encode()).hexdigest()[:32]}"


def tell(connection: Connection, channel: str, run: str) -> None:
    """Tells who listens that a run went on, when the transaction commits. SQLite has nobody who listens: there a look every second does."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_notify(channel, run)))
