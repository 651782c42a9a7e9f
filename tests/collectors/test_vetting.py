"""Harm: a host of the catalogue leads to the metadata service, to loopback or into the private network."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from trustops.collectors.vetting import permitted, vetted
from trustops.domain.errors import UsageError

INSIDE = (
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.254",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::808:808",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
)
PUBLIC = ("8.8.8.8", "2001:4860:4860::8888")


def answering(*addresses: str) -> tuple[list[str], object]:
    asked: list[str] = []

    def resolve(host: str, port: int) -> Iterable[str]:
        asked.append(host)
        return addresses

    return asked, resolve


@pytest.mark.parametrize("address", INSIDE)
def test_a_permitted_name_that_leads_inside_is_refused(address: str) -> None:
    for answer in ((address,), (PUBLIC[0], address)):
        _, resolve = answering(*answer)
        with pytest.raises(UsageError, match="not a public address"):
            vetted("directory.example", 443, ["directory.example"], "here", resolve)  # type: ignore[arg-type]


@pytest.mark.parametrize("address", PUBLIC)
def test_a_name_is_resolved_once_and_its_address_is_what_is_connected(address: str) -> None:
    """A resolver that answers otherwise the second time is not asked a second time."""
    asked, resolve = answering(address)
    assert vetted("directory.example", 443, ["directory.example"], "here", resolve) == address  # type: ignore[arg-type]
    assert asked == ["directory.example"]


@pytest.mark.parametrize("host", ["2130706433", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "127.1", "017700000001", "127.0.0.1."])
def test_an_address_in_disguise_is_refused_even_where_it_is_listed(host: str) -> None:
    asked, resolve = answering(PUBLIC[0])
    with pytest.raises(UsageError):
        vetted(host, 443, [host], "here", resolve)  # type: ignore[arg-type]
    assert asked == []


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [
        ("directory.example", 443, []),
        ("directory.example", 443, ["other.example"]),
        ("directory.example", 8443, ["directory.example"]),
        ("directory.example", 443, ["directory.example:8443"]),
        ("evil.directory.example", 443, ["directory.example"]),
        ("directory.example.evil.example", 443, ["directory.example"]),
        ("127.0.0.1", 443, ["localhost"]),
    ],
)
def test_what_is_not_listed_is_not_even_resolved(host: str, port: int, allowed: list[str]) -> None:
    asked, resolve = answering(PUBLIC[0])
    with pytest.raises(UsageError, match="allow-list"):
        vetted(host, port, allowed, "here", resolve)  # type: ignore[arg-type]
    assert asked == []


@pytest.mark.parametrize(
    "entry",
    [
        "169.254.169.254",
        "a.example=169.254.169.254",
        "a.example=fd00:ec2::254",
        "a.example=::ffff:127.0.0.1",
        "0.0.0.0",
        "a.example=224.0.0.1",
        "[fe80::1]",
        "a.example=nowhere",
        "https://a.example",
        "a.example/x",
        "a.example:0",
        "a.example:99999",
        "",
        "a b",
        "user@a.example",
    ],
)
def test_some_addresses_are_opened_by_no_entry(entry: str) -> None:
    with pytest.raises(UsageError) as refused:
        permitted(entry)
    assert refused.value.where == "trustops.toml, collectors.hosts"


@pytest.mark.parametrize(
    ("entry", "host", "port", "address"),
    [
        ("127.0.0.1:8443", "127.0.0.1", 8443, "127.0.0.1"),
        ("[::1]:8443", "::1", 8443, "::1"),
        ("Directory.Corp.Example=10.1.2.3", "directory.corp.example", 443, "10.1.2.3"),
    ],
)
def test_an_inside_address_is_opened_by_its_entry_alone(entry: str, host: str, port: int, address: str) -> None:
    asked, resolve = answering(PUBLIC[0])
    assert vetted(host, port, [entry], "here", resolve) == address  # type: ignore[arg-type]
    assert asked == []
