"""Hears what other processes append: PostgreSQL tells it on the organisation's channel when their transaction commits.

It carries the run's id and nothing else, and it may be missed (a connection that was lost, a pooler that passes nothing on): who waits
looks into the table all the same, a second later.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg
from sqlalchemy import Engine

LOOK_S, AGAIN_S = 1.0, 5.0
"""How soon a listener notices that it is to stop, and how long it waits before it connects anew."""


@contextmanager
def listening(engine: Engine, channel: str, heard: Callable[[str], None]) -> Iterator[None]:
    """Calls `heard` with the run of every event that is appended meanwhile, from a thread of its own. SQLite tells nothing."""
    if engine.dialect.name != "postgresql":
        yield
        return
    stop = threading.Event()
    address = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    thread = threading.Thread(target=_listen, args=(address, channel, heard, stop), name="trustops-listening", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(2 * AGAIN_S)


def _listen(address: str, name: str, heard: Callable[[str], None], stop: threading.Event) -> None:
    while not stop.is_set():
        with suppress(psycopg.Error), psycopg.connect(address, autocommit=True, application_name="trustops listening") as connection:
            connection.execute(f"LISTEN {name}")
            while not stop.is_set():
                for told in connection.notifies(timeout=LOOK_S):
                    heard(told.payload)
        stop.wait(AGAIN_S)
