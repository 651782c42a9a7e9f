"""Following a run from outside: from the ledger of the workspace, or from a service over HTTP with reconnection."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import httpx2

from trustops.console.feed import heard_all, is_event, line, next_page
from trustops.domain.errors import NotAllowed, TrustOpsError, Unavailable, UnknownName, UsageError
from trustops.domain.record import TERMINAL_EVENTS, RunInfo
from trustops.ports import Ledger

POLL_S = 0.2
SILENCE_S = 45.0
"""The service sends a heartbeat every 15 seconds; after three that did not come the connection is dead, whatever TCP says."""
TRIES = 30


class Source(ABC):
    """Where a run's events come from; `close` it afterwards."""

    @abstractmethod
    def events(self, run: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Events after `after` up to the terminal one. Raises UnknownName for an unknown run, UsageError for a number it does not have."""

    @abstractmethod
    def state(self, run: str) -> str:
        """RUNNING, FINISHED, FAILED or CANCELLED."""

    @abstractmethod
    def close(self) -> None:
        """Gives back what was opened for watching."""


class Local(Source):
    """The ledger's own table, looked into five times a second: nobody rings a bell from another process.

    `left` says whether a run was left behind by its process; the events of such a run end without a terminal one.
    """

    def __init__(self, ledger: Ledger, left: Callable[[RunInfo], bool] = lambda run: False) -> None:
        self.ledger, self.left = ledger, left

    def events(self, run: str, after: int = 0) -> Iterator[dict[str, Any]]:
        found = self.ledger.get_run(run)
        if found is None:
            raise UnknownName("there is no such run", where=run, remedy="`trustops status --json` names the newest one.")
        if not is_event(self.ledger, run, after):
            raise UsageError("this is not the number of an event of the run", where=f"--after {after}", remedy="Begin again without it.")
        over = heard_all(self.ledger, found, after)
        while not over:
            gone = self.left(found)  # asked before reading, so that what the process wrote last is read
            page = next_page(self.ledger, run, after)
            over = page.over or (gone and not page.events)
            for event in page.events:
                yield line(event)
                after = event.seq
            if not page.events and not over:
                time.sleep(POLL_S)

    def state(self, run: str) -> str:
        found = self.ledger.get_run(run)
        return found.state if found else ""

    def close(self) -> None:
        """Nothing: the ledger belongs to the caller."""


class Remote(Source):
    """A service's runs. A lost connection is taken up again after the last event that came; the first one must succeed."""

    def __init__(self, url: str, pause: Callable[[float], None] = time.sleep, token: str = "") -> None:
        if not url.startswith(("http://", "https://")):
            raise UsageError(f"{url!r} is no address", where="--server", remedy="Write http://127.0.0.1:8700.")
        self.url, self.pause = url.rstrip("/"), pause
        self.retry_s, self.reached, self.over = 2.0, False, False
        shown = {"Authorization": f"Bearer {token}"} if token else {}
        self.client = httpx2.Client(base_url=self.url, timeout=httpx2.Timeout(10.0, read=SILENCE_S), headers=shown)

    def events(self, run: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Also raises Unavailable, where the service cannot be reached or stays away."""
        tries = 0
        while True:
            lost: object = "it closes the stream"
            try:
                for event in self._connection(run, after):
                    after, tries = event["seq"], 0
                    yield event
            except httpx2.TransportError as broken:
                lost = broken
            if self.over:
                return
            if not self.reached or tries == TRIES:
                raise Unavailable(f"the service does not answer ({lost})", where=self.url, remedy="Is `trustops serve` running?")
            tries += 1
            self.pause(self.retry_s)

    def state(self, run: str) -> str:
        return str(self.client.get(f"/v1/runs/{quote(run, safe='')}").json().get("state", ""))

    def close(self) -> None:
        self.client.close()

    def _connection(self, run: str, after: int) -> Iterator[dict[str, Any]]:
        """The events of one connection; `over` is set with the terminal one, or where the service says that none will come."""
        with self.client.sse(f"/v1/runs/{quote(run, safe='')}/events", headers={"Last-Event-ID": str(after)} if after else {}) as source:
            if source.response.status_code >= 400:
                raise _refused(source.response)
            self.reached, self.over = True, source.response.status_code == 204
            for sent in () if self.over else source:
                self.retry_s = sent.retry / 1000 if sent.retry is not None else self.retry_s
                if sent.data:
                    self.over = sent.event in TERMINAL_EVENTS
                    yield json.loads(sent.data)


def _refused(answer: httpx2.Response) -> TrustOpsError:
    """The service's problem document as the error it was there; one that is none of ours is told by its status."""
    answer.read()
    try:
        told = dict(answer.json())
    except ValueError:
        told = {}
    kind = {401: NotAllowed, 403: NotAllowed, 404: UnknownName, 400: UsageError, 422: UsageError}.get(answer.status_code, Unavailable)
    message = str(told.get("detail") or f"the service answers with status {answer.status_code}")
    return kind(message, where=str(told.get("where") or answer.url), remedy=str(told.get("remedy", "")))
