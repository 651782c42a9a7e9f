"""Harm: somebody is signed in who should not be, acts beyond their role, or another site acts in their name."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import text
from starlette.testclient import TestClient

from tests.conftest import House, _close, _open
from tests.console.conftest import browser
from trustops.console import people
from trustops.console.app import DOORS, make_app
from trustops.console.doors import ROLES, Door, Need
from trustops.domain import credential
from trustops.domain.approval import Role
from trustops.domain.credential import Scope
from trustops.operations import passwords
from trustops.operations.inviting import invite
from trustops.operations.passwords import set_password
from trustops.operations.sessions import session_of
from trustops.operations.signing_in import issue, revoke

GOOD = "a quiet walk along the river"
PEOPLE = {Role.VIEWER: "Cy", Role.ANALYST: "Bo", Role.APPROVER: "Ana", Role.ADMIN: "Dee"}
LOCAL = "http://127.0.0.1:8700"
PUBLIC = {"/healthz", "/readyz", "/sign-in", "/sign-in/link", "/sign-in/oidc", "/sign-in/oidc/callback", "/organisation"}
"""Where a stranger may come; everything else wants a sign-in."""


@pytest.fixture(scope="module")
def kestrel(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(credential, "N", 2**4)
        patch.setattr(passwords, "HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        passwords._nobodys.cache_clear()
        folder = tmp_path_factory.mktemp("sessions") / "kestrel"
        shutil.copytree(reviewed, folder)
        made = _open(folder)
        for person in PEOPLE.values():
            set_password(made.office, person, f"{GOOD} {person}", by="Dee")
        yield made
        _close(made)
    passwords._nobodys.cache_clear()


@pytest.fixture
def app(kestrel: House) -> Any:
    """A new service of the same books: what it counted before is forgotten."""
    return make_app(kestrel.office)


@pytest.fixture(scope="module")
def running(kestrel: House) -> Iterator[TestClient]:
    """One service for all tests that only knock at doors."""
    with TestClient(make_app(kestrel.office), base_url=LOCAL, raise_server_exceptions=False, follow_redirects=False) as made:
        yield made


@pytest.fixture
def knock(running: TestClient) -> TestClient:
    """A browser that was nowhere yet."""
    running.cookies.clear()
    return running


def jar(app: Any, base: str = LOCAL) -> TestClient:
    return TestClient(app, base_url=base, raise_server_exceptions=False, follow_redirects=False)


def typed(person: str = "Ana", password: str | None = None, **more: str) -> dict[str, str]:
    return {"person": person, "password": f"{GOOD} {person}" if password is None else password, **more}


def ledger_of(house: House) -> list[Any]:
    """How many rows each table holds that a request could have written to."""
    tables = (
        "audit",
        "sessions",
        "session_marks",
        "passwords",
        "links",
        "credentials",
        "runs",
        "answers",
        "approvals",
        "exports",
        "requests",
    )
    counts = ", ".join(f"(SELECT count(*) FROM {name})" for name in tables)
    return list(house.office.ledger.all(text(f"SELECT {counts}"))[0])  # type: ignore[attr-defined]


def address(door: Door, house: House) -> str:
    """A door's address with ids that are there."""
    named = {"review": house.review.id, "ref": "K-2", "run": f"{house.review.id}.1"}
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: named.get(found[1], "nothing"), door.path)


GUARDED = [door for door in DOORS if door.path not in PUBLIC and not door.path.startswith("/static")]
WRITING = [door for door in GUARDED if door.method != "GET"]


def name(door: Door) -> str:
    return f"{door.method} {door.path}"


def test_a_person_signs_in_works_and_signs_out(kestrel: House, app: Any) -> None:
    client = jar(app)
    led = client.get("/")
    assert (led.status_code, led.headers["location"]) == (303, "/sign-in?next=/")
    shown = client.get("/sign-in", params={"next": "/v1/me"})
    assert shown.status_code == 200
    assert 'autocomplete="current-password"' in shown.text
    entered = client.post("/sign-in", data=typed(next="/v1/me"))
    assert (entered.status_code, entered.headers["location"]) == (303, "/v1/me")
    me = client.get("/v1/me").json()
    assert (me["person"], me["role"], me["identity"], me["how"]) == ("Ana", "approver", "authenticated", "session")
    form = re.search(r'name="csrf" value="([0-9a-f]{64})"', client.get("/").text)
    assert form is not None
    assert client.get("/sign-in").status_code == 303
    left = client.post("/sign-out", data={"csrf": form[1]})
    assert (left.status_code, left.headers["location"]) == (303, "/sign-in")
    assert client.get("/v1/me").status_code == 401


def test_what_a_browser_approves_is_authenticated(kestrel: House, app: Any) -> None:
    client = jar(app)
    form = browser(client, kestrel.office, "Ana")
    read = client.get(f"/v1/reviews/{kestrel.review.id}/questions/K-2")
    told = {"If-Match": read.headers["etag"], "X-CSRF-Token": form}
    made = client.post(f"/v1/reviews/{kestrel.review.id}/questions/K-2/approval", headers=told)
    assert (made.status_code, made.json()["by"], made.json()["identity"]) == (200, "Ana", "authenticated")


