"""Harm: an address of one organisation's service tells of another's reviews, runs or events, if only that they are there (bugs 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from tests.isolation.organisations import Organisation, bearer, canary
from trustops.console.app import make_app

BOOKS = "the books of who signed in"
ID = "those books; 404 for any other id"
SCOPES = {
    ("POST", "/v1/parse"): "reads the file that comes with it, and stores nothing",
    ("POST", "/v1/verify"): "reads the file that comes with it, and stores nothing",
    ("POST", "/v1/reviews"): BOOKS,
    ("GET", "/v1/reviews"): BOOKS,
    ("GET", "/v1/reviews/{review}"): ID,
    ("GET", "/v1/reviews/{review}/runs"): ID,
    ("POST", "/v1/reviews/{review}/runs"): ID,
    ("GET", "/v1/reviews/{review}/coverage"): ID,
    ("GET", "/v1/reviews/{review}/gap-register"): ID,
    ("POST", "/v1/reviews/{review}/approvals"): ID,
    ("POST", "/v1/reviews/{review}/exports"): ID,
    ("GET", "/v1/reviews/{review}/exports"): ID,
    ("GET", "/v1/reviews/{review}/questions/{ref}"): ID,
    ("GET", "/v1/reviews/{review}/questions/{ref}/versions"): ID,
    ("POST", "/v1/reviews/{review}/questions/{ref}/versions"): ID,
    ("POST", "/v1/reviews/{review}/questions/{ref}/approval"): ID,
    ("POST", "/v1/reviews/{review}/questions/{ref}/rejection"): ID,
    ("GET", "/v1/reviews/{review}/questions/{ref}/follow-ups"): ID,
    ("POST", "/v1/reviews/{review}/questions/{ref}/follow-ups"): ID,
    ("GET", "/v1/exports/{export}"): ID,
    ("GET", "/v1/exports/{export}/{file}"): ID,
    ("GET", "/v1/recall"): BOOKS,
    ("POST", "/v1/recall"): BOOKS,
    ("GET", "/v1/runs/{run}"): ID,
    ("GET", "/v1/runs/{run}/events"): ID,
    ("GET", "/v1/reviews/{review}/events"): ID,
    ("GET", "/v1/openapi.json"): "says nothing of an organisation",
    ("GET", "/v1/runs/{run}/trace/{ref:path}"): ID,
    ("GET", "/v1/runs/{run}/recording"): ID,
    ("POST", "/v1/runs/{run}/resume"): ID,
    ("POST", "/v1/runs/{run}/pause"): ID,
    ("POST", "/v1/runs/{run}/cancel"): ID,
    ("GET", "/v1/evidence"): BOOKS,
    ("GET", "/v1/evidence/problems"): BOOKS,
    ("GET", "/v1/controls"): BOOKS,
    ("POST", "/v1/controls/collect"): BOOKS,
    ("GET", "/v1/library"): BOOKS,
    ("POST", "/v1/library"): "those books; 404 for any other export",
    ("GET", "/v1/library/conflicts"): BOOKS,
    ("POST", "/v1/library/{answer}/withdrawal"): ID,
    ("GET", "/v1/trust"): BOOKS,
    ("GET", "/v1/trust/records"): BOOKS,
    ("GET", "/v1/trust/subjects/{subject:path}"): BOOKS,
    ("GET", "/v1/reputations"): BOOKS,
    ("GET", "/v1/audit"): BOOKS,
    ("POST", "/v1/audit/{record}/redaction"): BOOKS,
    ("GET", "/v1/people"): BOOKS,
    ("POST", "/v1/people/{person}/tokens"): BOOKS,
    ("POST", "/v1/people/{person}/invitation"): BOOKS,
    ("POST", "/v1/people/{person}/revocation"): BOOKS,
    ("GET", "/v1/me"): "a token that was made in the books, or a session of them",
    ("GET", "/metrics"): "counts of who signed in, no words",
    ("GET", "/healthz"): "says nothing of an organisation",
    ("GET", "/readyz"): "says nothing of an organisation",
    ("GET", "/sign-in"): "names the organisations of the service, which are told to whoever may reach it, and nothing in them",
    ("POST", "/sign-in"): "the passwords of the organisation that is named",
    ("GET", "/sign-in/link"): "the organisation whose books know the key",
    ("POST", "/sign-in/link"): "the organisation whose books know the key",
    ("GET", "/sign-in/oidc"): "the provider of the organisation that is named",
    ("GET", "/sign-in/oidc/callback"): "the organisation in which this browser began",
    ("POST", "/sign-out"): "the session that the request came with",
    ("POST", "/organisation"): "says which session counts; opens none",
    ("GET", "/static/{version}/{name}"): "says nothing of an organisation",
    ("GET", "/"): BOOKS,
    ("GET", "/reviews"): BOOKS,
    ("GET", "/reviews/new"): "says nothing of an organisation",
    ("POST", "/reviews/new"): BOOKS,
    ("GET", "/reviews/{review}"): ID,
    ("GET", "/reviews/{review}/rows"): ID,
    ("GET", "/reviews/{review}/mapping"): ID,
    ("POST", "/reviews/{review}/runs"): ID,
    ("POST", "/reviews/{review}/steer"): ID,
    ("GET", "/reviews/{review}/queue"): ID,
    ("POST", "/reviews/{review}/queue"): ID,
    ("GET", "/reviews/{review}/export"): ID,
    ("POST", "/reviews/{review}/export"): ID,
    ("GET", "/reviews/{review}/coverage"): ID,
    ("GET", "/reviews/{review}/ratings"): ID,
    ("POST", "/reviews/{review}/ratings"): ID,
    ("POST", "/reviews/{review}/ratings/table"): ID,
    ("GET", "/reviews/{review}/ratings/{kind}"): ID,
    ("GET", "/reviews/{review}/questions/{ref:path}"): ID,
    ("POST", "/reviews/{review}/questions/{ref:path}"): ID,
    ("GET", "/runs/{run}/trace/{ref:path}"): ID,
    ("GET", "/evidence"): BOOKS,
    ("POST", "/evidence"): BOOKS,
    ("GET", "/evidence/{file:path}"): "the index that the service was opened with",
    ("GET", "/controls"): BOOKS,
    ("POST", "/controls"): BOOKS,
    ("GET", "/controls/{control}"): BOOKS,
    ("GET", "/recall"): BOOKS,
    ("GET", "/library"): BOOKS,
    ("POST", "/library"): BOOKS,
    ("GET", "/recordings"): BOOKS,
    ("GET", "/reports"): "the folder of the workspace that the service was opened with",
    ("GET", "/reports/{report}"): "the folder of the workspace that the service was opened with",
    ("GET", "/reports/{report}/{file}"): "the folder of the workspace that the service was opened with",
    ("GET", "/trust"): BOOKS,
    ("GET", "/trust/models"): BOOKS,
    ("GET", "/trust/records"): BOOKS,
    ("GET", "/trust/of/{subject:path}"): BOOKS,
    ("GET", "/people"): BOOKS,
    ("POST", "/people"): BOOKS,
}
UNKNOWN = "R-0123456789ab"
WHOLE = (
    *("/", "/reviews", "/evidence", "/controls", "/recall", "/library", "/recordings", "/reports"),
    *("/trust", "/trust/models", "/trust/records", "/trust/of/answer"),
    *("/v1/trust", "/v1/trust/records", "/v1/trust/subjects/answer", "/v1/reputations"),
)
"""Pages over all that an organisation has."""
Clients = dict[str, TestClient]
Organisations = dict[str, Organisation]


@pytest.fixture(scope="module")
def clients(organisations: Organisations) -> Iterator[Clients]:
    """The services of all three in one process."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(
                TestClient(make_app(org.office), base_url="http://127.0.0.1:8700", headers=bearer(org), raise_server_exceptions=False)
            )
            for name, org in organisations.items()
        }


