"""The `http` collector: JSON over HTTPS from an interface of a system, values by JMESPath, page after page. LIVE.

Guarded against requests that lead inside: hosts of the allow-list only, resolved once, connected to the vetted address under the right
name, no redirect followed, no proxy, no other origin on a further page. Time, size, pages and attempts are bounded.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import SplitResult, urlsplit

from trustops.collectors.ground import Ground, place, whole
from trustops.collectors.pages import Paging, joined
from trustops.collectors.reading import Reading, inside
from trustops.collectors.selecting import document, exact_values, live, searched
from trustops.collectors.vetting import HTTPS, Resolve, resolved, vetted
from trustops.domain.authenticity import SourceMode
from trustops.domain.control import Control, ControlSource
from trustops.domain.errors import MalformedFile, TrustOpsError, Unavailable

if TYPE_CHECKING:
    import httpx2

LARGEST = 4 * 1024 * 1024
"""Bytes of one response."""
ATTEMPTS = 3
PAUSE_S = 0.2
"""Before the second attempt; doubled before each further one."""
SECONDS, LONGEST_S = 30, 120
"""For all of a reading once its host is resolved: connections, attempts and pages."""
PASSING = frozenset({429, 502, 503, 504})
"""Statuses that another attempt may cure."""

Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class _Asked:
    """One source, ready to be asked: `address` is vetted, `headers` hold the credential."""

    where: str
    url: SplitResult
    address: str
    headers: dict[str, str]
    trust: ssl.SSLContext
    paging: Paging
    seconds: int
    secret: str


class HttpCollector:
    """Reads an interface over HTTPS at the moment it is asked: LIVE."""

    name: ClassVar[str] = "http"
    source_mode: ClassVar[SourceMode] = SourceMode.LIVE

    def __init__(self, resolve: Resolve = resolved, pause: Pause = asyncio.sleep) -> None:
        self._resolve, self._pause = resolve, pause

    def read(self, control: Control, source: ControlSource, ground: Ground) -> Reading:
        """The reading. Raises MalformedFile for a wrong setting or a response that is no reading, UsageError for a host that may not be
        reached or a variable that is not set, Unavailable where the source does not answer."""
        asked = self._asked(control, source, ground)
        with ThreadPoolExecutor(1) as apart:  # a caller may stand in a loop of its own
            data, raw = apart.submit(asyncio.run, self._within(asked)).result()
        found = searched(source.settings["values"], data, place(control, source, "values"))
        values = exact_values(found, asked.where)
        if asked.secret and any(isinstance(value, str) and asked.secret in value for value in values.values()):
            raise MalformedFile("the source repeats the credential in its values", where=asked.where, remedy="Select other values.")
        return live(control, values, ground.now, raw)

    def _asked(self, control: Control, source: ControlSource, ground: Ground) -> _Asked:
        at, settings = place(control, source, "url"), source.settings
        url = _https(settings["url"], at)
        headers, secret = _credential(control, source, ground)
        return _Asked(
            where=f"{place(control, source)}, {url.hostname}{url.path}",
            url=url,
            address=vetted(url.hostname or "", url.port or HTTPS, ground.permits.hosts, at, self._resolve),
            headers=headers,
            trust=_trust(control, source, ground),
            paging=Paging.of(control, source),
            seconds=whole(control, source, "timeout", SECONDS, LONGEST_S),
            secret=secret,
        )

    async def _within(self, asked: _Asked) -> tuple[object, bytes]:
        import httpx2  # here and below: a limited child that reads a file imports this package too, and has no use for it

        try:
            async with asyncio.timeout(asked.seconds):
                limits = httpx2.Timeout(min(10, asked.seconds))
                async with httpx2.AsyncClient(verify=asked.trust, trust_env=False, follow_redirects=False, timeout=limits) as client:
                    return await joined(asked.paging, asked.url.geturl(), asked.where, lambda url: self._page(client, asked, url))
        except TimeoutError:
            raise Unavailable(
                f"it did not answer in full within {asked.seconds} seconds",
                where=asked.where,
                remedy="See to the source, or raise timeout.",
            ) from None

    async def _page(self, client: httpx2.AsyncClient, asked: _Asked, url: str) -> tuple[object, bytes, str]:
        """One page as document, bytes and Link header, after at most three attempts."""
        import httpx2

        lost = "nothing"
        for attempt in range(ATTEMPTS):
            if attempt:
                await self._pause(PAUSE_S * 2 ** (attempt - 1))
            try:
                status, raw, link = await _once(client, asked, url)
            except httpx2.TransportError as error:
                lost = f"the connection failed ({type(error).__name__}{_certificate(error)})"
                continue
            if status == 200:
                return document(raw, asked.where), raw, link
            lost = f"it answers {status}"
            if status not in PASSING:
                raise _answered(status, asked.where)
        raise Unavailable(f"{lost}, {ATTEMPTS} times", where=asked.where, remedy="See to the source, then `trustops controls collect`.")


async def _once(client: httpx2.AsyncClient, asked: _Asked, url: str) -> tuple[int, bytes, str]:
    """One request to the vetted address, under the name of the host."""
    import httpx2

    target = httpx2.URL(url)
    headers = {**asked.headers, "Host": target.netloc.decode("ascii")}
    request = client.build_request(
        "GET", target.copy_with(host=asked.address), headers=headers, extensions={"sni_hostname": asked.url.hostname}
    )
    response = await client.send(request, stream=True)
    try:
        if response.status_code != 200:
            return response.status_code, b"", ""
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise MalformedFile("it sends packed content that was not asked for", where=asked.where, remedy="See to the source.")
        raw = bytearray()
        async for part in response.aiter_raw():
            raw += part
            if len(raw) > LARGEST:
                raise MalformedFile(f"a response has more than {LARGEST} bytes", where=asked.where, remedy="Ask for less, or by pages.")
        return 200, bytes(raw), response.headers.get("link", "")
    finally:
        await response.aclose()


def _https(text: str, where: str) -> SplitResult:
    """The URL. Raises MalformedFile for another scheme, a name and password in it, and what has no host."""
    try:
        url = urlsplit(text)
        usable = url.scheme == "https" and url.hostname and url.username is None and url.port != 0 and not url.fragment
        usable = usable and text.isascii() and text.isprintable() and not set(text) & set(" \\")
    except ValueError:
        usable = False
    if not usable:
        raise MalformedFile(
            "the url is not https://HOST/PATH, without a name and password in it",
            where=where,
            remedy="Write it with https and in ASCII; name the credential by token_env.",
        )
    return url


def _credential(control: Control, source: ControlSource, ground: Ground) -> tuple[dict[str, str], str]:
    """The request's headers, and the secret within."""
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "trustops"}
    variable = source.settings.get("token_env")
    if variable is None:
        return headers, ""
    where = place(control, source, "token_env")
    secret = ground.secret(variable, where)
    name, scheme = source.settings.get("header", "Authorization"), source.settings.get("scheme", "Bearer")
    given = f"{scheme} {secret}" if name == "Authorization" else secret
    if not (given.isascii() and given.isprintable() and name.replace("-", "").isalnum() and name.isascii()):
        raise MalformedFile("the credential does not fit a header", where=where, remedy="See what the variable holds.")
    return {**headers, name: given}, secret


def _trust(control: Control, source: ControlSource, ground: Ground) -> ssl.SSLContext:
    """The system's authorities, or the one in the file that `ca` names. A certificate is always checked, against the host's name."""
    if "ca" not in source.settings:
        return ssl.create_default_context()
    where = place(control, source, "ca")
    path = inside(ground.workspace, source.settings["ca"], where)
    try:
        return ssl.create_default_context(cafile=str(path))
    except (OSError, ssl.SSLError):
        raise MalformedFile("the file is not there, or holds no certificate", where=where, remedy="Name a PEM file.") from None


def _certificate(error: BaseException) -> str:
    """That the certificate was the reason, by the library's own words and not the peer's."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return ": the certificate is not one of this host, or of no known authority"
        seen = seen.__cause__ or seen.__context__
    return ""


def _answered(status: int, where: str) -> TrustOpsError:
    if 300 <= status < 400:
        return MalformedFile(f"it answers {status}, and no redirect is followed", where=where, remedy="Write the final url.")
    if status in (401, 403):
        return Unavailable(f"it answers {status}: the credential is not accepted", where=where, remedy="Renew what token_env names.")
    return Unavailable(f"it answers {status}", where=where, remedy="Correct the url, or see to the source.")
