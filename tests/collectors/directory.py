"""A directory of people behind HTTPS on loopback: pages by link, by header and by cursor, and the faults of real ones."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import trustme

from trustops.collectors.ground import Permits
from trustops.collectors.http import LARGEST

PEOPLE = [{"id": n, "mfa": n not in (3, 90)} for n in range(1, 125)]
PAGE = 50
NAME = "directory.example"
TOKEN = "t0ken-of-the-directory"


@dataclass
class Directory:
    """The server as a test sees it: where it is, who signed its certificate, and what it was asked."""

    port: int
    authority: Path
    asked: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    credentials: list[str | None] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def permits(self) -> Permits:
        return Permits(hosts=(f"{NAME}:{self.port}=127.0.0.1", f"127.0.0.1:{self.port}"), environment={"DIRECTORY_TOKEN": TOKEN})

    def url(self, path: str, host: str = NAME) -> str:
        return f"https://{host}:{self.port}{path}"


class _Handler(BaseHTTPRequestHandler):
    directory: Directory
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None: ...

    def do_GET(self) -> None:
        here = self.directory
        here.asked.append(self.path)
        here.hosts.append(self.headers.get("Host", ""))
        here.credentials.append(self.headers.get("Authorization") or self.headers.get("X-Api-Key"))
        where, query = urlsplit(self.path), parse_qs(urlsplit(self.path).query)
        getattr(self, f"at_{where.path.strip('/').replace('-', '_')}")(int(query.get("after", ["0"])[0]))

    def _send(self, body: Any, status: int = 200, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(raw)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    def _rest(self, after: int) -> str | None:
        return str(after + PAGE) if after + PAGE < len(PEOPLE) else None

    def at_linked(self, after: int) -> None:
        rest = self._rest(after)
        link = self.directory.url(f"/linked?after={rest}") if rest else None
        self._send({"users": PEOPLE[after : after + PAGE], "@odata.nextLink": link})

    def at_relative(self, after: int) -> None:
        rest = self._rest(after)
        self._send({"users": PEOPLE[after : after + PAGE], "next": f"?after={rest}" if rest else ""})

    def at_headed(self, after: int) -> None:
        rest = self._rest(after)
        link = f'<{self.directory.url("/headed")}>; rel="self"'
        link += f', <{self.directory.url(f"/headed?after={rest}")}>; rel="next"' if rest else ""
        self._send(PEOPLE[after : after + PAGE], Link=link)

    def at_cursor(self, after: int) -> None:
        self._send({"users": PEOPLE[after : after + PAGE], "meta": {"next": self._rest(after)}})

    def at_endless(self, after: int) -> None:
        self._send({"users": [1], "next": f"?after={after + 1}"})

    def at_round(self, after: int) -> None:
        self._send({"users": [1], "next": "/round?after=1"})

    def at_elsewhere(self, after: int) -> None:
        self._send({"users": [1], "next": f"https://127.0.0.1:{self.directory.port}/linked"})

    def at_downgraded(self, after: int) -> None:
        self._send({"users": [1], "next": f"http://{NAME}:{self.directory.port}/linked"})

    def at_shy(self, after: int) -> None:
        """Two failures, then an answer."""
        self._send({"n": 1}, 503 if len(self.directory.asked) < 3 else 200)

    def at_down(self, after: int) -> None:
        self._send({}, 503)

    def at_inside(self, after: int) -> None:
        self._send({}, 302, Location="http://169.254.169.254/latest/meta-data/")

    def at_loop(self, after: int) -> None:
        self._send({}, 301, Location=self.directory.url("/one"))

    def at_locked(self, after: int) -> None:
        self._send({"error": f"{TOKEN} is not known"}, 401)

    def at_gone(self, after: int) -> None:
        self._send({"error": "gone"}, 404)

    def at_one(self, after: int) -> None:
        self._send(
            {"enrolled": 122, "eligible": 124, "rate": 0.98, "none": None, "echo": TOKEN, "huge": 2**60, "list": [1], "text": "\x1b"}
        )

    def at_page(self, after: int) -> None:
        self._send(b"<html>sign in</html>")

    def at_twice(self, after: int) -> None:
        self._send(b'{"n": 1, "n": 2}')

    def at_nan(self, after: int) -> None:
        self._send(b'{"n": NaN}')

    def at_deep(self, after: int) -> None:
        self._send(b"[" * 100_000)

    def at_packed(self, after: int) -> None:
        self._send(b"\x1f\x8b", Content_Encoding="gzip")

    def at_huge(self, after: int) -> None:
        """Says nothing of its length, and goes on until the reader goes."""
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for _ in range(LARGEST // 65536 + 64):
                self.wfile.write(b" " * 65536)
        except OSError:
            pass
        self.close_connection = True

    def at_slow(self, after: int) -> None:
        """Drips a byte now and then: each read is quick, the whole never ends."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        try:
            while not self.directory.over.wait(0.05):
                self.wfile.write(b" ")
        except OSError:
            pass
        self.close_connection = True

    def at_silent(self, after: int) -> None:
        self.directory.over.wait(120)
        self.close_connection = True

    def at_cut(self, after: int) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"n": 1')
        self.close_connection = True


@cache
def _signed() -> tuple[trustme.CA, trustme.LeafCert]:
    authority = trustme.CA()
    return authority, authority.issue_cert(NAME, "127.0.0.1")


@contextmanager
def directory(workspace: Path) -> Iterator[Directory]:
    """The directory while the block runs; its authority's certificate lies in the workspace."""
    authority, served = _signed()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.configure_cert(context)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler, bind_and_activate=True)
    made = Directory(server.server_address[1], workspace / "authority.pem")
    authority.cert_pem.write_to_path(str(made.authority))
    context.sni_callback = lambda sock, name, ctx: made.names.append(name)  # type: ignore[assignment]
    server.RequestHandlerClass = type("Handler", (_Handler,), {"directory": made})
    server.handle_error = lambda request, address: None  # type: ignore[method-assign,assignment]
    server.daemon_threads = True
    server.block_on_close = False
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.over.set()
        server.shutdown()
        server.server_close()
        thread.join(60)
