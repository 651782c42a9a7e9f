"""Harm: one service of several organisations lets a person of one into another, or tells of another what it tells of nobody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from tests.isolation.organisations import Organisation, bearer, canary
from trustops.console.app import make_app
from trustops.domain.errors import UsageError
from trustops.operations import passwords
from trustops.operations.passwords import set_password
from trustops.operations.sessions import form_token, open_session

Organisations = dict[str, Organisation]
LOCAL, UNKNOWN = "http://127.0.0.1:8700", "R-0123456789ab"


@pytest.fixture(scope="module")
def service(organisations: Organisations) -> Iterator[TestClient]:
    """One application of all three."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        passwords._nobodys.cache_clear()
        app = make_app(*(org.office for org in organisations.values()))
        with TestClient(app, base_url=LOCAL, raise_server_exceptions=False, follow_redirects=False) as made:
            yield made
    passwords._nobodys.cache_clear()


def jar(service: TestClient) -> TestClient:
    return TestClient(service.app, base_url=LOCAL, raise_server_exceptions=False, follow_redirects=False)


def addresses(org: Organisation) -> list[str]:
    """What is named by an id that only this organisation has."""
    review = f"/v1/reviews/{org.own.id}"
    parts = (
        "",
        "/runs",
        "/coverage",
        "/gap-register",
        "/exports",
        "/events",
        f"/questions/{org.canary}-1",
        f"/questions/{org.canary}-1/versions",
    )
    runs = [f"/v1/runs/{org.own_run}{part}" for part in ("", "/events", "/recording")]
    export = f"/v1/exports/{org.office.ledger.exports(org.common.id)[0].id}"
    return [*(review + part for part in parts), *runs, *(export + part for part in ("", "/answered", "/receipt", "/bundle", "/oscal"))]


LISTS = (
    "/v1/reviews",
    "/v1/evidence",
    "/v1/evidence/problems",
    "/v1/controls",
    "/v1/library",
    "/v1/library/conflicts",
    "/v1/recall",
    "/v1/me",
    "/",
)


def test_a_token_is_of_its_organisation_and_shows_its_words_alone(organisations: Organisations, service: TestClient) -> None:
    for name, org in organisations.items():
        headers = bearer(org)
        assert service.get("/v1/me", headers=headers).json()["organisation"] == name
        foreign = [canary(other).encode() for other in organisations if other != name]
        for address in (*LISTS, *addresses(org)):
            answer = service.get(address, headers=headers)
            assert answer.status_code in (200, 204, 409), address
            assert not [word for word in foreign if word in answer.content], address
        assert org.canary.encode() in service.get("/v1/reviews", headers=headers).content


def test_a_foreign_id_is_like_an_unknown_one_byte_for_byte(organisations: Organisations, service: TestClient) -> None:
    tried = 0
    for name, org in organisations.items():
        headers = bearer(org)
        for other in organisations.values():
            for address in addresses(other) if other.name != name else ():
                gone = other.office.ledger.exports(other.common.id)[0].id
                unknown = address.replace(other.own.id, UNKNOWN).replace(gone, "X-0123456789ab")
                one, two = service.get(address, headers=headers), service.get(unknown, headers=headers)
                assert (one.status_code, one.content) == (404, two.content), address
                tried += 1
    assert tried == 3 * 2 * 16


