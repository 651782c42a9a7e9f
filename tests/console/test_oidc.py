"""Harm: somebody signs in with a token that the provider did not make for them, for us, or for this browser (public bug 26)."""

from __future__ import annotations

import base64
import hmac
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.testclient import TestClient

from tests.conftest import House, _close, _open
from tests.console.provider import CLIENT, SECRET, Provider, providing
from trustops import assembly, settings
from trustops.console import oidc
from trustops.console.app import make_app
from trustops.domain.errors import MalformedFile
from trustops.operations.office import SingleSignOn

LOCAL = "http://127.0.0.1:8700"
OUTSIDE = httpx2.Client(verify=False, limits=httpx2.Limits(max_keepalive_connections=0))
"""The part of a browser that talks to the provider."""


@pytest.fixture(scope="module")
def idp() -> Iterator[Provider]:
    with providing() as made:
        yield made


@pytest.fixture(autouse=True)
def honest(idp: Provider) -> None:
    """Each test begins with a provider that does everything right."""
    idp.person = {"email": "ana@kestrel.example", "email_verified": True, "name": "Ana"}
    idp.change, idp.sign, idp.metadata = (lambda claims: claims), None, {}


@pytest.fixture(scope="module")
def kestrel(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("oidc") / "kestrel"
    shutil.copytree(reviewed, folder)
    made = _open(folder)
    yield made
    _close(made)


@pytest.fixture
def app(kestrel: House, idp: Provider) -> Any:
    return make_app(kestrel.with_office(single_sign_on=SingleSignOn(idp.url, CLIENT, "name", SECRET)).office)


def jar(app: Any) -> TestClient:
    return TestClient(app, base_url=LOCAL, raise_server_exceptions=False, follow_redirects=False)


def there(client: TestClient, **query: str) -> str:
    """Where the provider leads back to, after the person was there."""
    led = client.get("/sign-in/oidc", params={"next": "/v1/me", **query})
    assert led.status_code == 303
    return OUTSIDE.get(led.headers["location"], follow_redirects=False).headers["location"]


def back(client: TestClient, address: str, **change: str) -> Any:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    return client.get("/sign-in/oidc/callback", params={**asked, **change})


def refused(kestrel: House, client: TestClient, answer: Any, says: str = oidc.FAILED) -> None:
    assert answer.status_code == 401
    assert says in answer.text
    assert not any(name.startswith("trustops-session") for name in client.cookies)
    assert client.get("/v1/me").status_code == 401
    assert kestrel.office.ledger.sessions("Dee") == ()


def test_who_signed_in_at_the_provider_is_signed_in_here(kestrel: House, app: Any) -> None:
    client = jar(app)
    assert "identity provider" in client.get("/sign-in").text
    entered = back(client, there(client))
    assert (entered.status_code, entered.headers["location"]) == (303, "/v1/me")
    assert client.get("/v1/me").json()["person"] == "Ana"
    last = kestrel.office.ledger.audit()[-1]
    assert (last.kind, last.actor, (last.payload or {})["how"]) == ("signed_in", "Ana", "oidc")


def other_key() -> RSAKey:
    return RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True)


def of_mine(claims: dict[str, Any]) -> str:
    """A forged token that brings its own key along in its header (CVE-2026-27962)."""
    mine = other_key()
    return jwt.encode({"alg": "RS256", "kid": "one", "jwk": mine.as_dict(private=False)}, claims, mine)


def packed(*parts: dict[str, Any]) -> str:
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


def unsigned(claims: dict[str, Any]) -> str:
    return f"{packed({'alg': 'none'}, claims)}."


def with_the_public_key(idp: Provider) -> Callable[[dict[str, Any]], str]:
    """As if the published key were a password that both share; a library that takes the algorithm from the token believes it."""

    def sign(claims: dict[str, Any]) -> str:
        told = packed({"alg": "HS256", "kid": "one"}, claims)
        mac = hmac.new(idp.key.as_pem(private=False), told.encode(), "sha256").digest()
        return f"{told}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"

    return sign