def test_every_route_has_a_declared_scope(organisations: Organisations) -> None:
    routes = {(method, str(route.path)) for route in make_app(organisations["alder"].office).routes for method in route.methods}  # type: ignore[attr-defined]
    assert {route for route in routes if route[0] != "HEAD"} == set(SCOPES), "say what binds it to one organisation, and try it here"


def addresses(org: Organisation) -> list[str]:
    """Everything that can be read with ids of one organisation."""
    reviews = [f"/v1/reviews/{review.id}" for review in (org.common, org.own)]
    questions = [f"/v1/reviews/{org.common.id}/questions/K-2", f"/v1/reviews/{org.own.id}/questions/{org.canary}-1"]
    questions += [f"{question}/follow-ups" for question in questions]
    pages = [
        f"/reviews/{review.id}{part}"
        for review in (org.common, org.own)
        for part in ("", f"/rows?ref={org.canary}-1", "/mapping", "/queue", "/export", "/coverage", "/ratings", "/ratings/blank")
    ]
    pages += [f"/reviews/{org.common.id}/questions/K-2", f"/reviews/{org.own.id}/questions/{org.canary}-1"]
    pages += [f"/runs/{org.own_run}/trace/{org.canary}-1", f"/v1/runs/{org.own_run}/trace/{org.canary}-1"]
    return [*reviews, *questions, *pages, *(f"/v1/runs/{run}{part}" for run in (org.run, org.own_run) for part in ("", "/events"))]


