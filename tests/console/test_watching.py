"""Whoever looks through the API, the command line or `watch` sees the same."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import pytest

from tests.console.conftest import Service
from trustops.cli.app import run as command
from trustops.console.watching import TRIES, Remote
from trustops.domain.authenticity import SEATS
from trustops.domain.errors import Unavailable, UnknownName, UsageError


@pytest.fixture(scope="module")
def run(service: Service) -> str:
    run = str(service.upload().json()["run"])
    assert service.stream(run)[-1].event == "run_finished"
    return run


@pytest.fixture(autouse=True)
def token(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTOPS_TOKEN", service.token)
    monkeypatch.delenv("TRUSTOPS_SERVER", raising=False)


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        command(list(arguments))
    return int(ended.value.code or 0), capsys.readouterr().out


def test_status_is_the_same_over_http_and_on_the_command_line(service: Service, run: str, capsys: pytest.CaptureFixture[str]) -> None:
    review = run.partition(".")[0]
    code, out = typed(capsys, "status", review, "--json", "-w", str(service.office.workspace))
    assert code == 0
    assert service.client.get(f"/v1/reviews/{review}").json() == json.loads(out)
    listed = service.client.get("/v1/reviews").json()["reviews"]
    assert [(r["review"], r["file"], r["questions"]) for r in listed] == [(review, "questions.csv", 2)]


def test_a_run_of_the_service_is_graded_as_one_of_the_command_line_is(service: Service, run: str) -> None:
    service.settle()
    subjects = service.client.get("/v1/trust").json()["subjects"]
    assert set(SEATS) <= {each["subject"] for each in subjects if each["evaluations"] == 2}
    assert service.client.get("/v1/trust/records").json()["records"] > 0
    assert service.stream(run)[-1].event == "run_finished"


def test_watch_over_http_and_from_the_ledger_prints_the_table(service: Service, run: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = service.table(run)
    for source in (["--url", service.url], ["-w", str(service.office.workspace)]):
        code, out = typed(capsys, "watch", run, "--json", *source)
        lines = [json.loads(line) for line in out.splitlines()]
        assert code == 0
        assert [(line["seq"], line["kind"], line["question"]) for line in lines] == rows
        code, out = typed(capsys, "watch", run, "--after", "5", *source)
        assert code == 0
        assert len(out.splitlines()) == len(rows) - 5
        assert typed(capsys, "watch", run, "--after", str(len(rows)), *source) == (0, "")


def test_the_environment_says_which_service_is_watched(
    service: Service, run: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUSTOPS_SERVER", service.url)
    code, out = typed(capsys, "watch", run, "--json", "-w", "/nowhere")
    assert (code, len(out.splitlines())) == (0, len(service.table(run)))
    monkeypatch.setenv("TRUSTOPS_TOKEN", "tops_00000000_" + "A" * 43)
    assert typed(capsys, "watch", run, "--json", "-w", "/nowhere")[0] == 1
    monkeypatch.delenv("TRUSTOPS_TOKEN")
    assert typed(capsys, "watch", run, "--json", "-w", "/nowhere")[0] == 1


def test_a_run_that_failed_is_exit_code_one(service: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustops.operations.answering.index_evidence", lambda *given: 1 / 0)
    run = service.upload(only="Q-1").json()["run"]
    assert service.stream(run)[-1].event == "run_failed"
    for source in (["--url", service.url], ["-w", str(service.office.workspace)]):
        assert typed(capsys, "watch", run, *source)[0] == 1
        assert typed(capsys, "watch", run, "--after", "2", *source)[0] == 1


def test_foreign_text_does_not_steer_the_terminal(service: Service, run: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = run + "x"
    info = service.office.ledger.get_run(run)
    assert info
    with service.office.ledger.writing():
        service.office.ledger.append_run(info.model_copy(update={"id": name, "review": "R-elsewhere"}))
        service.office.ledger.append_event(name, "finding", question="Q-1", data={"summary": "\x1b[2J\u202egone\nfor good"})
        service.office.ledger.end_run(name, "FINISHED")
        service.office.ledger.append_event(name, "run_finished")
    out = typed(capsys, "watch", name, "--url", service.url)[1]
    assert "\\u001b[2J\\u202egone\\u000afor good" in out
    assert len(out.splitlines()) == 2


def test_watch_takes_up_a_broken_connection_where_it_was(service: Service, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every connection gives one event and breaks; the sequence is whole all the same."""
    whole = httpx2.EventSource.__iter__

    def broken(self: httpx2.EventSource) -> Iterator[httpx2.ServerSentEvent]:
        yield next(iter(whole(self)))
        raise httpx2.ReadError("the cable was pulled")

    monkeypatch.setattr(httpx2.EventSource, "__iter__", broken)
    pauses: list[float] = []
    remote = Remote(service.url, pause=pauses.append, token=service.token)
    heard = [(e["seq"], e["kind"], e["question"]) for e in remote.events(run)]
    remote.close()
    assert heard == service.table(run)
    assert pauses == [2.0] * (len(heard) - 1)


def test_a_service_that_stays_away_is_given_up(service: Service, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    remote = Remote(service.url, pause=pauses.append, token=service.token)
    monkeypatch.setattr(httpx2.EventSource, "__iter__", lambda self: iter(()))
    with pytest.raises(Unavailable):
        list(remote.events(run))
    assert len(pauses) == TRIES
    remote.close()


def test_what_cannot_be_watched_is_said_at_once(service: Service, run: str) -> None:
    cases = [(service.url, "R-0.1", 0, UnknownName), (service.url, run, 9999, UsageError), ("http://127.0.0.1:9", run, 0, Unavailable)]
    for url, name, after, kind in cases:
        remote = Remote(url, pause=lambda seconds: pytest.fail("it waits"), token=service.token)
        with pytest.raises(kind) as refusal:
            list(remote.events(name, after))
        assert refusal.value.remedy
        remote.close()
    with pytest.raises(UsageError):
        Remote("127.0.0.1:8700")


def test_health_is_told(service: Service) -> None:
    assert service.client.get("/healthz").json() == {"status": "ok"}
    assert service.client.get("/readyz").json() == {"status": "ready"}
