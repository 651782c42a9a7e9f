"""A stream that breaks, comes late or asks for what is over loses nothing, repeats nothing, and always ends."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from tests.console.conftest import QUESTIONS, Service, bearer, browser, foreign_run, make_office, serving
from trustops.console import feeds, tails
from trustops.console import stream as streaming
from trustops.console.runs import Runs
from trustops.operations.intake import take_in
from trustops.operations.signing_in import revoke


@pytest.fixture(scope="module")
def run(service: Service) -> str:
    """A run that was watched from its upload to its end."""
    answer = service.upload()
    assert answer.status_code == 202
    told = answer.json()
    assert told["events"] == f"/v1/runs/{told['run']}/events"
    assert answer.headers["location"] == f"/v1/runs/{told['run']}"
    heard = service.stream(told["run"])
    assert heard[0].event == "run_started"
    assert heard[-1].event == "run_finished"
    assert [(int(e.id), e.event, json.loads(e.data)["question"]) for e in heard] == service.table(told["run"])
    return str(told["run"])


def test_an_event_says_its_number_kind_and_question_twice_the_same(service: Service, run: str) -> None:
    for sent in service.stream(run):
        data = json.loads(sent.data)
        assert set(data) == {"seq", "kind", "question", "data"}
        assert (data["seq"], data["kind"]) == (int(sent.id), sent.event)
        assert sent.retry == feeds.RETRY_MS


def test_reconnection_after_any_event_has_no_gap_and_no_duplicate(service: Service, run: str) -> None:
    rows = service.table(run)
    assert [seq for seq, *_ in rows] == list(range(1, len(rows) + 1))
    for seq, *_ in rows[:-1]:
        heard = [(int(e.id), e.event, json.loads(e.data)["question"]) for e in service.stream(run, after=seq)]
        assert heard == rows[seq:]


def test_a_client_that_heard_the_end_is_told_to_stay_away(service: Service, run: str) -> None:
    last = service.table(run)[-1][0]
    assert service.client.get(f"/v1/runs/{run}/events", headers={"Last-Event-ID": str(last)}).status_code == 204


def test_the_header_wins_over_the_address_it_once_began_with(service: Service, run: str) -> None:
    with service.client.sse(f"/v1/runs/{run}/events?after=2", headers={"Last-Event-ID": "5"}) as source:
        assert next(iter(source)).id == "6"
    with service.client.sse(f"/v1/runs/{run}/events?after=2") as source:
        assert next(iter(source)).id == "3"


@pytest.mark.parametrize("after", ["99999", "-1", "x", "1.5", "²", "9" * 400, "1 OR 1=1"])
def test_a_number_of_another_run_does_not_hang_for_ever(service: Service, run: str, after: str) -> None:
    answer = service.client.get(f"/v1/runs/{run}/events", params={"after": after})
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("address", ["/v1/runs/{}", "/v1/runs/{}/events"])
def test_an_unknown_run_is_told_apart_from_nothing(service: Service, run: str, address: str) -> None:
    """Whether an id is well-formed, not yet given out, another review's or hostile: not a byte of the answer differs."""
    names = ["R-000000000000.1", run[:-1] + "9", run.partition(".")[0], run + "%00", "x" * 2000, "..%5cetc", "%27%20OR%201=1--"]
    answers = [service.client.get(address.format(name), headers={"Last-Event-ID": "1"}) for name in names]
    assert {(a.status_code, a.content, a.headers["content-type"]) for a in answers} == {
        (404, answers[0].content, "application/problem+json")
    }


def test_what_happens_to_answers_later_is_not_streamed(service: Service) -> None:
    run = service.upload(only="Q-1").json()["run"]
    heard = service.stream(run)
    service.office.ledger.append_event(run, "approved", question="Q-1")
    assert [e.id for e in service.stream(run)] == [e.id for e in heard]
    assert service.client.get(f"/v1/runs/{run}/events", params={"after": len(heard) + 1}).status_code == 204


def test_a_run_of_another_process_is_heard_without_a_bell(service: Service) -> None:
    run = foreign_run(service.office)
    writer = threading.Timer(0.3, lambda: _end(service, run))
    writer.start()
    began = time.monotonic()
    assert [e.event for e in service.stream(run)] == ["run_started", "run_failed"]
    assert time.monotonic() - began < 0.3 + tails.POLL_S + 1
    writer.join(60)