def test_every_address_shows_the_own_canary_and_no_other(organisations: Organisations, clients: Clients) -> None:
    for name, org in organisations.items():
        seen = {address: clients[name].get(address).content for address in ["/v1/reviews", "/healthz", "/readyz", *WHOLE, *addresses(org)]}
        foreign = [canary(other).encode() for other in organisations if other != name]
        assert [address for address, body in seen.items() if any(word in body for word in foreign)] == []
        assert [address for address, body in seen.items() if org.own.id in address and org.canary.encode() not in body] == []
        assert org.canary.encode() in seen[f"/v1/reviews/{org.common.id}"]
        assert org.canary.encode() in seen["/v1/reviews"]


def test_a_foreign_id_is_refused_like_an_unknown_one_byte_for_byte(organisations: Organisations, clients: Clients) -> None:
    tried = 0
    for name, client in clients.items():
        for other in organisations.values():
            for address in [a for a in addresses(other) if other.own.id in a and other.name != name]:
                foreign, unknown = client.get(address), client.get(address.replace(other.own.id, UNKNOWN))
                assert (foreign.status_code, foreign.content) == (404, unknown.content)
                assert dict(foreign.headers) == dict(unknown.headers)
                tried += 1
    assert tried == 3 * 2 * (5 + 11)


def test_a_token_of_one_organisation_opens_nothing_of_another(organisations: Organisations, clients: Clients) -> None:
    """The same names and roles are in each; only the books differ."""
    alder, birch = organisations["alder"], organisations["birch"]
    headers = bearer(alder)
    assert clients["alder"].get("/v1/me", headers=headers).json()["person"] == "Ana"
    before = [birch.office.ledger.latest_approvals(birch.own.id), birch.office.ledger.audit()]
    tag = {"If-Match": f'"{birch.office.ledger.latest_answers(birch.common.id)["K-2"].digest}"'}
    for verb, address in (("GET", "/v1/me"), ("POST", f"/v1/reviews/{birch.common.id}/questions/K-2/approval")):
        known = clients["birch"].request(verb, address, headers={**headers, **tag})
        unknown = clients["birch"].request(verb, address, headers={"Authorization": "Bearer nothing", **tag})
        assert (known.status_code, known.content) == (401, unknown.content)
    assert [birch.office.ledger.latest_approvals(birch.own.id), birch.office.ledger.audit()] == before


@pytest.mark.parametrize("verb", ["resume", "pause", "cancel"])
def test_a_foreign_run_is_steered_by_nobody(organisations: Organisations, clients: Clients, verb: str) -> None:
    birch = organisations["birch"]
    before = [run.model_dump() for run in birch.office.ledger.runs(birch.own.id)]
    foreign = clients["alder"].post(f"/v1/runs/{birch.own_run}/{verb}")
    unknown = clients["alder"].post(f"/v1/runs/{UNKNOWN}.1/{verb}")
    assert (foreign.status_code, foreign.content) == (404, unknown.content)
    own = clients["birch"].post(f"/v1/runs/{birch.own_run}/{verb}")
    assert own.status_code == 409  # there it is known, and over
    assert [run.model_dump() for run in birch.office.ledger.runs(birch.own.id)] == before