FORGED: dict[str, Callable[[Provider], Callable[[dict[str, Any]], str]]] = {
    "another key": lambda idp: lambda claims: jwt.encode({"alg": "RS256", "kid": "one"}, claims, other_key()),
    "a key of its own": lambda idp: of_mine,
    "no signature": lambda idp: unsigned,
    "the public key as a password": with_the_public_key,
    "a key that nobody published": lambda idp: lambda claims: jwt.encode({"alg": "RS256", "kid": "two"}, claims, idp.key),
    "nothing": lambda idp: lambda claims: "",
    "no token": lambda idp: lambda claims: "a.b.c",
}


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_token_signs_nobody_in(kestrel: House, app: Any, idp: Provider, how: str) -> None:
    idp.sign = FORGED[how](idp)
    client = jar(app)
    refused(kestrel, client, back(client, there(client)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://evil.example"},
        {"aud": "somebody else"},
        {"aud": [CLIENT, "somebody else"]},
        {"azp": "somebody else"},
        {"exp": 1},
        {"iat": None},
        {"nonce": "of another request"},
        {"nonce": None},
        {"name": ["Ana"]},
        {"name": None},
        {"sub": None},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_request_signs_nobody_in(kestrel: House, app: Any, idp: Provider, wrong: dict[str, Any]) -> None:
    idp.change = lambda claims: {name: value for name, value in {**claims, **wrong}.items() if value is not None}
    client = jar(app)
    refused(kestrel, client, back(client, there(client)))


def test_who_is_not_among_the_people_is_told_so(kestrel: House, app: Any, idp: Provider) -> None:
    idp.person = {"name": "Mallory"}
    client = jar(app)
    refused(kestrel, client, back(client, there(client)), "this organisation does not")


def test_an_address_that_is_not_verified_names_nobody(kestrel: House, idp: Provider) -> None:
    people = {**kestrel.office.people, "ana@kestrel.example": next(iter(kestrel.office.people.values()))}
    house = kestrel.with_office(single_sign_on=SingleSignOn(idp.url, CLIENT, "email", SECRET), people=people)
    for verified, status in ((False, 401), ("true", 401), (None, 401), (True, 303)):
        idp.person = {"email": "ana@kestrel.example", "email_verified": verified}
        client = jar(make_app(house.office))
        assert back(client, there(client)).status_code == status


def test_what_another_browser_began_is_not_finished_here(kestrel: House, app: Any) -> None:
    """Harm: a page signs its visitor in as somebody else, who then sees what the visitor writes."""
    attacker, victim = jar(app), jar(app)
    address = there(attacker)
    refused(kestrel, victim, back(victim, address))
    there(victim)  # the victim has begun one of its own
    refused(kestrel, victim, back(victim, address))


def test_a_way_back_works_once(kestrel: House, app: Any) -> None:
    client = jar(app)
    address = there(client)
    cookie = client.cookies["trustops-oidc"]
    assert back(client, address).status_code == 303
    again = jar(app)
    again.cookies.set("trustops-oidc", cookie)
    refused(kestrel, again, back(again, address))


@pytest.mark.parametrize("change", [{"state": "x"}, {"state": ""}, {"code": ""}, {"code": "x"}, {"iss": "https://evil.example"}], ids=str)
def test_a_way_back_that_was_changed_leads_nowhere(kestrel: House, app: Any, change: dict[str, str]) -> None:
    client = jar(app)
    refused(kestrel, client, back(client, there(client), **change))


def test_the_way_back_ends_after_ten_minutes(kestrel: House, app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = jar(app)
    address = there(client)
    now = oidc.monotonic()
    monkeypatch.setattr(oidc, "monotonic", lambda: now + oidc.LASTS_S + 1)  # the provider's loop waits by the other
    answer = back(client, address)
    assert (answer.status_code, "begin again" in answer.text) == (401, True)


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"jwks_uri": "ftp://x"},
        {"jwks_uri": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"padding": "x" * oidc.LARGEST},
    ],
    ids=lambda told: str(told)[:40],
)
def test_a_provider_that_leads_elsewhere_is_not_followed(app: Any, idp: Provider, metadata: dict[str, Any]) -> None:
    idp.metadata = metadata
    answer = jar(app).get("/sign-in/oidc")
    assert (answer.status_code, answer.json()["title"]) == (503, "Service Unavailable")


def test_who_is_on_the_way_is_forgotten_in_the_end(kestrel: House, app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc, "MOST", 3)
    client, hosted = jar(app), app.state.organisations["kestrel"]
    for _ in range(6):
        client.get("/sign-in/oidc")
    assert len(hosted.signing_in) == 3


def test_without_a_provider_there_is_no_such_way(kestrel: House) -> None:
    client = jar(make_app(kestrel.office))
    assert client.get("/sign-in/oidc").status_code == 404
    assert "identity provider" not in client.get("/sign-in").text


def test_the_settings_name_the_provider_and_never_its_secret(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = '\n[sign_in.oidc]\nissuer = "https://id.example"\nclient_id = "trustops"\nclient_secret_env = "ID_SECRET"\nclaim = "name"\n'
    with (workspace / "trustops.toml").open("a", encoding="utf-8") as file:
        file.write(told)
    monkeypatch.setenv("ID_SECRET", "kanarienvogel")
    made = assembly.single_sign_on(settings.load(workspace))
    assert made == SingleSignOn("https://id.example", "trustops", "name", "kanarienvogel")
    assert "kanarienvogel" not in repr(made)


@pytest.mark.parametrize("issuer", ["http://id.example", "id.example", "http://127.0.0.1.evil.example/", "ftp://x"])
def test_a_provider_without_tls_is_refused(workspace: Path, issuer: str) -> None:
    with (workspace / "trustops.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[sign_in.oidc]\nissuer = "{issuer}"\nclient_id = "x"\nclient_secret_env = "X"\n')
    with pytest.raises(MalformedFile, match=r"sign_in\.oidc\.issuer"):
        settings.load(workspace)
