"""A real browser against a real service on loopback. Where Debian's Chromium is not there, these tests are skipped with that reason."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from trustops import assembly
from trustops.console.app import make_app
from trustops.console.cookies import session_cookie
from trustops.console.server import Server, address, listen
from trustops.operations.founding import found
from trustops.operations.office import Office
from trustops.operations.sessions import open_session

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
PATIENCE_MS = 60_000
"""How long the browser waits for what must come; no test passes because of it."""
ADMIN, APPROVER, ANALYST = "Marguerite Oyelaran", "Imke Aldersley", "Tomasz Hale"


@pytest.fixture(scope="module")
def chromium(reviewed: Path) -> Iterator[Browser]:
    """Of one module: while it is open no event loop can be run in this thread, so what needs one stands before it."""
    del reviewed
    if not CHROMIUM.is_file():
        pytest.skip(f"there is no {CHROMIUM}: apt-get install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield browser
        browser.close()


@dataclass
class Seen:
    """What a browser did while pages were looked at."""

    requests: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Errors of scripts, refusals of the policy, dialogs: nothing of it may ever be there."""

    def foreign(self, base: str) -> list[str]:
        return [url for url in self.requests if not url.startswith((f"{base}/", "data:", "about:"))]


@dataclass(frozen=True)
class Site:
    """A running console with its office."""

    url: str
    office: Office

    def context(self, browser: Browser, person: str = APPROVER, **how: Any) -> BrowserContext:
        """A browser profile in which this person is signed in."""
        context = browser.new_context(base_url=self.url, **how)
        context.set_default_timeout(PATIENCE_MS)
        secret = open_session(self.office, person, how="password")
        context.add_cookies([{"name": session_cookie(self.office.organisation), "value": secret, "url": self.url, "httpOnly": True}])
        return context


def watched(context: BrowserContext, seen: Seen) -> Page:
    """A page all of whose requests and problems are written down."""
    page = context.new_page()
    context.on("request", lambda request: seen.requests.append(request.url))
    page.on("pageerror", lambda error: seen.problems.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (seen.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda told: seen.problems.append(f"console: {told.text}") if told.type in ("error", "warning") else None)
    return page


@contextmanager
def hosting(office: Office) -> Iterator[Site]:
    with listen("127.0.0.1", 0) as listening:
        server = Server(make_app(office))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        end = time.monotonic() + 60
        while not server.started:
            assert thread.is_alive(), "the service does not start"
            assert time.monotonic() < end, "the service does not start in time"
            time.sleep(0.01)
        try:
            yield Site(address(listening), office)
        finally:
            server.should_exit = True
            thread.join(60)
            office.ledger.close()  # type: ignore[attr-defined]
            office.index.close()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def demo(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The demo organisation's console; nothing was run in it. It needs a browser, so that nothing is set up where there is none."""
    del chromium
    made = found(tmp_path_factory.mktemp("browser") / "acme", name="", demo=True)
    with hosting(assembly.office(made.workspace)) as site:
        yield site
