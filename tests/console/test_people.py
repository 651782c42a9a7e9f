"""Harm: over HTTP somebody decides who did not sign in, or with a token that opens nothing, or about another answer than they saw."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.conftest import House, _close, _open
from trustops.console.app import make_app
from trustops.domain import credential
from trustops.operations.office import Rules
from trustops.operations.signing_in import issue, revoke


@pytest.fixture
def kestrel(reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(credential, "N", 2**4)
    shutil.copytree(reviewed, tmp_path / "kestrel")
    made = _open(tmp_path / "kestrel").with_office(rules=Rules(authenticated_only=True))
    yield made
    _close(made)


@pytest.fixture
def client(kestrel: House) -> Iterator[TestClient]:
    with TestClient(make_app(kestrel.office), base_url="http://127.0.0.1:8700", raise_server_exceptions=False) as made:
        yield made


def address(house: House, ref: str = "K-2", verb: str = "") -> str:
    return f"/v1/reviews/{house.review.id}/questions/{ref}{verb}"


def bearer(house: House, person: str = "Ana") -> dict[str, str]:
    return {"Authorization": f"Bearer {issue(house.office, person, by='Dee')}"}


def digest(house: House, ref: str = "K-2") -> str:
    """The tag of the question's current answer."""
    return f'"{house.office.ledger.latest_answers(house.review.id)[ref].digest}"'


def verdicts(house: House) -> list[Any]:
    return [house.office.ledger.latest_approvals(house.review.id), [r.hash for r in house.office.ledger.audit()]]


def test_a_person_who_signed_in_approves_what_was_read(kestrel: House, client: TestClient) -> None:
    headers = bearer(kestrel)
    read = client.get(address(kestrel), headers=headers)
    assert read.json()["ref"] == "K-2"
    made = client.post(address(kestrel, verb="/approval"), headers={**headers, "If-Match": read.headers["etag"]})
    assert (made.status_code, made.json()["by"], made.json()["identity"]) == (200, "Ana", "authenticated")
    again = client.post(address(kestrel, verb="/approval"), headers={**headers, "If-Match": read.headers["etag"]})
    assert (again.status_code, again.json()) == (200, made.json())
    me = client.get("/v1/me", headers=headers).json()
    assert (me["person"], me["role"], me["identity"], me["organisation"]) == ("Ana", "approver", "authenticated", "kestrel")


@pytest.mark.parametrize("verb", ["/approval", "/rejection"])
@pytest.mark.parametrize("how", ["nobody", "wrong", "revoked", "no bearer", "a viewer", "an analyst"])
def test_whoever_may_not_decides_nothing(kestrel: House, client: TestClient, verb: str, how: str) -> None:
    headers = {
        "nobody": lambda: {},
        "wrong": lambda: {"Authorization": "Bearer tops_00000000_" + "A" * 43},
        "revoked": lambda: (made := bearer(kestrel)) and revoke(kestrel.office, "Ana", by="Dee") and made,
        "no bearer": lambda: {"Authorization": bearer(kestrel)["Authorization"].replace("Bearer", "Basic")},
        "a viewer": lambda: bearer(kestrel, "Cy"),
        "an analyst": lambda: bearer(kestrel, "Bo"),
    }[how]()
    tag = {"If-Match": digest(kestrel)}
    before = verdicts(kestrel)
    body = {"reason": "no"} if verb == "/rejection" else {}
    refused = client.post(address(kestrel, verb=verb), headers={**headers, **tag}, json=body)
    assert refused.status_code == (403 if how.startswith("a") else 401)
    assert refused.headers["content-type"] == "application/problem+json"
    assert ("www-authenticate" in refused.headers) is (refused.status_code == 401)
    assert verdicts(kestrel) == before


@pytest.mark.parametrize("verb", ["/approval", "/rejection"])
@pytest.mark.parametrize(("tag", "status"), [(None, 428), ('"' + "0" * 64 + '"', 412), ("*", 412), ('W/"x"', 412), ("0" * 64, 412)])
def test_another_answer_than_the_one_that_was_seen_is_not_decided(
    kestrel: House, client: TestClient, verb: str, tag: str | None, status: int
) -> None:
    headers, body = bearer(kestrel), {"reason": "no"} if verb == "/rejection" else {}
    before = verdicts(kestrel)
    refused = client.post(address(kestrel, verb=verb), headers={**headers, **({"If-Match": tag} if tag else {})}, json=body)
    assert refused.status_code == status
    assert verdicts(kestrel) == before


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'{"reason": 1}', b'{"reason": "no", "by": "Dee"}', b"{", b"[" * 9000, b'{"reason": " "}']
)
def test_a_rejection_without_its_reason_is_refused(kestrel: House, client: TestClient, body: bytes) -> None:
    headers = {**bearer(kestrel), "If-Match": digest(kestrel)}
    before = verdicts(kestrel)
    assert client.post(address(kestrel, verb="/rejection"), headers=headers, content=body).status_code in (409, 422)
    assert client.post(address(kestrel, verb="/rejection"), headers=headers, content=b" " * 70_000).status_code == 413
    assert verdicts(kestrel) == before


def test_what_is_blocked_is_not_approved_over_http(kestrel: House, client: TestClient) -> None:
    headers = {**bearer(kestrel), "If-Match": digest(kestrel, "K-4")}
    before = verdicts(kestrel)
    refused = client.post(address(kestrel, "K-4", "/approval"), headers=headers)
    assert (refused.status_code, "MISSING_EVIDENCE" in refused.json()["detail"]) == (409, True)
    assert verdicts(kestrel) == before


def test_a_wrong_token_is_refused_on_every_route(kestrel: House, client: TestClient) -> None:
    headers = {"Authorization": "Bearer nothing"}
    asked = [client.get(path, headers=headers) for path in ("/v1/reviews", "/healthz", "/v1/me", address(kestrel), "/nowhere")]
    assert {(a.status_code, a.content) for a in asked} == {(401, asked[0].content)}
    assert (
        client.post("/v1/reviews", headers=headers, files={"file": ("q.csv", b"ID,Question,Answer\nX,Do cats bark?,\n")}).status_code == 401
    )
    assert len(kestrel.office.ledger.reviews()) == 1


@pytest.mark.parametrize("named", ["K-9", "%00", "x" * 900])
def test_a_question_that_is_not_there_is_told_apart_from_nothing(kestrel: House, client: TestClient, named: str) -> None:
    headers = bearer(kestrel)
    unknown = client.get(address(kestrel).replace(kestrel.review.id, "R-000000000000"), headers=headers)
    assert unknown.status_code == 404
    assert json.loads(unknown.content)["status"] == 404
    assert client.get(address(kestrel, named), headers=headers).status_code == 404
