"""Harm: whoever is cut off from a stream misses an event or hears one twice; a thousand watchers read the table a thousand times."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.console.conftest import Service, bearer, foreign_run, make_office, serving
from trustops.console import feeds, tails
from trustops.console.app import make_app
from trustops.console.feeds import Frame, ReviewFeed, RunFeed
from trustops.console.runs import Bell
from trustops.console.tails import Tails, frames

Heard = tuple[str, str]


@pytest.fixture(scope="module")
def review(service: Service) -> str:
    """A review with two runs that are over, and something that happened to its answers later."""
    made = service.upload().json()
    assert service.stream(made["run"])[-1].event == "run_finished"
    again = service.client.post(f"/v1/reviews/{made['review']}/runs", json={"only": ["Q-1"]}).json()["run"]
    assert service.stream(again)[-1].event == "run_finished"
    service.settle()
    service.office.ledger.append_event(made["run"], "approved", question="Q-1")
    return str(made["review"])


def whole(service: Service, address: str, last: str = "") -> list[Heard]:
    with service.client.sse(address, headers={"Last-Event-ID": last} if last else {}) as source:
        return [(sent.id, sent.event) for sent in source]


@pytest.mark.parametrize("kind", ["run", "review"])
def test_a_connection_that_is_cut_after_each_event_hears_all_of_them_once(service: Service, review: str, kind: str) -> None:
    """The client reads one event, is cut, and comes back with the id that it has: as many connections as there are events."""
    address = f"/v1/reviews/{review}/events" if kind == "review" else f"/v1/runs/{review}.1/events"
    expected, heard, last = whole(service, address), [], ""
    while True:
        with service.client.sse(address, headers={"Last-Event-ID": last} if last else {}) as source:
            if source.response.status_code == 204:
                break
            sent = next(iter(source))
        heard.append((sent.id, sent.event))
        if sent.event == feeds.SETTLED:
            break
        last = sent.id
    assert len(expected) > 20
    assert heard == expected[: len(heard)]
    assert len(heard) in (len(expected), len(expected) - (kind == "review"))
    assert len({id for id, _ in heard}) == len(heard)


@pytest.mark.parametrize("kind", ["run", "review"])
def test_whoever_comes_back_after_any_event_hears_exactly_the_rest(service: Service, review: str, kind: str) -> None:
    address = f"/v1/reviews/{review}/events" if kind == "review" else f"/v1/runs/{review}.1/events"
    expected = whole(service, address)
    for place, (id, event) in enumerate(expected[:-2], start=1):
        assert event != feeds.SETTLED
        assert whole(service, address, id) == expected[place:]


def test_a_review_tells_of_all_its_runs_and_of_what_happened_to_its_answers(service: Service, review: str) -> None:
    told = whole(service, f"/v1/reviews/{review}/events")
    kinds = [event for _, event in told]
    assert (kinds.count("run_finished"), kinds.count("approved"), kinds[-1]) == (2, 1, feeds.SETTLED)
    rows = {number: len(service.office.ledger.events(f"{review}.{number}")) for number in (1, 2)}
    assert len(told) == sum(rows.values()) + 1
    assert told[-2][0] == f"1:{rows[1]},2:{rows[2]}"
    with service.client.sse(f"/v1/reviews/{review}/events", headers={"Last-Event-ID": told[-2][0]}) as source:
        assert source.response.status_code == 204


@pytest.mark.parametrize("last", ["1", "1:0", "3:1", "1:9999", "1:1,", "x", "1:1,1", "-1:1", "1:1 OR 1=1", "1:1," * 200, "²:1"])
def test_an_id_that_is_none_of_the_review_is_refused(service: Service, review: str, last: str) -> None:
    assert service.client.get(f"/v1/reviews/{review}/events", params={"after": last}).status_code == 400


def test_a_foreign_review_is_refused_like_an_unknown_one(service: Service, review: str) -> None:
    answers = [service.client.get(f"/v1/reviews/{name}/events") for name in ("R-000000000000", review[:-1], f"{review}.1", "x" * 500)]
    assert {(a.status_code, a.content) for a in answers} == {(404, answers[0].content)}


class Slow:
    """A feed whose events are let out one by one; it counts who reads."""

    name = "R-slow.1"

    def __init__(self, many: int) -> None:
        self.out, self.many, self.reads = 0, many, 0

    def read(self, after: str) -> tuple[list[Frame], bool]:
        self.reads += 1
        made = [Frame(str(seq), str(seq).encode()) for seq in range(int(after or 0) + 1, self.out + 1)]
        return made, self.out == self.many

    def known(self, after: str) -> bool:
        return True

    def done(self, after: str) -> bool:
        return False


async def until(holds: Callable[[], bool]) -> None:
    """Lets the others run until something holds, a minute at most."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110  what is waited for is a list that grows
            await asyncio.sleep(0)


async def listened(source: Tails, feed: Any, bell: Bell, after: str, heard: list[str]) -> None:
    async with source.of(feed, bell, after) as tail:
        async for data in frames(feed, tail, after):
            heard.append(data.decode())


