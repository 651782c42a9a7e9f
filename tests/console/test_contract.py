"""Harm: a program is built on what the document says, and the service does something else."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from tests.conftest import House, _close, _open
from trustops.console.api import API
from trustops.console.app import DOORS, make_app
from trustops.console.doors import Door
from trustops.console.openapi import document, name_of
from trustops.domain import credential
from trustops.operations.signing_in import issue

UP = b"ID,Question,Answer\r\nU-1,Are audit logs kept for at least one year?,\r\nU-2,Do cats bark?,\r\n"


@pytest.fixture(scope="module")
def kestrel(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("contract")
        patch.setattr(credential, "N", 2**4)
        patch.setenv("TRUSTOPS_KEYS", str(folder / "keys"))
        shutil.copytree(reviewed, folder / "kestrel")
        made = _open(folder / "kestrel")
        made.office.signer.create()
        yield made
        _close(made)


@pytest.fixture(scope="module")
def client(kestrel: House) -> Iterator[TestClient]:
    with TestClient(make_app(kestrel.office), base_url="http://127.0.0.1:8700", raise_server_exceptions=False) as made:
        made.headers.update(bearer(kestrel, "Dee"))
        yield made


def bearer(house: House, person: str) -> dict[str, str]:
    office = house.with_office(signed_in="Dee").office
    return {"Authorization": f"Bearer {issue(office, person, by='Dee', label=person)}"}


def door(method: str, address: str) -> Door:
    """The door that an address belongs to; what is told without parameters comes first."""
    fitting = [d for d in API if d.method == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", d.address), address)]
    return min(fitting, key=lambda d: d.path.count("{"))


def held(answer: Any, of: Door) -> Any:
    """The reply, after it was held against the document."""
    told = document(API)
    operation = told["paths"][of.address][of.method.lower()]
    response = operation["responses"].get(str(answer.status_code))
    assert response is not None, f"{name_of(of)} does not tell of {answer.status_code}: {answer.text}"
    if "content" not in response:
        assert answer.content == b""
        return None
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in response["content"] or "*/*" in response["content"], kind
    schema = response["content"].get(kind, {}).get("schema")
    body = answer.json() if "json" in kind and schema else answer.content
    if schema:
        jsonschema.Draft202012Validator({**schema, "components": told["components"]}).validate(body)
    return body


@pytest.fixture
def ask(client: TestClient) -> Callable[..., Any]:
    def asked(method: str, address: str, **how: Any) -> Any:
        answer = client.request(method, address, **how)
        assert answer.status_code < 500, answer.text
        return held(answer, door(method, address.partition("?")[0]))

    return asked


def test_the_document_is_of_openapi_and_its_shapes_are_json_schemas() -> None:
    told = document(API)
    assert told["openapi"] == "3.1.0"
    for name, schema in told["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema.get("type") in ("object", "string") or name == "JsonValue"
    names = [op["operationId"] for path in told["paths"].values() for op in path.values()]
    assert len(names) == len(set(names))
    told_of = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(told))
    assert set(told_of) <= told["components"]["schemas"].keys()


def test_routes_and_document_are_the_same(kestrel: House, client: TestClient) -> None:
    routes = {(method, route.path.replace(":path}", "}")) for route in make_app(kestrel.office).routes for method in route.methods}  # type: ignore[attr-defined]
    told = client.get("/v1/openapi.json").json()
    listed = {(method.upper(), path) for path, operations in told["paths"].items() for method in operations}
    pages = {(d.method, d.address) for d in DOORS if d not in API}
    assert {pair for pair in routes if pair[0] != "HEAD"} - pages == listed
    assert all(d.page or d.path.startswith("/static") for d in DOORS if d not in API), "what is no page is told in the document"


def test_every_operation_says_what_it_needs_and_what_it_is_for() -> None:
    for d in API:
        operation = document(API)["paths"][d.address][d.method.lower()]
        assert operation["x-needs"] == d.need.value
        assert len(operation["summary"]) > 10
        assert bool(operation["security"]) is (d.need.value != "nothing")


def test_the_whole_way_of_a_questionnaire_over_http(kestrel: House, ask: Callable[..., Any], client: TestClient, tmp_path: Path) -> None:
    asked = ask("POST", "/v1/parse", files={"file": ("q.csv", UP)})
    assert [q["ref"] for q in asked["questions"]] == ["U-1", "U-2"]
    started = ask("POST", "/v1/reviews", files={"file": ("q.csv", UP)})
    review, run = started["review"], started["run"]
    assert b"event: run_finished" in ask("GET", f"/v1/runs/{run}/events")
    assert b"event: settled" in ask("GET", f"/v1/reviews/{review}/events")
    report = ask("GET", f"/v1/reviews/{review}")
    assert [q["ref"] for q in report["questions"]] == ["U-1", "U-2"]
    assert ask("GET", f"/v1/runs/{run}")["state"] == "FINISHED"
    assert [row["run"] for row in ask("GET", f"/v1/reviews/{review}/runs")["runs"]] == [run]
    where = f"/v1/reviews/{review}/questions/U-1"
    ask("GET", where)
    tag = client.get(where).headers["etag"]
    edited = ask("POST", f"{where}/versions", json={"text": "Yes. Audit logs are kept for 400 days."}, headers={"If-Match": tag})
    assert edited["blocking"] == []
    stale = client.post(f"{where}/versions", json={"text": "No."}, headers={"If-Match": tag})
    assert stale.status_code == 412
    assert len(ask("GET", f"{where}/versions")["versions"]) == edited["version"]
    ask("POST", f"{where}/rejection", json={"reason": "look again"}, headers={"If-Match": f'"{edited["digest"]}"'})
    given = ask("POST", f"{where}/approval", headers={"If-Match": f'"{edited["digest"]}"'})
    assert (given["verdict"], given["by"], given["identity"]) == ("APPROVED", "Dee", "authenticated")
    made = ask("POST", f"/v1/reviews/{review}/exports", json={"to": "Harborview"})
    assert made["exported"] == ["U-1"]
    assert [row["ref"] for row in made["withheld"]] == ["U-2"]
    for what, address in made["files"].items():
        got = client.get(address)
        assert got.headers["content-disposition"].startswith("attachment; filename="), what
        (tmp_path / what).write_bytes(held(got, door("GET", address)) if what != "receipt" else got.content)
    assert b"400 days" in (tmp_path / "answered").read_bytes()
    assert json.loads((tmp_path / "receipt").read_bytes())["to"] == "Harborview"
    checked = ask("POST", "/v1/verify", files={"bundle": ("b.zip", (tmp_path / "bundle").read_bytes())})
    assert checked["valid"] is True
    spoiled = bytearray((tmp_path / "bundle").read_bytes())
    spoiled[-200] ^= 1
    assert client.post("/v1/verify", files={"bundle": ("b.zip", bytes(spoiled))}).json().get("valid", False) is False
    assert ask("GET", f"/v1/reviews/{review}/exports")["exports"][0]["export"] == made["export"]
    assert ask("GET", f"/v1/exports/{made['export']}")["to"] == "Harborview"
    assert b"U-2" in ask("GET", f"/v1/reviews/{review}/gap-register")
    entered = ask("POST", "/v1/library", json={"export": made["export"], "owner": "Bo", "review_by": "2027-05-31"})
    assert entered["answers"] == ["U-1"]
    assert ask("POST", "/v1/recall")["recall"] == ask("GET", "/v1/recall")["recall"] == []
    again = ask("POST", f"/v1/reviews/{review}/runs", json={"only": ["U-2"]})
    assert b"event: run_finished" in ask("GET", f"/v1/runs/{again['run']}/events")
    assert client.post(f"/v1/runs/{again['run']}/resume").status_code == 409


def test_the_files_of_an_export_are_those_that_the_command_line_writes(kestrel: House, client: TestClient, tmp_path: Path) -> None:
    from trustops.operations.approving import approve
    from trustops.operations.exporting import export

    approve(kestrel.office, kestrel.review, "K-2", 1, by="Ana")
    made = export(kestrel.office, kestrel.review, tmp_path, to="Customer", by="Ana")
    name = f"X-{made.receipt.stem.removeprefix('receipt-')}"
    for what, path in (("answered", made.file), ("receipt", made.receipt), ("bundle", made.bundle), ("oscal", made.assessment_results)):
        assert client.get(f"/v1/exports/{name}/{what}").content == path.read_bytes(), what
    shown = client.get(f"/v1/exports/{name}/answered").headers
    assert (shown["content-disposition"], shown["x-content-type-options"]) == (
        f"attachment; filename=\"TEST-{made.file.name}\"; filename*=UTF-8''TEST-{made.file.name}",
        "nosniff",
    )


@pytest.mark.parametrize("where", ["/v1/evidence", "/v1/evidence/problems", "/v1/controls", "/v1/library", "/v1/library/conflicts"])
def test_what_answers_rest_on_is_told(ask: Callable[..., Any], where: str) -> None:
    assert ask("GET", where)


def test_controls_are_read_and_coverage_is_told(kestrel: House, ask: Callable[..., Any]) -> None:
    assert [row["id"] for row in ask("POST", "/v1/controls/collect")["controls"]] == ["disk-encryption"]
    assert len(ask("GET", f"/v1/reviews/{kestrel.review.id}/coverage")["questions"]) == 4


def test_what_is_green_is_approved_in_bulk_and_nothing_else(kestrel: House, ask: Callable[..., Any]) -> None:
    where = f"/v1/reviews/{kestrel.review.id}"
    answers = kestrel.office.ledger.latest_answers(kestrel.review.id)
    named = {ref: answers[ref].digest for ref in answers} | {"K-9": "0" * 64, "K-3": "0" * 64}
    before = kestrel.office.ledger.latest_approvals(kestrel.review.id)
    assert ask("POST", f"{where}/approvals", json={"answers": {"K-3": "0" * 64}})["approved"] == []
    assert kestrel.office.ledger.latest_approvals(kestrel.review.id) == before
    made = ask("POST", f"{where}/approvals", json={"answers": named})
    refused = set(made["refused"])
    assert {"K-9", "K-3", "K-4"} <= refused
    assert {one["question"] for one in made["approved"]} | refused == set(named)
    decisions = {ref: record.result.decision.value for ref, record in kestrel.office.ledger.latest_records(kestrel.review.id).items()}
    assert all(decisions[one["question"]] == "PASS" for one in made["approved"])


def test_pages_of_a_list_have_no_gap_and_no_duplicate(kestrel: House, client: TestClient) -> None:
    for number in range(4):
        kestrel.office.ledger.append_audit("noted", actor="Dee", payload={"number": number}, at=kestrel.office.clock.now())
    whole = client.get("/v1/audit", params={"limit": 500}).json()["records"]
    assert len(whole) > 3
    for size in (1, 2, len(whole), 500):
        seen, cursor = [], None
        while True:
            page = client.get("/v1/audit", params={"limit": size, **({"cursor": cursor} if cursor else {})}).json()
            seen += page["records"]
            cursor = page["next"]
            if cursor is None:
                break
        assert seen == whole


@pytest.mark.parametrize(
    "asked", [{"limit": "0"}, {"limit": "501"}, {"limit": "x"}, {"limit": "²"}, {"cursor": "x"}, {"cursor": "!!"}, {"cursor": ""}]
)
def test_a_page_that_is_none_is_refused(client: TestClient, asked: dict[str, str]) -> None:
    for where in ("/v1/reviews", "/v1/audit", "/v1/library", "/v1/evidence"):
        assert client.get(where, params=asked).status_code == 400


def test_people_and_tokens_are_seen_to_by_admins(kestrel: House, ask: Callable[..., Any], client: TestClient) -> None:
    made = ask("POST", "/v1/people/Cy/tokens", json={"label": "ci", "scopes": ["read"], "days": 30})
    mine = {"Authorization": f"Bearer {made['token']}"}
    assert client.get("/v1/me", headers=mine).json()["scopes"] == ["read"]
    link = ask("POST", "/v1/people/Cy/invitation")["link"]
    assert link.startswith("http://127.0.0.1:8700/sign-in/link?key=")
    listed = {one["person"]: one for one in ask("GET", "/v1/people")["people"]}
    assert [kept["label"] for kept in listed["Cy"]["tokens"]] == ["ci"]
    assert not {"salt", "scrypt"} & set(listed["Cy"]["tokens"][0])
    assert len(ask("POST", "/v1/people/Cy/revocation")["revoked"]) == 1
    assert client.get("/v1/me", headers=mine).status_code == 401
    for verb in ("tokens", "invitation"):
        assert client.post(f"/v1/people/Nobody/{verb}").status_code == 404


def test_words_are_taken_out_by_admins(kestrel: House, ask: Callable[..., Any], client: TestClient) -> None:
    where = f"/v1/reviews/{kestrel.review.id}/questions/K-1"
    tag = client.get(where).headers["etag"]
    ask("POST", f"{where}/rejection", json={"reason": "ask Kanarienvogel"}, headers={"If-Match": tag})
    record = kestrel.office.ledger.audit()[-1].seq
    assert ask("POST", f"/v1/audit/{record}/redaction", json={"reason": "a name"})["redacted"] == record
    assert "Kanarienvogel" not in client.get("/v1/audit", params={"limit": 500}).text
    for other in ("0", "99999", "x", "-1", "1.5"):
        assert client.post(f"/v1/audit/{other}/redaction", json={"reason": "x"}).status_code == 404


def test_a_run_is_taken_along_as_one_file(kestrel: House, client: TestClient) -> None:
    started = client.post("/v1/reviews", files={"file": ("r.csv", UP.replace(b"U-", b"R-"))}).json()
    client.get(started["events"])
    got = client.get(f"/v1/runs/{started['run']}/recording")
    assert (got.status_code, got.headers["content-type"]) == (200, "application/gzip")
    assert got.content[:2] == b"\x1f\x8b"
    assert got.headers["content-disposition"].startswith(f'attachment; filename="RECORDED-{started["run"]}.jsonl.gz"')


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"{", "body"),
        (b"[]", "body"),
        (b'{"text": ""}', "body.text"),
        (b'{"text": "x", "by": "Dee"}', "body.by"),
        (b'{"text": "x", "determination": "MAYBE"}', "body.determination"),
        (b'{"text": "\\ud800"}', "body"),
        (b"\xff\xfe", "body"),
        (b"[" * 60_000, "body"),
        (b'{"text": 1}', "body.text"),
    ],
    ids=lambda given: repr(given)[:30],
)
def test_a_body_that_does_not_fit_is_refused_with_its_place(kestrel: House, client: TestClient, body: bytes, where: str) -> None:
    before = kestrel.office.ledger.answers(kestrel.review.id, "K-2")
    tag = client.get(f"/v1/reviews/{kestrel.review.id}/questions/K-2").headers["etag"]
    refused = client.post(f"/v1/reviews/{kestrel.review.id}/questions/K-2/versions", content=body, headers={"If-Match": tag})
    assert (refused.status_code, refused.json()["where"].startswith(where)) == (422, True)
    assert kestrel.office.ledger.answers(kestrel.review.id, "K-2") == before


def test_a_monitor_reads_counts_and_no_words(kestrel: House, client: TestClient, ask: Callable[..., Any]) -> None:
    client.get(f"/v1/reviews/{kestrel.review.id}")
    client.get("/v1/reviews/R-000000000000")
    told = ask("GET", "/metrics").decode()
    for line in told.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+\{(\w+="[^"\\\n]*",?)+\} [0-9.]+', line), line
    counted = dict(re.findall(r'^trustops_requests_total\{[^}]*path="/v1/reviews/\{review\}",status="(\d+)"\} (\d+)$', told, re.MULTILINE))
    assert int(counted["200"]) >= 1
    assert int(counted["404"]) >= 1
    buckets = [int(n) for n in re.findall(r"^trustops_request_seconds_bucket\{.*\} (\d+)$", told, re.MULTILINE)]
    assert buckets == sorted(buckets)
    assert "Audit logs" not in told