def test_the_cookie_is_kept_from_scripts_other_sites_and_other_hosts(kestrel: House, app: Any) -> None:
    plain = jar(app).post("/sign-in", data=typed()).headers.get_list("set-cookie")
    session = next(line for line in plain if line.startswith("trustops-session-kestrel="))
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= {part.strip() for part in session.split(";")}
    assert not {"Secure", "Domain"} & {part.strip().partition("=")[0] for part in session.split(";")}
    safe = jar(app, "https://127.0.0.1:8700").post("/sign-in", data=typed()).headers.get_list("set-cookie")
    session = next(line for line in safe if line.startswith("__Host-trustops-session-kestrel="))
    assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= {part.strip() for part in session.split(";")}
    assert "Domain" not in session


def test_a_plain_cookie_counts_for_nothing_over_tls(kestrel: House, app: Any) -> None:
    """Else a page of the same host without TLS could set the session that a person then works in."""
    client = jar(app, "https://127.0.0.1:8700")
    browser(client, kestrel.office, "Ana")
    assert client.get("/v1/me").status_code == 401


def test_a_session_that_was_there_before_the_sign_in_does_not_live_on(kestrel: House, app: Any) -> None:
    client = jar(app)
    browser(client, kestrel.office, "Bo")
    planted = client.cookies["trustops-session-kestrel"]
    client.post("/sign-in", data=typed("Ana"))
    assert client.cookies["trustops-session-kestrel"] != planted
    assert session_of(kestrel.office, planted) is None


@pytest.mark.parametrize(
    "given",
    [
        typed(password="wrong"),
        typed("Nobody"),
        typed("Bo", f"{GOOD} Ana"),
        typed("ana"),
        typed("", ""),
        {},
        typed("Ana", "\0"),
        typed("' OR 1=1--", "x"),
    ],
    ids=str,
)
def test_a_wrong_sign_in_opens_nothing_and_says_the_same(kestrel: House, app: Any, given: dict[str, str]) -> None:
    refused = jar(app).post("/sign-in", data=given)
    assert refused.status_code == 401
    assert "name or password is wrong" in refused.text
    assert "set-cookie" not in refused.headers
    last = kestrel.office.ledger.audit()[-1]
    assert (last.kind, last.actor in {"", *PEOPLE.values()}) == ("sign_in_failed", True)
    assert "OR 1=1" not in str(last.payload)


def test_guessing_is_stopped_whatever_name_it_tries_and_leaves_no_more_on_record(kestrel: House, app: Any) -> None:
    client = jar(app)
    statuses = [client.post("/sign-in", data=typed(f"N{number}", "guess")).status_code for number in range(25)]
    assert statuses == [401] * 20 + [429] * 5
    before = ledger_of(kestrel)
    blocked = client.post("/sign-in", data=typed())
    assert blocked.status_code == 429
    assert 0 < int(blocked.headers["retry-after"]) <= 301
    assert ledger_of(kestrel) == before


def test_guessing_tokens_is_stopped_and_who_has_one_is_not(kestrel: House, app: Any) -> None:
    client = jar(app)
    mine = {"Authorization": f"Bearer {issue(kestrel.with_office(signed_in='Dee').office, 'Ana', by='Dee', label='mine')}"}
    assert client.get("/v1/me", headers=mine).status_code == 200
    wrong = {"Authorization": "Bearer tops_00000000_" + "A" * 43}
    assert [client.get("/v1/me", headers=wrong).status_code for _ in range(22)] == [401] * 20 + [429] * 2
    assert client.get("/v1/me", headers=mine).status_code == 200
    revoke(kestrel.with_office(signed_in="Dee").office, "Ana", by="Dee", label="mine")
    assert client.get("/v1/me", headers=mine).status_code == 401


@pytest.mark.parametrize("door", GUARDED, ids=name)
def test_a_stranger_comes_through_no_door(kestrel: House, knock: TestClient, door: Door) -> None:
    before = ledger_of(kestrel)
    refused = knock.request(door.method, address(door, kestrel))
    if door.page and door.method == "GET":
        assert (refused.status_code, refused.headers["location"].partition("?")[0]) == (303, "/sign-in")
    else:
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, people.CHALLENGE["WWW-Authenticate"])
    assert ledger_of(kestrel) == before


@pytest.mark.parametrize("door", [door for door in DOORS if door.method != "GET" and door.form], ids=name)
@pytest.mark.parametrize("sent", [{}, {"csrf": "0" * 64}, {"csrf": "ü"}], ids=str)
def test_a_form_that_was_not_made_for_the_session_does_nothing(kestrel: House, knock: TestClient, door: Door, sent: dict[str, str]) -> None:
    client = knock
    browser(client, kestrel.office, "Dee")
    before = ledger_of(kestrel)
    for how in ({"data": sent}, {"json": sent}, {"headers": {"X-CSRF-Token": "0" * 64}, "data": sent}):
        refused = client.request(door.method, address(door, kestrel), **how)  # type: ignore[arg-type]
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:trustops:problem:foreign-form")
    assert ledger_of(kestrel) == before


