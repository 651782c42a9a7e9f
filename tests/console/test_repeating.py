"""Harm: a request that a network repeats is carried out twice, or somebody gets the reply of another (public bug 13)."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.conftest import House, _close, _open
from tests.console.conftest import browser
from tests.console.test_contract import bearer
from tests.operations.test_sessions import Hand
from trustops.console import sending
from trustops.console.app import make_app
from trustops.domain import credential
from trustops.operations.approving import approve
from trustops.operations.repeating import LEASE, Again, Busy, Other, abandon, begin, keep

UP = b"ID,Question,Answer\r\nU-1,Are audit logs kept for at least one year?,\r\n"
AT_ONCE = 50


@pytest.fixture
def kestrel(reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(credential, "N", 2**4)
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))
    shutil.copytree(reviewed, tmp_path / "kestrel")
    made = _open(tmp_path / "kestrel")
    approve(made.office, made.review, "K-2", 1, by="Ana")
    yield made
    _close(made)


@pytest.fixture
def client(kestrel: House) -> Iterator[TestClient]:
    with TestClient(make_app(kestrel.office), base_url="http://127.0.0.1:8700", raise_server_exceptions=False) as made:
        made.headers.update(bearer(kestrel, "Bo"))
        yield made


def exports(house: House) -> list[str]:
    return [record.id for record in house.office.ledger.exports(house.review.id)]


def where(house: House) -> str:
    return f"/v1/reviews/{house.review.id}/exports"


def test_the_same_request_again_is_the_same_reply_and_no_second_deed(kestrel: House, client: TestClient) -> None:
    key = {"Idempotency-Key": "one"}
    first = client.post(where(kestrel), json={"to": "Harborview"}, headers=key)
    assert first.status_code == 201
    assert "idempotency-replayed" not in first.headers
    records = len(kestrel.office.ledger.audit())
    for _ in range(3):
        again = client.post(where(kestrel), json={"to": "Harborview"}, headers=key)
        assert (again.status_code, again.json(), again.headers["location"]) == (201, first.json(), first.headers["location"])
        assert again.headers["idempotency-replayed"] == "true"
    assert (len(exports(kestrel)), len(kestrel.office.ledger.audit())) == (1, records)


def test_a_key_stands_for_one_request(kestrel: House, client: TestClient) -> None:
    key = {"Idempotency-Key": "one"}
    assert client.post(where(kestrel), json={"to": "Harborview"}, headers=key).status_code == 201
    before = exports(kestrel)
    for other in (
        client.post(where(kestrel), json={"to": "Somebody else"}, headers=key),
        client.post("/v1/recall", json={"to": "Harborview"}, headers=key),
        client.post(f"{where(kestrel)}?x=1", json={"to": "Harborview"}, headers=key),
        client.post("/v1/reviews", files={"file": ("q.csv", UP)}, headers=key),
    ):
        assert (other.status_code, other.json()["where"]) == (422, "Idempotency-Key")
    assert exports(kestrel) == before


def test_a_key_of_one_person_is_nothing_of_another(kestrel: House, client: TestClient) -> None:
    key = {"Idempotency-Key": "one"}
    assert client.post(where(kestrel), json={"to": "Harborview"}, headers=key).status_code == 201
    other = client.post(where(kestrel), json={"to": "Other"}, headers={**key, **bearer(kestrel, "Ana")})
    assert (other.status_code, "idempotency-replayed" in other.headers) == (201, False)


def test_an_upload_is_known_again_however_it_is_packed(kestrel: House, client: TestClient) -> None:
    key = {"Idempotency-Key": "upload"}
    first = client.post("/v1/reviews", files={"file": ("q.csv", UP)}, headers=key)
    again = client.post("/v1/reviews", files={"file": ("q.csv", UP)}, headers=key)  # with another boundary
    assert first.status_code == 202
    assert (again.status_code, again.json()) == (202, first.json())
    assert len(kestrel.office.ledger.runs(first.json()["review"])) == 1
    assert client.post("/v1/reviews", files={"file": ("q.csv", UP + b"U-2,Do cats bark?,\r\n")}, headers=key).status_code == 422
    client.get(first.json()["events"])


def test_a_refusal_is_not_kept(kestrel: House, client: TestClient) -> None:
    key = {"Idempotency-Key": "one"}
    assert client.post(where(kestrel), json={}, headers=key).status_code == 422
    assert client.post(where(kestrel), json={}, headers=key).status_code == 422
    unknown = client.post(where(kestrel).replace(kestrel.review.id, "R-000000000000"), json={"to": "X"}, headers={"Idempotency-Key": "two"})
    assert unknown.status_code == 404
    assert client.post(where(kestrel), json={"to": "Harborview"}, headers={"Idempotency-Key": "three"}).status_code == 201


def test_a_token_is_told_once_and_its_reply_is_kept_nowhere(kestrel: House, client: TestClient) -> None:
    told = {**bearer(kestrel, "Dee"), "Idempotency-Key": "token"}
    made = client.post("/v1/people/Cy/tokens", json={"label": "ci"}, headers=told)
    again = client.post("/v1/people/Cy/tokens", json={"label": "ci"}, headers=told)
    assert (made.status_code, again.status_code) == (201, 409)
    secret = made.json()["token"].split("_", 2)[2].encode()
    assert all(secret not in path.read_bytes() for path in (kestrel.folder / ".trustops").rglob("*") if path.is_file())


@pytest.mark.parametrize("key", ["", "x" * 201, "ü"])
def test_a_key_that_is_none_is_refused(kestrel: House, client: TestClient, key: str) -> None:
    refused = client.post(where(kestrel), json={"to": "Harborview"}, headers={"Idempotency-Key": key.encode("latin-1")})  # type: ignore[dict-item]
    assert refused.status_code == 400
    assert exports(kestrel) == []


def test_of_fifty_at_once_one_is_carried_out(kestrel: House, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first waits until all others were answered, so that each of them meets it in progress."""
    done, go, real = Counter[str](), threading.Event(), sending.export

    def held(*told: Any, **how: Any) -> Any:
        done["export"] += 1
        assert go.wait(60)
        return real(*told, **how)

    monkeypatch.setattr(sending, "export", held)
    answers: list[Any] = []

    def ask() -> None:
        answers.append(client.post(where(kestrel), json={"to": "Harborview"}, headers={"Idempotency-Key": "one"}))
        if len(answers) == AT_ONCE - 1:
            go.set()

    threads = [threading.Thread(target=ask) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: AT_ONCE - 1}
    assert all(answer.headers["retry-after"] == "1" for answer in answers if answer.status_code == 409)
    assert (done["export"], len(exports(kestrel))) == (1, 1)
    again = client.post(where(kestrel), json={"to": "Harborview"}, headers={"Idempotency-Key": "one"})
    assert (again.status_code, len(exports(kestrel))) == (201, 1)


