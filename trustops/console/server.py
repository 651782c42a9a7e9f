"""The web server around the application: where it listens, and how it ends without leaving a watcher or a run in the air."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette

from trustops.console.app import make_app
from trustops.console.guards import is_loopback
from trustops.domain.errors import UsageError
from trustops.operations.inviting import first_link
from trustops.operations.office import Office

GRACEFUL_S = 10
WAITING = 2048
"""Connections that may wait to be accepted: a thousand watchers come back at once after a restart."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a service listens. `hosts` are its names beside this machine's own; `proxies` are addresses whose word counts about who asks
    and over what. Beyond this machine it speaks TLS, or stands behind a proxy that does."""

    host: str = "127.0.0.1"
    port: int = 8700
    certificate: Path | None = None
    key: Path | None = None
    proxies: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    @property
    def encrypted(self) -> bool:
        return self.certificate is not None


class Server(uvicorn.Server):
    """Brings its runs to rest before its streams, so that every watcher still gets what happened last."""

    def __init__(self, app: Starlette, place: Place | None = None) -> None:
        where = place or Place()
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACEFUL_S,
            ssl_certfile=where.certificate,
            ssl_keyfile=where.key,
            proxy_headers=bool(where.proxies),
            forwarded_allow_ips=list(where.proxies),
            backlog=WAITING,
        )
        super().__init__(config)
        self.app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Runs, then streams (also where no signal came), then connections."""
        await asyncio.gather(*(hosted.runs.stop() for hosted in self.app.state.organisations.values()))
        AppStatus.should_exit = True
        try:
            await super().shutdown(sockets)
        finally:
            AppStatus.should_exit = False  # it belongs to the whole process; a later server would close every stream at once


def listen(host: str, port: int, place: Place | None = None) -> socket.socket:
    """A listening socket. Raises UsageError for an address beyond this machine without TLS or a trusted proxy, or without a name that the
    service may be asked under, and where the port is taken."""
    where = place or Place()
    if not is_loopback(host):
        _permitted(host, where)
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=WAITING)
    except (OSError, OverflowError) as taken:
        raise UsageError(f"cannot listen ({taken})", where=f"{host}:{port}", remedy="Choose another --port; 0 takes a free one.") from taken
    # what is accepted inherits it: a page's head and body are two writes, and the second would wait 40 ms for the first to be acknowledged
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _permitted(host: str, place: Place) -> None:
    if not place.encrypted and not place.proxies:
        raise UsageError(
            "passwords and tokens would cross the network in the clear",
            where=f"--host {host}",
            remedy="Give --certificate and --key, or name the proxy that does TLS in trusted_proxies under [service]; or use 127.0.0.1.",
        )
    if not place.hosts:
        remedy = 'Set hosts under [service], such as ["trustops.example.com"].'
        raise UsageError("it is not said under which names people reach the service", where=f"--host {host}", remedy=remedy)


def address(listening: socket.socket, place: Place | None = None) -> str:
    """The address to type into a client."""
    where = place or Place()
    scheme = "https" if where.encrypted else "http"
    host, port = listening.getsockname()[:2]
    name = where.hosts[0] if where.hosts and not is_loopback(host) else f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}:{port}"


def host_offices(offices: Sequence[Office], place: Place, say: Callable[[str], None]) -> None:
    """Serves until a signal comes. Raises UsageError where it cannot listen, or where a certificate cannot be used."""
    if (place.certificate is None) != (place.key is None):
        raise UsageError("--certificate and --key belong together", remedy="Give both, as PEM files.")
    for office in offices:
        if office.single_sign_on is not None and not office.single_sign_on.secret:
            told = "the variable that client_secret_env under [sign_in.oidc] names is not set"
            raise UsageError(told, where=office.organisation, remedy="Set it to the client's secret, or take the table out.")
    with listen(place.host, place.port, place) as listening:
        at = address(listening, place)
        for office in offices:
            say(f"{office.organisation}: {at}/ and {at}/v1 (model profile {office.profile}).")
            _say_first_link(office, at, say)
        say("Ctrl+C ends it.")
        try:
            Server(make_app(*offices, hosts=place.hosts), place).run([listening])
        except OSError as bad:  # of the certificate: everything else is told by its own error
            raise UsageError(f"the certificate cannot be used ({bad})", where=str(place.certificate), remedy="Give PEM files.") from bad


def _say_first_link(office: Office, at: str, say: Callable[[str], None]) -> None:
    """How the first admin comes in. Whoever reads this may write trustops.toml, and so could enter themselves."""
    made = first_link(office)
    if made is not None:
        say(f"  Nobody can sign in as admin yet. {made[0]} sets a password with this link, once, within an hour:")
        say(f"  {at}/sign-in/link?key={made[1]}")