def test_the_form_token_of_one_session_is_nothing_in_another(kestrel: House, app: Any) -> None:
    one, two = jar(app), jar(app)
    form = browser(one, kestrel.office, "Ana")
    browser(two, kestrel.office, "Ana")
    assert two.post("/sign-out", data={"csrf": form}).status_code == 403
    assert one.post("/sign-out", data={"csrf": form}).status_code == 303


@pytest.mark.parametrize("door", GUARDED, ids=name)
def test_every_door_is_closed_to_the_roles_that_it_is_not_for(kestrel: House, knock: TestClient, door: Door) -> None:
    client = knock
    for role, person in PEOPLE.items():
        if role in ROLES[door.need]:
            continue
        client.cookies.clear()
        form = browser(client, kestrel.office, person)
        before = ledger_of(kestrel)
        refused = client.request(door.method, address(door, kestrel), headers={"X-CSRF-Token": form})
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:trustops:problem:not-allowed")
        assert ledger_of(kestrel) == before


@pytest.mark.parametrize("door", [door for door in WRITING if not door.page and door.need is not Need.READ], ids=name)
def test_every_writing_door_is_closed_to_a_token_that_only_reads(kestrel: House, knock: TestClient, door: Door) -> None:
    office = kestrel.with_office(signed_in="Dee").office
    token = issue(office, "Dee", by="Dee", label="narrow", scopes=(Scope.READ,))
    before = ledger_of(kestrel)
    refused = knock.request(door.method, address(door, kestrel), headers={"Authorization": f"Bearer {token}"})
    assert (refused.status_code, "this token is for read" in refused.json()["detail"]) == (403, True)
    assert ledger_of(kestrel) == before


@pytest.mark.parametrize(
    "following", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "\\\\evil", "/a\r\nX: y", "", "evil"]
)
def test_a_sign_in_leads_nowhere_else(kestrel: House, app: Any, following: str) -> None:
    entered = jar(app).post("/sign-in", data=typed(next=following))
    assert (entered.status_code, entered.headers["location"]) == (303, "/")


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}], ids=str
)
def test_another_site_signs_nobody_in_or_out(kestrel: House, app: Any, headers: dict[str, str]) -> None:
    client = jar(app)
    form = browser(client, kestrel.office, "Ana")
    for where, data in (("/sign-in", typed()), ("/sign-out", {"csrf": form}), ("/sign-in/link", {"key": "x"})):
        before = ledger_of(kestrel)
        assert client.post(where, data=data, headers=headers).status_code == 403
        assert ledger_of(kestrel) == before


def test_a_link_sets_a_password_once(kestrel: House, app: Any) -> None:
    key = invite(kestrel.with_office(signed_in="Dee").office, "Cy", by="Dee")
    client = jar(app)
    for _ in range(3):  # looking does not use it up
        shown = client.get("/sign-in/link", params={"key": key})
        assert (shown.status_code, "For Cy, kestrel" in shown.text) == (200, True)
    differing = client.post("/sign-in/link", data={"key": key, "password": GOOD, "again": "other"})
    short = client.post("/sign-in/link", data={"key": key, "password": "short", "again": "short"})
    assert (differing.status_code, short.status_code) == (422, 422)
    new = {"key": key, "password": "the other side of the hill", "again": "the other side of the hill"}
    entered = client.post("/sign-in/link", data=new)
    assert entered.status_code == 303
    assert client.get("/v1/me").json()["person"] == "Cy"
    before = ledger_of(kestrel)
    again = jar(app).post("/sign-in/link", data=new)
    assert (again.status_code, "used, replaced or is too old" in again.text) == (404, True)
    assert ledger_of(kestrel) == before
    assert jar(app).post("/sign-in", data=typed("Cy", "the other side of the hill")).status_code == 303
    set_password(kestrel.office, "Cy", f"{GOOD} Cy", by="Dee")


def test_every_answer_is_sealed(kestrel: House, app: Any) -> None:
    client = jar(app)
    for where in ("/sign-in", "/healthz", "/v1/me", "/nowhere", "/"):
        headers = client.get(where).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert (headers["x-content-type-options"], headers["referrer-policy"], headers["cache-control"]) == (
            "nosniff",
            "no-referrer",
            "no-store",
        )
        assert "strict-transport-security" not in headers
    assert jar(app, "https://127.0.0.1:8700").get("/sign-in").headers["strict-transport-security"]


def test_a_name_that_is_typed_is_shown_as_text(app: Any) -> None:
    told = jar(app).post("/sign-in", data=typed('"><script>alert(1)</script>', "x")).text
    assert "<script>" not in told
