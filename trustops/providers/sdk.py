"""One call over a provider's SDK, the same for all of them: ask, retry, read, and say who served it.

A reply that was cut or refused is a reply: it was billed and has an id, so it is returned with its stop reason and not raised.
"""

from __future__ import annotations

import asyncio
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import httpx2
from pydantic import SecretStr

from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.domain.redaction import Redactor
from trustops.ports import ModelReply, ModelRequest
from trustops.providers.attempts import Patience, Trouble, failed, persist, served_by
from trustops.providers.bounded import too_long
from trustops.providers.pace import Pace, Ticket
from trustops.providers.prices import about

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Heard:
    """One HTTP reply: its status, its headers (lower-case lookup) and its JSON body."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Said:
    """What a body says. `stop` is normalised: complete, truncated, refusal or other. `tokens_in` holds all that went in; of them
    `cached` were read from the provider's cache and `written` into it. `id` is the reply's own, which stands in for a request id where a
    compatible server sends no header."""

    text: str
    stop: str
    tokens_in: int
    tokens_out: int
    model: str
    cached: int = 0
    written: int = 0
    id: str = ""


class SdkClient(ABC, Generic[S]):
    """Implements ports.ModelClient over an SDK whose own retries are off.

    `base_url` empty means the provider's own; `transport` replaces the network (tests). No redirect is followed: it would carry the
    key and the evidence to a place that nobody configured. An SDK's connections belong to one event
    loop, so it is opened at the first call and opened anew in another loop. `profile` names it in messages; `pace` lets each attempt
    through.
    """

    name: ClassVar[str]
    request_id_header: ClassVar[str]

    def __init__(
        self,
        model: str,
        *,
        api_key: SecretStr,
        base_url: str = "",
        temperature: float | None = None,
        patience: Patience | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        profile: str = "",
        pace: Pace | None = None,
    ) -> None:
        self.model, self.base_url, self.temperature = model, base_url, temperature
        self.patience, self.profile, self.pace = patience or Patience(), profile, pace
        self._key, self._transport = api_key, transport
        self._opened: tuple[asyncio.AbstractEventLoop, S] | None = None
        self._origin = Origin.SCRIPTED

    @property
    def origin(self) -> Origin:
        """Who served the last reply; a call that never got one is counted so. LIVE only after an unmarked reply was read."""
        return self._origin

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The provider's reply. Raises ProviderFailed: timeout, limit (429), http (refused, broken, unreachable), empty.

        `latency_ms` is the whole call, retries and their waits included; `attempts` counts what was sent.
        """
        started = time.perf_counter()
        sdk, where = self._sdk(), self.where
        tickets: list[Ticket] = []
        heard, attempts = await persist(
            lambda: self._ask(sdk, request),
            self.patience,
            timeout_s=request.timeout_s,
            where=where,
            secret=self._key.get_secret_value(),
            admit=self._door(request, tickets),
        )
        origin = served_by(heard.headers)
        said = self._understood(heard, attempts, where)
        self._origin = origin
        if tickets:
            tickets[-1].settle(said.tokens_in + said.tokens_out)
        return ModelReply(
            text=Redactor((self._key.get_secret_value(),))(said.text),  # a server may say back what it was sent
            stop_reason=said.stop,
            origin=origin,
            provider=self.name,
            profile=self.profile,
            model=said.model or self.model,
            request_id=heard.headers.get(self.request_id_header) or said.id,
            http_status=heard.status,
            tokens_in=said.tokens_in,
            tokens_out=said.tokens_out,
            tokens_cached=said.cached,
            tokens_written=said.written,
            attempts=attempts,
            latency_ms=math.ceil((time.perf_counter() - started) * 1000),
        )

    @property
    def where(self) -> str:
        """How messages name it: the profile, where it has one, and what stands behind it."""
        served = f"{self.name} {self.model}"
        return f"profile {self.profile} ({served})" if self.profile else served

    def _door(self, request: ModelRequest, tickets: list[Ticket]) -> Callable[[], Awaitable[None]] | None:
        """Lets an attempt through. Until its reply tells, it counts with all the tokens it may take."""
        pace = self.pace
        if pace is None:
            return None

        async def admit() -> None:
            tickets.append(await pace.admit(about(request.system) + about(request.user) + request.max_tokens, self.where))

        return admit

    async def close(self) -> None:
        """Closes the connections of this event loop; those of an earlier loop ended with it."""
        if self._opened and self._opened[0] is asyncio.get_running_loop():
            await self._shut(self._opened[1])
        self._opened = None

    def _sdk(self) -> S:
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened[0] is not loop:
            self._opened = (loop, self._open())
        return self._opened[1]

    def _understood(self, heard: Heard, attempts: int, where: str) -> Said:
        try:
            read = self._read(heard.body)
            if (trouble := too_long(read.text)) is not None:
                raise trouble
            return read
        except Trouble as told:
            raise failed(told, attempts, where=where, secret=self._key.get_secret_value()) from None
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as odd:
            said = f"HTTP {heard.status} with a body of an unknown shape ({type(odd).__name__})"
            raise ProviderFailed(
                said, kind="empty", where=where, remedy="Does the base_url speak the chosen api?", attempts=attempts
            ) from odd

    @abstractmethod
    def _open(self) -> S: ...

    @abstractmethod
    async def _shut(self, sdk: S) -> None: ...

    @abstractmethod
    async def _ask(self, sdk: S, request: ModelRequest) -> Heard: ...

    @abstractmethod
    def _read(self, body: Any) -> Said: ...