def test_nothing_of_another_is_changed_through_its_ids(organisations: Organisations, service: TestClient) -> None:
    alder, birch = organisations["alder"], organisations["birch"]
    headers, ref = bearer(alder, "Dee"), f"{birch.canary}-1"
    tag = {"If-Match": f'"{birch.office.ledger.latest_answers(birch.own.id)[ref].digest}"'}
    before = [r.hash for r in birch.office.ledger.audit()] + [len(birch.office.ledger.runs(birch.own.id))]
    review = f"/v1/reviews/{birch.own.id}"
    for address, body in (
        (f"{review}/questions/{ref}/approval", {}),
        (f"{review}/questions/{ref}/rejection", {"reason": "no"}),
        (f"{review}/questions/{ref}/versions", {"text": "No."}),
        (f"{review}/approvals", {}),
        (f"{review}/exports", {"to": "me"}),
        (f"{review}/runs", {}),
        (f"/v1/runs/{birch.own_run}/cancel", {}),
        (f"/v1/people/Ana {birch.canary}/tokens", {}),
        ("/v1/library", {"export": birch.office.ledger.exports(birch.common.id)[0].id + "x", "owner": "me", "review_by": "2027-01-01"}),
    ):
        assert service.post(address, json=body, headers={**headers, **tag}).status_code == 404, address
    assert [r.hash for r in birch.office.ledger.audit()] + [len(birch.office.ledger.runs(birch.own.id))] == before


def test_a_session_is_of_one_organisation_and_a_person_changes_between_those_they_signed_in_to(
    organisations: Organisations, service: TestClient
) -> None:
    client = jar(service)
    for name in ("alder", "birch"):
        set_password(organisations[name].office, "Ana", f"a quiet walk along the {name}", by="Dee")
    shown = client.get("/sign-in").text
    assert all(f"<option{' selected' if name == 'alder' else ''}>{name}</option>" in shown for name in organisations)
    for name in ("alder", "birch"):
        wrong = client.post("/sign-in", data={"person": "Ana", "password": "a quiet walk along the alder", "organisation": "cedar"})
        assert wrong.status_code == 401
        told = {"person": "Ana", "password": f"a quiet walk along the {name}", "organisation": name}
        assert client.post("/sign-in", data=told).status_code == 303
        assert client.get("/v1/me").json()["organisation"] == name

    def form(name: str) -> dict[str, str]:
        return {"csrf": form_token(client.cookies[f"trustops-session-{name}"])}

    assert client.post("/organisation", data={"organisation": "alder", **form("birch")}).status_code == 303
    assert client.get("/v1/me").json()["organisation"] == "alder"
    assert canary("birch").encode() not in client.get("/v1/reviews").content
    assert client.post("/organisation", data={"organisation": "cedar", **form("alder")}).status_code == 303
    assert client.get("/v1/me").status_code == 401  # nobody of cedar: it must be signed in to
    assert client.post("/organisation", data={"organisation": "nowhere"}).status_code == 404
    assert client.post("/organisation", data={"organisation": "birch"}).status_code == 303
    assert client.post("/sign-out", data=form("birch")).status_code == 303
    assert client.post("/organisation", data={"organisation": "alder"}).status_code == 303
    assert client.get("/v1/me").json()["organisation"] == "alder"  # its session lives on


def test_the_secret_of_a_session_opens_nothing_elsewhere(organisations: Organisations, service: TestClient) -> None:
    secret = open_session(organisations["alder"].office, "Ana", how="password")
    client = jar(service)
    for name in ("birch", "cedar"):
        client.cookies.set(f"trustops-session-{name}", secret, domain="127.0.0.1", path="/")
        client.cookies.set("trustops-organisation", name, domain="127.0.0.1", path="/")
        assert client.get("/v1/me").status_code == 401


def test_a_key_of_a_request_in_one_organisation_is_nothing_in_another(organisations: Organisations, service: TestClient) -> None:
    key = {"Idempotency-Key": "the same"}
    told = {name: service.post("/v1/controls/collect", headers={**bearer(org, "Bo"), **key}) for name, org in organisations.items()}
    for name, answer in told.items():
        assert (answer.status_code, "idempotency-replayed" in answer.headers) == (200, False)
        assert canary(name) in answer.text
    assert len({answer.content for answer in told.values()}) == 3


def test_an_organisation_is_served_once(organisations: Organisations) -> None:
    with pytest.raises(UsageError, match="two workspaces"):
        make_app(organisations["alder"].office, organisations["alder"].office)
