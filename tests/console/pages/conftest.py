"""The small organisation behind its console, each test with a copy of its books; a client for each role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from tests.conftest import House
from tests.console.conftest import browser
from trustops.console.app import make_app

PEOPLE = {"viewer": "Cy", "analyst": "Bo", "approver": "Ana", "admin": "Dee"}


@dataclass(frozen=True)
class Desk:
    """One person's browser without a browser: it follows no redirect, and sends the token of its forms."""

    client: TestClient
    csrf: str
    review: str

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path.replace("REVIEW", self.review))

    def post(self, path: str, files: Any = None, **fields: Any) -> httpx.Response:
        return self.client.post(path.replace("REVIEW", self.review), data={"csrf": self.csrf, **fields}, files=files)


@pytest.fixture
def desks(house: House) -> Iterator[Callable[[str], Desk]]:
    """A desk for a role, each on a service of its own over this test's books."""
    with ExitStack() as stack:

        def desk(role: str) -> Desk:
            client = TestClient(
                make_app(house.office), base_url="http://127.0.0.1:8700", headers={"Accept": "text/html"}, follow_redirects=False
            )
            stack.enter_context(client)
            return Desk(client, browser(client, house.office, PEOPLE[role]), house.review.id)

        yield desk


@pytest.fixture
def said(house: House, books: Callable[[], dict[str, int]]) -> Callable[[], Any]:
    """What a refusal must leave as it was; sessions come and go with the clients of the tests."""

    def told() -> Any:
        return {table: rows for table, rows in books().items() if not table.startswith("session")}

    return told
