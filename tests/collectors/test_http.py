"""Harm: a request leads inside the network, a credential leaks, half a directory is counted as all of it, a slow peer stops the run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.directory import NAME, TOKEN, Directory, directory
from tests.collectors.test_collect import control
from trustops.collectors import COLLECTORS, attempt, pages
from trustops.collectors.ground import Ground, Permits
from trustops.collectors.http import ATTEMPTS, HttpCollector
from trustops.collectors.reading import Reading
from trustops.domain.authenticity import SourceMode
from trustops.domain.errors import MalformedFile, TrustOpsError, Unavailable, UsageError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
COUNTS = "{eligible: length(items), enrolled: length(items[?mfa])}"


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Directory]:
    with directory(tmp_path) as made:
        yield made


async def no_pause(seconds: float) -> None: ...


def read(there: Directory, path: str, values: str = "{n: n}", host: str = NAME, permits: Permits | None = None, **more: str) -> Reading:
    settings = {"url": there.url(path, host), "values": values, "ca": "authority.pem", **more}
    asked = control(collector="http", settings=settings)
    assert asked.source is not None
    ground = Ground(there.authority.parent, permits or there.permits, NOW)
    return HttpCollector(pause=no_pause).read(asked, asked.source, ground)


PAGING: dict[str, dict[str, str]] = {
    "/linked": {"items": "users", "next": '"@odata.nextLink"'},
    "/relative": {"items": "users", "next": "next"},
    "/headed": {"items": "@", "next": "link-header"},
    "/cursor": {"items": "users", "next": "meta.next", "cursor": "after"},
}


@pytest.mark.parametrize("path", PAGING)
def test_all_pages_are_read_whatever_way_they_are_linked(there: Directory, path: str) -> None:
    found = read(there, path, COUNTS, **PAGING[path])
    assert found.values == {"eligible": 124, "enrolled": 122}
    assert len(there.asked) == 3


def test_the_vetted_address_is_asked_under_the_hosts_name(there: Directory) -> None:
    read(there, "/one", "{enrolled: enrolled}")
    assert there.hosts == [f"{NAME}:{there.port}"]
    assert there.names == [NAME]


def test_a_reading_is_live_and_a_new_one_each_time(there: Directory, tmp_path: Path) -> None:
    asked = control(collector="http", settings={"url": there.url("/one"), "values": "{enrolled: enrolled}", "ca": "authority.pem"})
    first, again = (attempt(asked, tmp_path, at=datetime.now(UTC), permits=there.permits).snapshot for _ in range(2))
    assert first is not None
    assert again is not None
    assert first.source_mode is COLLECTORS["http"].source_mode is SourceMode.LIVE
    assert first.values == again.values
    assert first.sha256 != again.sha256, "else a fresh reading would go stale with the first one"


def test_credentials_are_sent_and_stand_nowhere_else(there: Directory) -> None:
    found = read(there, "/one", "{enrolled: enrolled}", token_env="DIRECTORY_TOKEN")
    read(there, "/one", "{enrolled: enrolled}", token_env="DIRECTORY_TOKEN", scheme="SSWS")
    read(there, "/one", "{enrolled: enrolled}", token_env="DIRECTORY_TOKEN", header="X-Api-Key")
    assert there.credentials == [f"Bearer {TOKEN}", f"SSWS {TOKEN}", TOKEN]
    assert TOKEN.encode() not in found.raw
    for path in ("/locked", "/gone", "/down", "/inside", "/page", "/cut"):
        with pytest.raises(TrustOpsError) as refused:
            read(there, path, token_env="DIRECTORY_TOKEN")
        assert TOKEN not in str(refused.value)
        assert TOKEN not in repr(there.permits)
    with pytest.raises(MalformedFile, match="repeats the credential"):
        read(there, "/one", "{echo: echo}", token_env="DIRECTORY_TOKEN")


@pytest.mark.parametrize("variable", ["NOT_SET", "ANTHROPIC_API_KEY", "openai_api_key", "TRUSTOPS_KEY_PASSPHRASE", f"{TOKEN}", "A B", ""])
def test_only_a_variable_of_the_source_is_sent(there: Directory, variable: str) -> None:
    known = dict.fromkeys(("ANTHROPIC_API_KEY", "openai_api_key", "TRUSTOPS_KEY_PASSPHRASE"), "secret")
    with pytest.raises(UsageError) as refused:
        read(there, "/one", "{n: enrolled}", permits=Permits(there.permits.hosts, environment=known), token_env=variable)
    assert "source.token_env" in refused.value.where
    assert there.asked == []


FAULTS: dict[str, tuple[type[TrustOpsError], str]] = {
    "/inside": (MalformedFile, "no redirect is followed"),
    "/loop": (MalformedFile, "no redirect is followed"),
    "/locked": (Unavailable, "credential is not accepted"),
    "/gone": (Unavailable, "404"),
    "/page": (MalformedFile, "not JSON"),
    "/twice": (MalformedFile, "twice"),
    "/nan": (MalformedFile, "not JSON"),
    "/deep": (MalformedFile, "not JSON"),
    "/packed": (MalformedFile, "packed"),
    "/huge": (MalformedFile, "bytes"),
}


@pytest.mark.parametrize("path", FAULTS)
def test_a_fault_is_a_sentence_and_no_reading(there: Directory, path: str) -> None:
    kind, words = FAULTS[path]
    with pytest.raises(kind, match=words) as refused:
        read(there, path)
    assert "control mfa" in refused.value.where
    assert refused.value.remedy
    assert there.asked == [path], "asked once, and nothing else"


@pytest.mark.parametrize("path", ["/slow", "/silent"])
def test_a_peer_that_drips_or_sleeps_is_left(there: Directory, path: str) -> None:
    with pytest.raises(Unavailable, match="within 1 seconds"):
        read(there, path, timeout="1")


def test_what_passes_is_tried_again_and_what_stays_is_given_up(there: Directory) -> None:
    assert read(there, "/shy").values == {"n": 1}
    there.asked.clear()
    with pytest.raises(Unavailable, match=f"503, {ATTEMPTS} times"):
        read(there, "/down")
    with pytest.raises(Unavailable, match="connection failed"):
        read(there, "/cut")
    assert there.asked == ["/down"] * ATTEMPTS + ["/cut"] * ATTEMPTS


@pytest.mark.parametrize(
    ("path", "words"),
    [("/endless", "do not end"), ("/round", "do not end"), ("/elsewhere", "another host"), ("/downgraded", "another host")],
)
def test_pages_without_an_end_or_of_another_host_are_no_reading(
    there: Directory, path: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST", 7)
    with pytest.raises(MalformedFile, match=words):
        read(there, path, COUNTS, items="users", next="next", token_env="DIRECTORY_TOKEN")
    assert all(asked.startswith(path) for asked in there.asked)


@pytest.mark.parametrize("more", [{"items": "users"}, {"next": "next"}, {"items": "users", "next": "link-header", "cursor": "after"}])
def test_half_a_paging_is_refused_before_anything_is_asked(there: Directory, more: dict[str, str]) -> None:
    with pytest.raises(MalformedFile, match="paging"):
        read(there, "/linked", COUNTS, **more)
    assert there.asked == []


@pytest.mark.parametrize(
    "values",
    [
        "{r: rate}",
        "{n: none}",
        "{l: list}",
        "{h: huge}",
        "{e: no_such}",
        "enrolled",
        "list",
        "{n: length(enrolled)}",
        "{n: ",
        "{t: text}",
        "`{}`",
    ],
)
def test_only_exact_values_come_out_of_a_response(there: Directory, values: str) -> None:
    with pytest.raises(MalformedFile):
        read(there, "/one", values)


def test_the_certificate_must_be_the_hosts_and_of_a_known_authority(there: Directory, tmp_path: Path) -> None:
    other = Permits(hosts=(f"other.example:{there.port}=127.0.0.1",))
    with pytest.raises(Unavailable, match="certificate"):
        read(there, "/one", host="other.example", permits=other)
    with pytest.raises(Unavailable, match="certificate"):
        _without_authority(there)
    assert there.asked == []
    (tmp_path / "empty.pem").write_text("nothing")
    for ca in ("empty.pem", "missing.pem", "../authority.pem"):
        with pytest.raises(MalformedFile):
            read(there, "/one", ca=ca)


def _without_authority(there: Directory) -> None:
    asked = control(collector="http", settings={"url": there.url("/one"), "values": "{n: enrolled}"})
    assert asked.source is not None
    HttpCollector(pause=no_pause).read(asked, asked.source, Ground(there.authority.parent, there.permits, NOW))


@pytest.mark.parametrize(
    "url",
    [
        "http://directory.example/", "ftp://directory.example/", "https://", "https:///x", "https://user:word@directory.example/",
        "https://directory.example:0/", "https://directory.example:99999/", "https://directory.example/#x", "https://directory.example/ x",
        "https://dırectory.example/", "https://directory.example\\@127.0.0.1/", "//directory.example/", "file:///etc/passwd",
        "https://[::1/",
    ],
)  # fmt: skip
def test_a_url_that_is_not_plain_https_is_refused(there: Directory, url: str) -> None:
    asked = control(collector="http", settings={"url": url, "values": "{n: n}"})
    assert asked.source is not None
    with pytest.raises(MalformedFile) as refused:
        HttpCollector().read(asked, asked.source, Ground(there.authority.parent, Permits(hosts=("directory.example",)), NOW))
    assert "word" not in str(refused.value).replace("password", "")
    assert there.asked == []


def test_it_reads_from_within_a_running_loop(there: Directory) -> None:
    """The service collects inside of one."""

    async def within() -> Any:
        return read(there, "/one", "{enrolled: enrolled}").values

    assert asyncio.run(within()) == {"enrolled": 122}


def test_no_proxy_of_the_environment_stands_between(there: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert read(there, "/one", "{enrolled: enrolled}").values == {"enrolled": 122}
