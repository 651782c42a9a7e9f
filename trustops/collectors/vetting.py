"""Which address a host may be reached at: on the allow-list, resolved once, and never inside (lessons.md, "Web surface").

A name is vetted by what it resolves to, not by how it is written: 2130706433, 0177.0.0.1 and a name that points inside are one thing.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from trustops.domain.errors import UsageError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Iterable[str]]
HTTPS = 443
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_METADATA = ipaddress.ip_address("fd00:ec2::254")
"""The metadata service of a cloud by its IPv6 address, which is no link-local one."""
_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?", re.IGNORECASE)
_REMEDY = 'Enter it under [collectors] in trustops.toml, such as hosts = ["directory.example"].'


@dataclass(frozen=True, slots=True)
class Permitted:
    """One entry of the allow-list, NAME[:PORT][=ADDRESS]. An address pins the name; only so, or as the name itself, is an inside
    address reached."""

    host: str
    port: int
    address: Address | None


def resolved(host: str, port: int) -> Iterable[str]:
    """Every address of a name, by the system's resolver."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def vetted(host: str, port: int, allowed: Iterable[str], where: str, resolve: Resolve = resolved) -> str:
    """The address to connect to. Raises UsageError for a host that is not on the list, and for one with any address that is not public.

    The name is resolved here and nowhere else: whoever connects uses this address, so that a second answer of the resolver changes nothing.
    """
    entry = next((e for e in map(permitted, allowed) if (e.host, e.port) == (host, port)), None)
    if entry is None:
        raise UsageError(f"the host {host}:{port} is not on the allow-list", where=where, remedy=_REMEDY)
    if entry.address is not None:
        return str(entry.address)
    if _NUMBERS.fullmatch(host):
        raise _refused(f"{host} is an address in disguise", where)
    try:
        found = [ipaddress.ip_address(text) for text in resolve(host, port)]
    except (OSError, ValueError, UnicodeError):
        raise UsageError(f"the host {host} has no address", where=where, remedy="Correct the url, or see to the name service.") from None
    inside = [address for address in found if not _public(address)]
    if inside or not found:
        raise _refused(f"{host} resolves to {inside[0] if inside else 'nothing'}, which is not a public address", where)
    return str(found[0])


def permitted(text: str) -> Permitted:
    """An entry of the allow-list. Raises UsageError for another form, and for an address that no entry opens."""
    where = "trustops.toml, collectors.hosts"
    name, _, pinned = text.strip().lower().partition("=")
    matched = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^\[\]:/@\s=]+)(?::(\d{1,5}))?", name)
    if not matched or not 0 < int(matched[2] or HTTPS) < 65536:
        raise UsageError(f"{text!r} is no host", where=where, remedy="Write NAME, NAME:PORT or NAME:PORT=ADDRESS.")
    host = matched[1].strip("[]").rstrip(".")
    address = _literal(pinned.strip("[] ") or host)
    if pinned and address is None:
        raise UsageError(f"{pinned!r} is no address", where=where, remedy="Write it as 10.1.2.3.")
    if address is not None and not _may_be_opened(address):
        raise UsageError(f"{address} is opened by no setting", where=where, remedy="Link-local, mapped and reserved addresses stay shut.")
    return Permitted(host, int(matched[2] or HTTPS), address)


def _literal(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _public(address: Address) -> bool:
    return address.is_global and not address.is_multicast and not _carries_another(address)


def _carries_another(address: Address) -> bool:
    """IPv6 forms with an IPv4 address within: mapped, 6to4, Teredo and NAT64 lead where that one leads."""
    if isinstance(address, ipaddress.IPv4Address):
        return False
    return any((address.ipv4_mapped, address.sixtofour, address.teredo, address in _NAT64))


def _may_be_opened(address: Address) -> bool:
    """Loopback and private addresses, by name of the operator; never the metadata service of a cloud and its like."""
    shut = address.is_link_local or address.is_multicast or address.is_unspecified or address == _METADATA or _carries_another(address)
    return not shut and (address.is_loopback or not address.is_reserved)


def _refused(what: str, where: str) -> UsageError:
    return UsageError(what, where=where, remedy="An inside address is reached only where hosts pins it: NAME:PORT=ADDRESS.")


def same_origin(first: Any, other: Any) -> bool:
    """Two split URLs of one scheme, host and port."""
    return bool(
        (first.scheme, first.hostname, first.port or HTTPS) == (other.scheme, other.hostname, other.port or HTTPS) and not other.username
    )
