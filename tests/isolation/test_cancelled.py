"""Harm: a request that is given up half-way leaves something in a connection, and the next reader gets it (public bug 11)."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import closing
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from tests.isolation.organisations import Organisation, bearer, canary
from trustops.console.app import make_app

Organisations = dict[str, Organisation]
IN_EVERY_RUN, ALL = 150, 1_000
BASE = "http://127.0.0.1:8700"


def client_of(app: Starlette, org: Organisation) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=BASE, headers=bearer(org))


def address(org: Organisation, chance: random.Random) -> str:
    return chance.choice(
        [
            "/v1/reviews",
            f"/v1/reviews/{org.common.id}",
            f"/v1/reviews/{org.own.id}",
            f"/v1/runs/{org.run}",
            f"/v1/runs/{org.own_run}/events",
        ]
    )


async def give_up(client: httpx2.AsyncClient, where: str, chance: random.Random) -> bool:
    """Begins a request and cancels it after some turns of the loop; whether it was still on its way."""
    asking = asyncio.create_task(client.get(where))
    for _ in range(chance.randrange(14)):
        await asyncio.sleep(0 if chance.random() < 0.8 else 0.0005)
    asking.cancel()
    try:
        await asking
    except asyncio.CancelledError:
        return True
    return False


async def many(organisations: Organisations, times: int) -> dict[str, int]:
    """So many requests are given up; after each, somebody reads the own data and another organisation its own."""
    chance, counted = random.Random(times), {"given up": 0, "answered before": 0, "read after": 0}
    apps = {name: make_app(org.office) for name, org in organisations.items()}
    async with _Living(list(apps.values())):
        clients = {name: client_of(app, organisations[name]) for name, app in apps.items()}
        expected = {(name, where): (await clients[name].get(where)).content for name, org in organisations.items() for where in _all(org)}
        while counted["given up"] < times and counted["answered before"] < 5 * times:
            org = organisations[chance.choice(list(organisations))]
            gone = await give_up(clients[org.name], address(org, chance), chance)
            counted["given up" if gone else "answered before"] += 1
            if not gone:
                continue
            for name in {org.name, chance.choice(list(organisations))}:
                where = chance.choice(_all(organisations[name]))
                assert (await clients[name].get(where)).content == expected[name, where]
                counted["read after"] += 1
        for client in clients.values():
            await client.aclose()
    for (name, _), body in expected.items():
        assert not [other for other in organisations if other != name and canary(other).encode() in body]
    return counted


def _all(org: Organisation) -> list[str]:
    return ["/v1/reviews", f"/v1/runs/{org.own_run}", f"/v1/runs/{org.own_run}/events", f"/v1/reviews/{org.own.id}"]


class _Living:
    """Applications between the beginning and the end of their lives."""

    def __init__(self, apps: list[Starlette]) -> None:
        self.contexts: list[Any] = [app.router.lifespan_context(app) for app in apps]

    async def __aenter__(self) -> None:
        for context in self.contexts:
            await context.__aenter__()

    async def __aexit__(self, *told: object) -> None:
        for context in self.contexts:
            await context.__aexit__(*told)


def nothing_left_open(org: Organisation) -> None:
    """All connections are given back, and nobody holds the write lock or an old view of the file."""
    pool = org.office.ledger.engine.pool  # type: ignore[attr-defined]
    assert pool.checkedout() == 0
    with closing(sqlite3.connect(org.folder / ".trustops" / f"{org.name}.db", timeout=0, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("ROLLBACK")
        busy, log, moved = other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert (busy, log) == (0, moved)


def check(organisations: Organisations, times: int) -> None:
    counted = asyncio.run(many(organisations, times))
    print(f"cancelled requests: {counted}")
    assert counted["given up"] == times, "too many were answered before they could be given up"
    for org in organisations.values():
        nothing_left_open(org)


def test_after_a_cancelled_request_everybody_reads_the_own_data(organisations: Organisations) -> None:
    check(organisations, IN_EVERY_RUN)


@pytest.mark.long
def test_after_a_thousand_cancelled_requests_everybody_does(organisations: Organisations) -> None:
    check(organisations, ALL)


def test_an_upload_that_is_given_up_is_whole_or_not_there(organisations: Organisations) -> None:
    org, chance = organisations["cedar"], random.Random(3)

    async def upload() -> None:
        app = make_app(org.office)
        async with _Living([app]), client_of(app, org) as client:
            for number in range(12):
                data = f"ID,Question,Answer\r\nU-{number},Are audit logs kept for at least one year?,\r\n".encode()
                asking = asyncio.create_task(client.post("/v1/reviews", files={"file": (f"{number}.csv", data)}))
                for _ in range(chance.randrange(30)):
                    await asyncio.sleep(0.0005)
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)

    asyncio.run(upload())
    ledger = org.office.ledger
    for review in ledger.reviews():
        assert ledger.get_blob(review.questionnaire.sha256) is not None
        assert all(run.state != "RUNNING" for run in ledger.runs(review.id)), "every run that began has its end"
    nothing_left_open(org)
