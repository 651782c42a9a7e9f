"""An upload that is hostile, too large or from elsewhere is refused in one sentence and leaves nothing behind."""

from __future__ import annotations

import json
import socket
import tempfile
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.console.conftest import QUESTIONS, Service, stored
from trustops.console import bodies, uploading
from trustops.console.guards import is_loopback
from trustops.console.server import listen
from trustops.console.uploading import safe_name
from trustops.domain.errors import UsageError
from trustops.operations.office import Office
from trustops.testing.workbook import hostile

FILES = hostile()
HOSTILE_NAMES = {
    "../../etc/cron.d/x.csv": "x.csv",
    "/etc/passwd.csv": "passwd.csv",
    "C:\\temp\\q.csv": "q.csv",
    "a\0b.csv": "a_b.csv",
    "CON.csv": "_CON.csv",
    "\u202evsc.exe.csv": "_vsc.exe.csv",
    "..": "upload",
    "": "upload",
    "问卷.csv": "问卷.csv",
    "问" * 300 + ".csv": "问" * 40 + ".csv",
}


@pytest.mark.parametrize("name", ["encrypted", "not a zip", "zip bomb", "entity bomb", "cell flood", "corner cells only", "no question"])
def test_a_hostile_upload_is_refused_and_nothing_is_stored(client: TestClient, office: Office, name: str) -> None:
    before = stored(office)
    began = time.monotonic()
    answer = client.post("/v1/reviews", files={"file": ("upload.xlsx", FILES[name]())})
    assert time.monotonic() - began < 5
    _is_problem(answer, 422)
    assert stored(office) == before
    assert list(Path(tempfile.gettempdir()).glob("trustops-*/upload.xlsx")) == []


@pytest.mark.parametrize(("given", "kept"), HOSTILE_NAMES.items())
def test_a_file_name_leads_nowhere(given: str, kept: str) -> None:
    assert safe_name(given) == kept
    assert len(safe_name(given).encode()) < 255


def test_an_upload_with_a_hostile_name_is_kept_under_a_plain_one(client: TestClient, office: Office) -> None:
    other = QUESTIONS.replace(b"Q-1", b"N-1")
    review = client.post("/v1/reviews", files={"file": ("../../x.csv", other)}).json()["review"]
    assert office.ledger.get_review(review).questionnaire.file == "x.csv"  # type: ignore[union-attr]


def test_an_announced_oversize_is_refused_before_it_is_read(client: TestClient, office: Office) -> None:
    before = stored(office)
    answer = client.post(
        "/v1/reviews", content=b"", headers={"Content-Type": "multipart/form-data; boundary=x", "Content-Length": "99999999"}
    )
    _is_problem(answer, 413)
    assert stored(office) == before


def test_an_oversize_that_does_not_announce_itself_is_refused(client: TestClient, office: Office) -> None:
    before = stored(office)
    start = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    parts = [start, *[b"a" * 65536] * (uploading.MAX_BODY // 65536 + 1), b"\r\n--x--\r\n"]
    answer = client.post("/v1/reviews", content=iter(parts), headers={"Content-Type": "multipart/form-data; boundary=x"})
    _is_problem(answer, 413)
    assert stored(office) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "10.0.0.7:8700"},
        {"Host": "[::1"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_page_from_elsewhere_changes_nothing(client: TestClient, office: Office, headers: dict[str, str]) -> None:
    before = stored(office)
    answer = client.post("/v1/reviews", files={"file": ("q.csv", QUESTIONS)}, headers=headers)
    _is_problem(answer, 421 if "Host" in headers else 403)
    assert stored(office) == before


def test_a_rebound_name_reads_nothing(client: TestClient) -> None:
    _is_problem(client.get("/v1/reviews", headers={"Host": "evil.example:8700"}), 421)


def test_the_own_page_may_upload(client: TestClient) -> None:
    headers = {"Origin": "http://127.0.0.1:8700", "Sec-Fetch-Site": "same-origin"}
    other = QUESTIONS.replace(b"Q-1", b"P-1")
    assert client.post("/v1/reviews", files={"file": ("q.csv", other)}, headers=headers).status_code == 202


@pytest.mark.parametrize(
    "request_",
    [
        {"data": {"only": "Q-1"}},
        {"content": b"{}", "headers": {"Content-Type": "application/json"}},
        {"files": {"file": ("q.csv", QUESTIONS)}, "data": {"as_of": "2020-01-01"}},
        {"files": {"file": ("q.csv", QUESTIONS)}, "data": {"only": "Q-9"}},
        {"files": {"file": ("q.csv", b"")}},
        {"files": {"file": ("q.docx", b"PK")}},
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(client: TestClient, office: Office, request_: dict[str, object]) -> None:
    before = [run for _, runs in stored(office) for run in runs]
    _is_problem(client.post("/v1/reviews", **request_), 422)  # type: ignore[arg-type]
    assert [run for _, runs in stored(office) for run in runs] == before


@pytest.mark.parametrize("body", [b"", b"--x\r\nnonsense", b"--x\r\n\r\n\r\n--x--"])
def test_a_broken_form_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post("/v1/reviews", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_fault_shows_no_inside(client: TestClient, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError(f"secret at {office.workspace}")

    monkeypatch.setattr(type(office.ledger), "reviews", broken)
    answer = client.get("/v1/reviews")
    _is_problem(answer, 500)
    assert "secret" not in answer.text


def test_a_refusal_names_no_folder_of_this_machine(client: TestClient, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*args: object) -> None:
        raise UsageError("there is no such file", where=f"{office.workspace}/evidence/a.md")

    monkeypatch.setattr(uploading, "take_in", missing)
    answer = client.post("/v1/reviews", files={"file": ("q.csv", QUESTIONS)})
    assert answer.json()["where"] == "evidence/a.md"


@pytest.mark.parametrize(
    ("method", "address", "status"), [("GET", "/v2", 404), ("DELETE", "/v1/reviews", 405), ("GET", "/v1/reviews/R-", 404)]
)
def test_what_is_not_there_is_a_problem_too(client: TestClient, method: str, address: str, status: int) -> None:
    _is_problem(client.request(method, address), status)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "example.com", "::", ""])
def test_it_does_not_listen_to_others(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(UsageError) as refusal:
        listen(host, 0)
    assert refusal.value.remedy


def test_a_taken_port_is_one_sentence() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(UsageError):
        listen("127.0.0.1", taken.getsockname()[1])


def _is_problem(answer, status: int) -> None:  # type: ignore[no-untyped-def]
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    told = json.loads(answer.content)
    assert set(told) == {"type", "title", "status", "detail", "where", "remedy"}
    assert told["status"] == status
    assert told["detail"]
    assert "\n" not in told["detail"]
    assert "Traceback" not in answer.text
    assert tempfile.gettempdir() not in answer.text


def test_a_body_that_does_not_come_is_not_waited_for(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Harm: who sends a byte now and then holds a connection and a place for ever."""
    monkeypatch.setattr(bodies, "SLOWEST_S", 0.2)
    before = stored(service.office)
    host, port = service.url.removeprefix("http://").split(":")
    head = f"POST /v1/reviews HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {service.token}\r\n"
    head += "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000\r\n\r\n--x\r\n"
    with socket.create_connection((host, int(port)), timeout=60) as slow:
        slow.sendall(head.encode())
        answer = slow.recv(4096).decode()
    assert answer.startswith("HTTP/1.1 408 ")
    assert stored(service.office) == before
    assert service.client.get("/readyz").status_code == 200
