"""The connection under every ledger: one transaction at a time and thread, reads inside it see its own writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from sqlalchemy import Engine, Executable, Insert, Row, Table, bindparam, insert
from sqlalchemy.engine import Connection
from sqlalchemy.exc import TimeoutError as PoolTimeout

from trustops.domain.errors import Unavailable
from trustops.storage.dialects import channel

ORG: Any = bindparam("org")
"""The organisation in a query. `Book.all` binds it; statements are built once, since building one costs more than running it."""


def given(name: str) -> Any:
    """A value of a query that `Book.all` is called with, under its name."""
    return bindparam(name)


@cache
def _insert(table: Table) -> Insert:
    return insert(table)


class Book:
    """An organisation's open books. `org` is bound here once; no method of a ledger takes it."""

    def __init__(self, engine: Engine, org: str) -> None:
        self.engine, self.org = engine, org
        self._mine = engine.execution_options(org=org)  # where the database itself keeps organisations apart, it is told which one this is
        self._channel = channel(org)
        self._current: ContextVar[Connection | None] = ContextVar(f"transaction-{id(self)}", default=None)
        self._view: ContextVar[Connection | None] = ContextVar(f"view-{id(self)}", default=None)

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[None]:
        """One transaction: all of it or nothing. `durable` waits for the disk, as approve, edit and export must. Nested: joins."""
        if self._current.get() is not None:
            yield
            return
        with self._connected(writing=True, durable=durable) as connection:
            token = self._current.set(connection)
            try:
                with connection.begin():
                    yield
            finally:
                self._current.reset(token)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Everything that is read inside is as it was at one moment. Inside a transaction it is that transaction's view."""
        if self._current.get() is not None or self._view.get() is not None:
            yield
            return
        with self._connected(reading=True) as connection:
            token = self._view.set(connection)
            try:
                yield
            finally:
                self._view.reset(token)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        current = self._current.get() or self._view.get()
        if current is not None:
            yield current
            return
        with self._connected() as connection:
            yield connection

    @contextmanager
    def _connected(self, **manner: bool) -> Iterator[Connection]:
        """A connection of the pool; `manner` says how its transaction begins, which is the driver's affair."""
        try:
            connection = self._mine.connect()
        except PoolTimeout as busy:
            remedy = "Try again; raise pool under [storage] where it happens often."
            raise Unavailable("all connections to the ledger are in use", remedy=remedy) from busy
        with connection.execution_options(**manner):
            yield connection

    def add(self, table: Table, **values: Any) -> None:
        """Appends one row, in the open transaction or in one of its own."""
        with self.writing(), self._connection() as connection:
            connection.execute(_insert(table), {"org": self.org, **values})

    def add_all(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Appends rows in one statement."""
        if not rows:
            return
        with self.writing(), self._connection() as connection:
            connection.execute(_insert(table), [{"org": self.org, **row} for row in rows])

    def all(self, query: Executable, **values: Any) -> Sequence[Row[Any]]:
        """The rows of a query with its values; the organisation is this book's own."""
        with self._connection() as connection:
            return connection.execute(query, {"org": self.org, **values}).all()

    def close(self) -> None:
        self.engine.dispose()
