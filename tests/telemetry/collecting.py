"""A small OpenTelemetry collector on loopback: it takes what is sent, and keeps it by path."""

from __future__ import annotations

import gzip
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


@contextmanager
def collector(status: int = 200) -> Iterator[tuple[str, dict[str, list[bytes]]]]:
    """Its address, and the bodies that it got, unpacked. It answers with `status`."""
    got: dict[str, list[bytes]] = defaultdict(list)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got[self.path].append(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
