"""Harm: passwords and tokens cross a network in the clear, or the service answers to a name that is not its own."""

from __future__ import annotations

import ssl
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
import trustme
from starlette.testclient import TestClient

from tests.console.conftest import bearer, make_office, serving
from trustops.console.app import make_app
from trustops.console.server import Place, Server, address, host_offices, listen
from trustops.domain.errors import UsageError
from trustops.operations.office import Office, SingleSignOn

NAMED = ("trustops.example.com",)


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (Place(), "in the clear"),
        (Place(hosts=NAMED), "in the clear"),
        (Place(certificate=Path("c.pem"), key=Path("k.pem")), "under which names"),
        (Place(proxies=("10.0.0.1",)), "under which names"),
    ],
    ids=["nothing", "a name alone", "TLS without a name", "a proxy without a name"],
)
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7"])
def test_beyond_this_machine_it_listens_with_tls_or_a_proxy_and_a_name_or_not_at_all(host: str, place: Place, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        listen(host, 0, place)
    assert refused.value.remedy


@pytest.mark.parametrize("place", [Place(certificate=Path("c"), key=Path("k"), hosts=NAMED), Place(proxies=("10.0.0.1",), hosts=NAMED)])
def test_with_them_it_listens(place: Place) -> None:
    with listen("0.0.0.0", 0, place) as listening:
        assert address(listening, place).startswith("https://trustops.example.com" if place.encrypted else "http://trustops.example.com")


@pytest.mark.parametrize("place", [Place(certificate=Path("c.pem")), Place(key=Path("k.pem"))])
def test_half_a_certificate_is_none(office: Office, place: Place) -> None:
    with pytest.raises(UsageError, match="belong together"):
        host_offices([office], place, lambda line: None)


def test_a_certificate_that_is_none_is_one_sentence(office: Office, tmp_path: Path) -> None:
    for name in ("c.pem", "k.pem"):
        (tmp_path / name).write_text("nothing", encoding="utf-8")
    with pytest.raises(UsageError, match="certificate"):
        host_offices([office], Place(port=0, certificate=tmp_path / "c.pem", key=tmp_path / "k.pem"), lambda line: None)


def test_a_provider_whose_secret_is_missing_is_said_at_the_start(office: Office) -> None:
    nameless = replace(office, single_sign_on=SingleSignOn("https://id.example", "trustops", "email", ""))
    with pytest.raises(UsageError, match="client_secret_env"):
        host_offices([nameless], Place(port=0), lambda line: None)


def test_it_answers_to_its_own_names_only(office: Office) -> None:
    client = TestClient(make_app(office, hosts=NAMED), base_url="https://trustops.example.com", raise_server_exceptions=False)
    assert client.get("/healthz").status_code == 200
    for other in ("example.com", "trustops.example.com.evil.example", "evil.example", "trustops.example.com@evil.example"):
        assert client.get("/healthz", headers={"Host": other}).status_code == 421
    own = {"Origin": "https://trustops.example.com"}
    assert client.post("/sign-in", data={}, headers=own).status_code == 401
    for origin in ("http://trustops.example.com", "https://evil.example", "https://trustops.example.com:8443"):
        assert client.post("/sign-in", data={}, headers={"Origin": origin}).status_code == 403


def test_over_tls_the_cookie_is_bound_to_the_host(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "both.pem"))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    place = Place(certificate=tmp_path / "both.pem", key=tmp_path / "both.pem")
    office = make_office(tmp_path / "w")
    with serving(office, place, verify=ssl.create_default_context(cafile=tmp_path / "ca.pem")) as service:
        assert service.url.startswith("https://127.0.0.1:")
        assert service.client.get("/v1/me", headers=bearer(office)).status_code == 200
        refused = service.client.post("/organisation", data={"organisation": "northwind"})
        assert refused.headers["set-cookie"].startswith("__Host-trustops-organisation=northwind")
        assert refused.headers["strict-transport-security"]
        service.client.close()  # TLS ends when both sides said so, and this one would not while it waits for the server's end


def test_the_word_of_a_proxy_counts_and_of_nobody_else(office: Office) -> None:
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
    for proxies, prefix in ((("127.0.0.1",), "__Host-trustops"), ((), "trustops"), (("10.0.0.1",), "trustops")):
        server = Server(make_app(office), Place(proxies=proxies))
        server.config.load()
        client = TestClient(server.config.loaded_app, base_url="http://127.0.0.1:8700", client=("127.0.0.1", 5000))  # type: ignore[arg-type]
        with client:
            made = client.post("/organisation", data={"organisation": office.organisation}, headers=told, follow_redirects=False)
        assert made.headers["set-cookie"].startswith(prefix)


def test_the_first_start_says_how_the_first_admin_comes_in(tmp_path: Path) -> None:
    office = make_office(tmp_path / "w")
    said: list[str] = []

    class Stopped(Exception):
        """Instead of serving."""

    def stop(self: object, sockets: object) -> None:
        raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Server, "run", stop)
        with pytest.raises(Stopped):
            host_offices([office], Place(port=0), said.append)
    link = next(line.strip() for line in said if "/sign-in/link?key=" in line)
    client = TestClient(make_app(office), base_url=link.partition("/sign-in")[0], follow_redirects=False)
    shown = client.get(httpx2.URL(link).raw_path.decode())
    assert (shown.status_code, "Dee Example" in shown.text) == (200, True)
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]
