"""A tiny organisation with three documents and two questions, and a service of it on a port of this machine."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from trustops import assembly
from trustops.console.app import make_app
from trustops.console.cookies import session_cookie
from trustops.console.server import Place, Server, address, listen
from trustops.domain.approval import Role
from trustops.domain.record import RunInfo
from trustops.operations.office import Office
from trustops.operations.sessions import form_token, open_session
from trustops.operations.signing_in import issue

LONGEST_S = 60.0
SETTINGS = """[organisation]
id = "northwind"
name = "Northwind Ltd"

[people]
"Ana Example" = "approver"
"Bo Example" = "analyst"
"Cy Example" = "viewer"
"Dee Example" = "admin"
"""
EVIDENCE = {
    "access.md": "---\nkind: policy\neffective: 2026-01-01\n---\n# Access\n\nAll employees must use multi-factor authentication.\n",
    "backup.md": "---\nkind: standard\neffective: 2026-01-01\n---\n# Backup\n\nBackups are encrypted and are kept for 35 days.\n",
    "incidents.md": "---\nkind: procedure\neffective: 2026-01-01\n---\n# Incidents\n\nCustomers are told of a breach within 72 hours.\n",
}
QUESTIONS = (
    b"ID,Question,Answer (Yes/No),Comment\r\nQ-1,Do all employees use multi-factor authentication?,,\r\nQ-2,Are backups encrypted?,,\r\n"
)


def bearer(office: Office, person: str = "") -> dict[str, str]:
    """The header that signs a person in, the first one unless another is named; a new token each time, beside those that are there."""
    person = person or next(iter(office.people))
    admin = next(name for name, role in office.people.items() if role is Role.ADMIN)
    return {"Authorization": f"Bearer {issue(replace(office, signed_in=admin), person, by=admin, label=secrets.token_hex(4))}"}


def browser(client: TestClient | httpx2.Client, office: Office, person: str = "Ana Example") -> str:
    """Signs the client's cookie jar in, as a sign-in with a password does; returns the token that its forms carry in `csrf`."""
    secret = open_session(office, person, how="password")
    client.cookies.set(session_cookie(office.organisation), secret, domain="127.0.0.1", path="/")
    return form_token(secret)


def make_office(folder: Path) -> Office:
    (folder / "evidence").mkdir(parents=True)
    (folder / "trustops.toml").write_text(SETTINGS, encoding="utf-8")
    for name, text in EVIDENCE.items():
        (folder / "evidence" / name).write_text(text, encoding="utf-8")
    return assembly.office(folder)


LOOKS = 1_200


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: its address, its office and a client for it."""

    url: str
    office: Office
    client: httpx2.Client
    server: Server

    @property
    def token(self) -> str:
        """What its client shows."""
        return self.client.headers["authorization"].removeprefix("Bearer ")

    def upload(self, data: bytes = QUESTIONS, **fields: Any) -> httpx2.Response:
        return self.client.post("/v1/reviews", files={"file": ("questions.csv", data)}, data=fields)

    def stream(self, run: str, after: int = 0) -> list[httpx2.ServerSentEvent]:
        """Everything that one connection gives before the service closes it."""
        with self.client.sse(f"/v1/runs/{run}/events", headers={"Last-Event-ID": str(after)} if after else {}) as source:
            return list(source)

    def settle(self) -> None:
        """Waits until every run is over and graded. It counts looks, not seconds: a machine that stands still takes none away."""
        hosted = self.server.config.app.state.organisations.values()  # type: ignore[union-attr]
        for _ in range(LOOKS):
            if all(each.runs.settled for each in hosted):
                return
            time.sleep(0.05)
        raise AssertionError("the service does not come to rest")

    def table(self, run: str) -> list[tuple[int, str, str]]:
        """The run's rows in the ledger, without the grades that follow its end."""
        found = self.office.ledger.events(run, limit=10_000)
        return [(e.seq, e.kind, e.question) for e in found if not e.kind.startswith("score.")]


@contextmanager
def serving(office: Office, place: Place | None = None, **how: Any) -> Iterator[Service]:
    with (
        listen("127.0.0.1", 0) as listening,
        httpx2.Client(base_url=address(listening, place), timeout=15, headers=bearer(office), **how) as client,
    ):
        server = Server(make_app(office), place)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            end = time.monotonic() + LONGEST_S
            while not server.started:
                assert thread.is_alive(), "the service does not start"
                assert time.monotonic() < end, "the service does not start in time"
                time.sleep(0.01)
            yield Service(address(listening, place), office, client, server)
        finally:
            server.should_exit = True
            thread.join(LONGEST_S)
            assert not thread.is_alive(), "the service does not end"
            office.ledger.close()  # type: ignore[attr-defined]
            office.index.close()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(make_office(tmp_path_factory.mktemp("northwind") / "w")) as made:
        yield made


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    made = make_office(tmp_path_factory.mktemp("southwind") / "w")
    yield made
    made.ledger.close()  # type: ignore[attr-defined]
    made.index.close()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def client(office: Office) -> Iterator[TestClient]:
    """The application without a socket."""
    with TestClient(make_app(office), base_url="http://127.0.0.1:8700", headers=bearer(office), raise_server_exceptions=False) as made:
        yield made


@pytest.fixture
def stranger(client: TestClient) -> TestClient:
    """The same application, asked by nobody who signed in."""
    return TestClient(client.app, base_url="http://127.0.0.1:8700", raise_server_exceptions=False, follow_redirects=False)


def foreign_run(office: Office) -> str:
    """A run that another process carries out: it is in the table, and no service knows anything of it."""
    now, number = office.clock.now(), len(office.ledger.runs("R-elsewhere")) + 1
    run = RunInfo(
        id=f"R-elsewhere.{number}", review="R-elsewhere", started_at=now, as_of=now, as_of_given=False,
        entry="product", engine="other", profile="extractive", questions=(),
    )  # fmt: skip
    with office.ledger.writing():
        office.ledger.append_run(run)
        office.ledger.append_event(run.id, "run_started")
    return run.id


def stored(office: Office) -> Sequence[Any]:
    """What a refused upload must leave unchanged."""
    return [(r.id, [run.id for run in office.ledger.runs(r.id)]) for r in office.ledger.reviews()]