@pytest.mark.parametrize("last", ["1", "7", "999999", "-1", "x", ""])
def test_a_stream_of_a_foreign_run_is_refused_whatever_event_it_was_last_at(
    organisations: Organisations, clients: Clients, last: str
) -> None:
    birch = organisations["birch"]
    headers = {"Last-Event-ID": last}
    foreign = clients["alder"].get(f"/v1/runs/{birch.own_run}/events", headers=headers)
    unknown = clients["alder"].get(f"/v1/runs/{UNKNOWN}.1/events", headers=headers)
    later = clients["alder"].get(f"/v1/runs/{birch.own.id}.2/events", headers=headers)
    assert foreign.status_code in (400, 404)
    assert foreign.content == unknown.content == later.content


def test_a_stream_goes_on_from_the_own_events_only(organisations: Organisations, clients: Clients) -> None:
    for name, org in organisations.items():
        whole = clients[name].get(f"/v1/runs/{org.own_run}/events").text
        rest = clients[name].get(f"/v1/runs/{org.own_run}/events", headers={"Last-Event-ID": "2"}).text
        assert whole.endswith(rest)
        assert (org.canary in whole, whole.count("event: "), rest.count("event: ")) == (
            True,
            rest.count("event: ") + 2,
            whole.count("event: ") - 2,
        )


def test_nobody_asks_back_in_another_organisation_or_hears_what_was_asked_there(organisations: Organisations, clients: Clients) -> None:
    birch = organisations["birch"]
    asked = f"/v1/reviews/{birch.own.id}/questions/{birch.canary}-1"
    tag = {"If-Match": clients["birch"].get(asked).headers["etag"]}
    words = {"text": f"For how many days does {birch.canary} keep them?"}
    foreign = clients["alder"].post(f"{asked}/follow-ups", json=words, headers=tag)
    unknown = clients["alder"].post(f"{asked.replace(birch.own.id, UNKNOWN)}/follow-ups", json=words, headers=tag)
    assert (foreign.status_code, foreign.content) == (404, unknown.content)
    assert {name: org.office.ledger.follow_ups(birch.own.id) for name, org in organisations.items()} == dict.fromkeys(organisations, ())
    made = clients["birch"].post(f"{asked}/follow-ups", json=words, headers=tag).json()
    assert "run_finished" in clients["birch"].get(made["events"]).text
    case = f"/v1/reviews/{made['review']}/questions/{made['question'].replace('+', '%2B')}"
    for address in (made["status"], made["events"], case, f"{case}/follow-ups", case.removeprefix("/v1"), f"/reviews/{made['review']}"):
        assert birch.canary in clients["birch"].get(address).text, address
        for name in ("alder", "cedar"):
            told, nothing = clients[name].get(address), clients[name].get(address.replace(made["review"], "F-0123456789ab"))
            assert (told.status_code, told.content) == (404, nothing.content), address


def test_an_upload_makes_a_review_with_its_uploader_alone(organisations: Organisations, clients: Clients) -> None:
    data = b"ID,Question,Answer\r\nUP-1,Are audit logs kept for at least one year?,\r\n"
    before = {name: clients[name].get("/v1/reviews").json()["reviews"] for name in clients}
    made = clients["birch"].post("/v1/reviews", files={"file": ("questions.csv", data)})
    assert made.status_code == 202
    stream = clients["birch"].get(made.json()["events"]).text
    assert "run_finished" in stream
    after = {name: clients[name].get("/v1/reviews").json()["reviews"] for name in clients}
    assert {name for name in clients if after[name] != before[name]} == {"birch"}
    for name in ("alder", "cedar"):
        assert clients[name].get(made.json()["status"]).status_code == 404
        assert clients[name].get(made.json()["events"]).status_code == 404
