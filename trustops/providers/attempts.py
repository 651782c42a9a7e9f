"""What both SDKs share: our own retry (the SDKs' is off), the words for what failed, and who really served a reply.

Retried: 408, 429, any 5xx (529 included), a lost connection, an attempt that took too long. `Retry-After` is waited for as asked, up
to `longest_wait_s`; a provider that asks for longer gets no further attempt. Nothing said here contains the key.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.domain.redaction import Redactor

T = TypeVar("T")
MARKER = "x-trustops-origin"
"""The header by which a server says that it is no real provider (evaluation.md, "Authenticity")."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a call is tried. Waits in seconds: `first_wait_s` doubles with each retry and is jittered downwards."""

    attempts: int = 3
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0

    def wait(self, retry: int, headers: Mapping[str, str]) -> float | None:
        """Seconds before retry number `retry` (1, 2, ...), or None where the provider asks for more than we wait."""
        asked = retry_after(headers)
        if asked is not None:
            return asked if asked <= self.longest_wait_s else None
        return min(self.longest_wait_s, self.first_wait_s * 2.0 ** (retry - 1)) * random.uniform(0.5, 1.0)


class Trouble(Exception):
    """One attempt without a reply. `kind` as in ProviderFailed; `headers` are those of an error reply, if there was one."""

    def __init__(self, kind: str, said: str, retry: bool, headers: Mapping[str, str], remedy: str = "") -> None:
        super().__init__(said)
        self.kind, self.said, self.retry, self.headers, self.remedy = kind, said, retry, headers, remedy


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a reply asks to wait (`retry-after-ms`, or `Retry-After` as seconds or as a date), or None."""
    exact, plain = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    try:
        return max(0.0, float(exact) / 1000 if exact else float(plain))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(plain).timestamp() - time.time())
    except ValueError:
        return None


def served_by(headers: Mapping[str, str]) -> Origin:
    """LIVE without the marker; with it what it says, and SCRIPTED where it says nothing known. A marker never makes a reply LIVE."""
    if MARKER not in headers:
        return Origin.LIVE
    return Origin.RECORDED if headers[MARKER].strip().upper() == Origin.RECORDED.value else Origin.SCRIPTED


SPENT = re.compile(r"credit balance|insufficient[_ ]quota|billing|out of credits?", re.IGNORECASE)
LONG = re.compile(
    r"context[_ ]length|context window|too many tokens|prompt is too long|maximum context|exceeds? .{0,30}context", re.IGNORECASE
)
REMEDIES = {
    404: "Is the model's name right, and does the base_url end where the API begins (mostly in /v1)?",
    413: "The material of this question is too long for this provider: choose a model that reads more.",
    429: "Wait, lower requests_per_minute or concurrency, or name a fallback profile; then `trustops resume`.",
}
"""By status: what to do."""


def of_status(status: int, said: str, headers: Mapping[str, str], *, code: str = "") -> Trouble:
    """What an error reply means. A refused key is told without the provider's words, which may repeat a part of it."""
    if status in (401, 403):
        return Trouble("http", f"HTTP {status}: the key was refused", False, headers, "Check the key and its permissions.")
    spent = code == "insufficient_quota" or (status in (400, 402, 429) and SPENT.search(said) is not None)
    too_long = code == "context_length_exceeded" or (status == 400 and LONG.search(said) is not None)
    kind = "limit" if status == 429 else "http"
    retry = (status in (408, 429) or status >= 500) and not spent
    remedy = "The account has no credit left." if spent else REMEDIES[413] if too_long else REMEDIES.get(status, "")
    return Trouble(kind, f"HTTP {status}: {said[:200]}", retry, headers, remedy)


async def persist(
    attempt: Callable[[], Awaitable[T]],
    patience: Patience,
    *,
    timeout_s: float,
    where: str,
    secret: str,
    admit: Callable[[], Awaitable[object]] | None = None,
) -> tuple[T, int]:
    """The first reply and how many attempts it took. Raises ProviderFailed when attempts or patience are used up.

    `admit` lets each attempt through; what it waits for is not counted against the attempt's time.
    """
    for number in range(1, patience.attempts + 1):
        if admit is not None:
            await _admitted(admit, number - 1)
        try:
            async with asyncio.timeout(timeout_s):
                return await attempt(), number
        except TimeoutError:
            trouble = Trouble("timeout", f"no reply within {timeout_s:g} s", True, {})
        except Trouble as told:
            trouble = told
        if not trouble.retry or number == patience.attempts:
            break
        wait = patience.wait(number, trouble.headers)
        if wait is None:
            trouble.said += f"; it asks to wait {retry_after(trouble.headers):.0f} s, longer than the {patience.longest_wait_s:g} s we wait"
            break
        await asyncio.sleep(wait)
    raise failed(trouble, number, where=where, secret=secret)


async def _admitted(admit: Callable[[], Awaitable[object]], sent: int) -> None:
    try:
        await admit()
    except ProviderFailed as refused:
        refused.attempts = sent
        raise


def failed(trouble: Trouble, attempts: int, *, where: str, secret: str) -> ProviderFailed:
    """The failure as the house knows it, with the key blotted out wherever a provider or library repeated it."""
    said = Redactor((secret,))(trouble.said)
    tried = f" after {attempts} attempts" if attempts > 1 else ""
    return ProviderFailed(f"{said}{tried}", kind=trouble.kind, where=where, remedy=trouble.remedy, attempts=attempts)
