"""The connection under every ledger: one transaction at a time and thread, reads inside it see its own writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import Engine, Executable, Row, Table, insert
from sqlalchemy.engine import Connection


class Book:
    """An organisation's open books. `org` is bound here once; no method of a ledger takes it."""

    def __init__(self, engine: Engine, org: str) -> None:
        self.engine, self.org = engine, org
        self._current: ContextVar[Connection | None] = ContextVar(f"transaction-{id(self)}", default=None)

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[None]:
        """One transaction: all of it or nothing. `durable` waits for the disk, as approve, edit and export must. Nested: joins."""
        if self._current.get() is not None:
            yield
            return
        with self.engine.connect().execution_options(writing=True) as connection:
            if durable and connection.dialect.name == "sqlite":
                connection.connection.driver_connection.execute("PRAGMA synchronous=FULL")  # type: ignore[union-attr]
            token = self._current.set(connection)
            try:
                with connection.begin():
                    yield
            finally:
                self._current.reset(token)
                if durable and connection.dialect.name == "sqlite":
                    connection.connection.driver_connection.execute("PRAGMA synchronous=NORMAL")  # type: ignore[union-attr]

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        current = self._current.get()
        if current is not None:
            yield current
            return
        with self.engine.connect() as connection:
            yield connection

    def add(self, table: Table, **values: Any) -> None:
        """Appends one row, in the open transaction or in one of its own."""
        with self.writing(), self._connection() as connection:
            connection.execute(insert(table).values(org=self.org, **values))

    def add_all(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Appends rows in one statement."""
        if not rows:
            return
        with self.writing(), self._connection() as connection:
            connection.execute(insert(table), [{"org": self.org, **row} for row in rows])

    def all(self, query: Executable) -> Sequence[Row[Any]]:
        with self._connection() as connection:
            return connection.execute(query).all()

    def close(self) -> None:
        self.engine.dispose()
