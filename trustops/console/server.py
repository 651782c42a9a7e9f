"""The web server around the application: where it listens, and how it ends without leaving a watcher or a run in the air."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette

from trustops.console.app import make_app
from trustops.console.guards import is_loopback
from trustops.domain.errors import UsageError
from trustops.operations.office import Office

GRACEFUL_S = 10


class Server(uvicorn.Server):
    """Brings its runs to rest before its streams, so that every watcher still gets what happened last."""

    def __init__(self, app: Starlette) -> None:
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=GRACEFUL_S)
        super().__init__(config)
        self.app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Runs, then streams (also where no signal came), then connections."""
        await self.app.state.runs.stop()
        AppStatus.should_exit = True
        try:
            await super().shutdown(sockets)
        finally:
            AppStatus.should_exit = False  # it belongs to the whole process; a later server would close every stream at once


def listen(host: str, port: int) -> socket.socket:
    """A socket that accepts from this machine. Raises UsageError for any other host, and where the port is taken."""
    if not is_loopback(host):
        raise UsageError(
            "the service has no accounts yet, so it listens on this machine only",
            where=f"--host {host}",
            remedy="Use 127.0.0.1; from another machine, come through an SSH tunnel.",
        )
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as taken:
        raise UsageError(f"cannot listen ({taken})", where=f"{host}:{port}", remedy="Choose another --port; 0 takes a free one.") from taken


def address(listening: socket.socket) -> str:
    """The address to type into a client."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def host_office(office: Office, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serves until a signal comes. Raises UsageError where it cannot listen."""
    with listen(host, port) as listening:
        say(f"{office.organisation}: {address(listening)}/v1 (model profile {office.profile}). Ctrl+C ends it.")
        Server(make_app(office)).run([listening])