async def test_all_watchers_share_one_reader_and_each_hears_all() -> None:
    feed, bell, source = Slow(30), Bell(), Tails()
    heard: list[list[str]] = [[] for _ in range(200)]
    watching = [asyncio.create_task(listened(source, feed, bell, "", mine)) for mine in heard]
    for seq in range(1, feed.many + 1):
        feed.out = seq
        await bell.ring(feed.name)
        await until(lambda many=seq: all(len(mine) >= many for mine in heard))
    await asyncio.gather(*watching)
    assert all(mine == [str(seq) for seq in range(1, 31)] for mine in heard)
    assert feed.reads <= 2 * feed.many + 2, "not once for each watcher"


async def test_who_comes_late_or_comes_back_catches_up_and_the_last_to_leave_ends_the_reader() -> None:
    feed, bell, source = Slow(10), Bell(), Tails()
    feed.out = 5
    early: list[str] = []
    first = asyncio.create_task(listened(source, feed, bell, "5", early))
    await asyncio.sleep(0.01)
    for out in (6, 7):
        feed.out = out
        await bell.ring(feed.name)
    await until(lambda: len(early) == 2)
    late: list[list[str]] = [[], [], []]
    others = [asyncio.create_task(listened(source, feed, bell, after, mine)) for after, mine in zip(("", "3", "7"), late, strict=True)]
    for out in (8, 9, 10):
        feed.out = out
        await bell.ring(feed.name)
    await asyncio.gather(first, *others)
    assert early == ["6", "7", "8", "9", "10"]
    assert late == [[str(n) for n in range(1, 11)], [str(n) for n in range(4, 11)], ["8", "9", "10"]]
    gone = asyncio.create_task(listened(source, Slow(10), bell, "", []))
    await asyncio.sleep(0.01)
    tail = source._tails["R-slow.1"]
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    await asyncio.sleep(0)
    assert (tail.task.cancelled() or tail.task.done(), source._tails) == (True, {})


async def test_a_table_that_cannot_be_read_ends_every_stream_instead_of_holding_it() -> None:
    class Broken(Slow):
        def read(self, after: str) -> tuple[list[Frame], bool]:
            if self.out:
                raise OSError("the disk is gone")
            return [], False

    feed, bell, source = Broken(10), Bell(), Tails()
    watching = [asyncio.create_task(listened(source, feed, bell, "", [])) for _ in range(3)]
    await asyncio.sleep(0.01)
    feed.out = 1
    await bell.ring(feed.name)
    ended = await asyncio.wait_for(asyncio.gather(*watching, return_exceptions=True), 30)
    assert [type(one) for one in ended] == [OSError] * 3


async def test_so_many_streams_of_an_organisation_and_no_more(tmp_path: Any) -> None:
    """Those that are open stay, one more is told to wait, and a place that is given back is free."""
    office = make_office(tmp_path / "w")
    app = make_app(office, streams=2)
    hosted = app.state.organisations[office.organisation]
    hosted.streams = 2
    run = foreign_run(office)
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1:8700", headers=bearer(office)
    ) as client:
        refused = await client.get(f"/v1/runs/{run}/events")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "30")
        assert "2 streams" in refused.json()["detail"]
        hosted.streams = 1
        office.ledger.end_run(run, "FINISHED")
        office.ledger.append_event(run, "run_finished")
        assert "run_finished" in (await client.get(f"/v1/runs/{run}/events")).text
    assert hosted.streams == 1
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]


def test_a_watcher_who_left_gives_the_place_back(tmp_path: Any) -> None:
    office = make_office(tmp_path / "w")
    with serving(office) as service:
        run = foreign_run(office)
        hosted = service.server.app.state.organisations[office.organisation]
        for _ in range(5):
            with service.client.sse(f"/v1/runs/{run}/events") as source:
                heard = iter(source)  # held, since its end closes the connection
                assert next(heard).event == "run_started"
                assert hosted.streams >= 1
        office.ledger.end_run(run, "FINISHED")
        office.ledger.append_event(run, "run_finished")
        assert whole(service, f"/v1/runs/{run}/events")[-1][1] == "run_finished"
    assert (hosted.streams, hosted.tails._tails) == (0, {})


async def test_the_feeds_of_the_ledger_tell_what_is_over(service: Service, review: str) -> None:
    ledger = service.office.ledger
    run = RunFeed(ledger, f"{review}.1")
    last = str(len(service.table(f"{review}.1")) - 1)  # the approval came after the terminal event
    assert (run.done(""), run.done(last), run.known("0"), run.known("x"), run.known("99999")) == (False, True, True, False, False)
    feed = ReviewFeed(ledger, review)
    read, over = feed.read("")
    assert (over, feed.done(read[-1].id), feed.done("1:1")) == (False, True, False)
    assert feed.read(read[-1].id)[1]
    assert json.loads(read[0].data.decode().split("data: ")[1].splitlines()[0])["kind"] == "run_started"


def test_the_table_is_looked_into_every_second_where_no_bell_rings() -> None:
    assert tails.POLL_S <= 1