def test_a_watcher_that_leaves_does_not_end_the_run(service: Service) -> None:
    run = service.upload(only="Q-2").json()["run"]
    with service.client.sse(f"/v1/runs/{run}/events") as source:
        next(iter(source))
    assert service.stream(run)[-1].event == "run_finished"


def test_a_second_run_of_the_same_file_waits_its_turn(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    go, real = threading.Event(), service.office.reader.read_folder
    monkeypatch.setattr(service.office.reader, "read_folder", lambda *given: go.wait(60) and real(*given), raising=False)
    run = service.upload(only="Q-1").json()["run"]
    refused = service.upload(only="Q-2")
    go.set()
    assert refused.status_code == 409
    assert service.stream(run)[-1].event == "run_finished"
    again = service.upload(only=["Q-2", "Q-1"]).json()["run"]
    assert service.stream(again)[-1].event == "run_finished"
    assert service.client.get(f"/v1/runs/{again}").json()["questions"] == ["Q-2", "Q-1"]


@pytest.mark.parametrize("how", ["token", "session"])
def test_who_is_shown_out_hears_no_more(service: Service, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(streaming, "LOOK_S", 0.05)
    run = foreign_run(service.office)
    with httpx2.Client(base_url=service.url, timeout=30) as client:
        if how == "token":
            client.headers.update(bearer(service.office, "Cy Example"))
        else:
            browser(client, service.office, "Cy Example")
        with client.sse(f"/v1/runs/{run}/events") as source:
            heard = iter(source)
            assert next(heard).event == "run_started"
            revoke(replace(service.office, signed_in="Dee Example"), "Cy Example", by="Dee Example")
            assert list(heard) == [], "somebody who was shown out goes on listening"
        assert client.get(f"/v1/runs/{run}/events").status_code == 401
    _end(service, run)
    assert [e.event for e in service.stream(run)] == ["run_started", "run_failed"]


def test_preparation_that_fails_ends_the_stream(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr("trustops.operations.answering.index_evidence", broken)
    run = service.upload(only="Q-1").json()["run"]
    assert [e.event for e in service.stream(run)] == ["run_started", "run_failed"]
    assert service.client.get(f"/v1/runs/{run}").json()["state"] == "FAILED"


def test_a_stopping_service_gives_watchers_the_end_of_their_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shutdown in the middle of the preparation, which no one can cancel, and with a stream of a run that never ends."""
    monkeypatch.setattr(streaming, "GRACE_S", 0.2)
    go = threading.Event()
    office = make_office(tmp_path / "w")
    real = office.reader.read_folder
    monkeypatch.setattr(office.reader, "read_folder", lambda *given: go.wait(5) and real(*given), raising=False)
    heard: list[str] = []
    with serving(office) as service:
        run = service.upload().json()["run"]
        endless = foreign_run(service.office)
        watchers = [threading.Thread(target=_watch, args=(service, name, heard)) for name in (run, endless)]
        for watcher in watchers:
            watcher.start()
        time.sleep(0.3)
        service.server.should_exit = True
        time.sleep(0.3)
        go.set()
        began = time.monotonic()
        for watcher in watchers:
            watcher.join(60)
        assert time.monotonic() - began < 8
        assert heard.count("run_cancelled") == 1
        assert office.ledger.get_run(run).state == "CANCELLED"  # type: ignore[union-attr]


async def test_a_cancelled_run_ends_in_the_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    office = make_office(tmp_path / "w")
    runs = Runs(office)
    (tmp_path / "q.csv").write_bytes(QUESTIONS)
    review = take_in(office, tmp_path / "q.csv")
    monkeypatch.setattr(type(office.client), "complete", _never)
    run = await runs.start(review, ())
    while not any(e.kind == "seat_started" for e in office.ledger.events(run)):
        heard = runs.bell.count(run)
        await runs.bell.wait(run, heard, 0.05)
    await runs.stop()
    assert office.ledger.events(run)[-1].kind == "run_cancelled"
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]


async def _never(self: object, request: object) -> None:
    await asyncio.sleep(60)


def _watch(service: Service, run: str, heard: list[str]) -> None:
    try:
        with service.client.sse(f"/v1/runs/{run}/events") as source:
            heard.extend(e.event for e in source)
    except httpx2.TransportError:
        heard.append("cut")


def _end(service: Service, run: str) -> None:
    with service.office.ledger.writing():
        service.office.ledger.end_run(run, "FAILED")
        service.office.ledger.append_event(run, "run_failed")
