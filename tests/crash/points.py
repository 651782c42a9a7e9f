"""Counted crash points: every durable side effect of a process has a number, and the process dies before or after the chosen one.

The effects are seen from outside the product: commits (SQLite connections are made by a class of ours), fsync, rename and unlink (`os`),
and requests that leave over HTTP. Point 2n - 1 lies before the nth effect, point 2n behind it. What the effects were is written to a
file as they happen, so that a run that did not die tells how many points there are, and one that died tells where.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

READING = ("SELECT", "PRAGMA", "BEGIN", "ROLLBACK", "EXPLAIN", "WITH", "COMMIT", "SAVEPOINT", "RELEASE")


@dataclass(frozen=True, slots=True)
class Mark:
    """Die at this point (0: at none); `log` tells what happens. Only files under `room` count, and databases that end in `ledgers`."""

    log: str
    room: str
    at: int = 0
    ledgers: tuple[str, ...] = (".db",)


def effects(log: Path) -> list[str]:
    """The kinds of the effects in their order; of a process that died, the last is the one that it died at."""
    return log.read_text(encoding="utf-8").splitlines() if log.is_file() else []


class Shim:
    """Counts effects and dies at the mark."""

    def __init__(self, mark: Mark) -> None:
        self.mark, self.count, self.lock = mark, 0, threading.RLock()
        self.log = os.open(mark.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def around(self, kind: str, act: Callable[[], Any]) -> Any:
        """The effect, with a point on each side."""
        with self.lock:  # effects of other threads wait: the number says what was done and what was not
            self.before(kind)
            done = act()
            self.after()
        return done

    def before(self, kind: str) -> None:
        self.count += 1
        os.write(self.log, f"{kind}\n".encode())
        self.die(2 * self.count - 1)

    def after(self) -> None:
        self.die(2 * self.count)

    def die(self, point: int) -> None:
        if point == self.mark.at:
            os.write(self.log, f"died {point}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)

    def mine(self, path: Any) -> bool:
        return isinstance(path, str | os.PathLike) and str(path).startswith(self.mark.room)


def install(mark: Mark) -> None:
    """Puts the shim around everything that makes something last. For the rest of the process's life."""
    shim = Shim(mark)
    _files(shim)
    _databases(shim)
    _requests(shim)


def _files(shim: Shim) -> None:
    fsync, replace, rename, unlink = os.fsync, os.replace, os.rename, os.unlink

    def synced(handle: int) -> None:
        kind, act = "folder fsync" if stat.S_ISDIR(os.fstat(handle).st_mode) else "fsync", partial(fsync, handle)
        shim.around(kind, act) if shim.mine(_path(handle)) else act()

    def moved(kind: str, real: Callable[..., None], source: Any, target: Any, **rest: Any) -> None:
        act = partial(real, source, target, **rest)
        shim.around(kind, act) if shim.mine(target) else act()

    def removed(path: Any, **rest: Any) -> None:
        act = partial(unlink, path, **rest)
        shim.around("unlink", act) if shim.mine(path) and not str(path).endswith(".lease") else act()

    os.fsync, os.replace, os.rename = synced, partial(moved, "rename", replace), partial(moved, "rename", rename)  # type: ignore[assignment]
    os.unlink = os.remove = removed  # type: ignore[assignment]


def _path(handle: int) -> str | None:
    """The path behind an open file. Where the system does not tell, no file counts, and the count of effects is found too small."""
    link = Path(f"/proc/self/fd/{handle}")
    return os.readlink(link) if link.is_symlink() else None


def _databases(shim: Shim) -> None:
    class Counted(sqlite3.Connection):
        """A connection whose commits count."""

        name = ""

        def commit(self) -> None:
            self._counted("commit", super().commit)

        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:  # type: ignore[override]
            act = partial(super().execute, sql, *given)
            words = sql.split(None, 1)
            verb = words[0].upper() if words else ""
            lasting = verb == "COMMIT" or (not self.in_transaction and verb not in READING)
            return self._counted("commit", act) if lasting else act()  # type: ignore[no-any-return]

        def _counted(self, kind: str, act: Callable[[], Any]) -> Any:
            watched = self.name.endswith(shim.mark.ledgers) and (self.in_transaction or kind != "commit")
            return shim.around(f"{kind} {self.name}", act) if watched else act()

    connect = sqlite3.connect

    def connected(database: Any, *given: Any, **named: Any) -> sqlite3.Connection:
        named.setdefault("factory", Counted)
        made = connect(database, *given, **named)
        if isinstance(made, Counted) and shim.mine(database):
            made.name = Path(database).name
        return made

    sqlite3.connect = sqlite3.dbapi2.connect = connected  # type: ignore[assignment]


def _requests(shim: Shim) -> None:
    import httpx2

    send = httpx2.AsyncHTTPTransport.handle_async_request

    async def sent(transport: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
        with shim.lock:
            shim.before("send")
            point = 2 * shim.count
        response = await send(transport, request)
        shim.die(point)
        return response

    httpx2.AsyncHTTPTransport.handle_async_request = sent  # type: ignore[method-assign]