def test_an_attempt_that_was_lost_with_its_process_may_be_made_again_after_a_while(house: House) -> None:
    clock = Hand(house.office.clock.now())
    office = house.with_office(clock=clock).office
    first = begin(office, "Ana", "key", "a")
    assert not isinstance(first, Again | Busy | Other)
    assert isinstance(begin(office, "Ana", "key", "a"), Busy)
    assert isinstance(begin(office, "Ana", "key", "b"), Other)
    clock.on(seconds=LEASE.total_seconds())
    second = begin(office, "Ana", "key", "a")
    assert not isinstance(second, Again | Busy | Other)
    assert second.attempt == 2
    abandon(office, second)
    third = begin(office, "Ana", "key", "a")
    assert not isinstance(third, Again | Busy | Other)
    keep(office, third, "done")
    found = begin(office, "Ana", "key", "a")
    assert isinstance(found, Again)
    assert found.reply == "done"


def test_a_form_of_a_browser_is_known_again_too(kestrel: House, client: TestClient) -> None:
    del client.headers["Authorization"]
    form = browser(client, kestrel.office, "Bo")
    told = {"X-CSRF-Token": form, "Idempotency-Key": "page"}
    first = client.post(where(kestrel), json={"to": "Harborview"}, headers=told)
    again = client.post(where(kestrel), json={"to": "Harborview"}, headers=told)
    assert (first.status_code, again.json()) == (201, first.json())
