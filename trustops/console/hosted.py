"""The organisations that one service serves. Each has its own office, runs and limits; a request belongs to exactly one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from trustops.console.attempts import Attempts
from trustops.console.meter import Meter
from trustops.console.runs import Runs
from trustops.console.tails import Tails
from trustops.domain.errors import UsageError
from trustops.operations.office import Office
from trustops.operations.signing_in import Opened

FAILURES = 20
"""Failures of one address in five minutes, and then it waits."""
READING, THREADS = 4, 12
"""Uploads that are read at once, and threads for whatever waits: fewer than a ledger has connections."""
STREAMS = 2000
"""Streams that one organisation may hold open at once."""


class Hosted:
    """One organisation as the service holds it. Nothing in it is shared with another."""

    def __init__(self, office: Office, most_streams: int = STREAMS) -> None:
        self.office = office
        self.tails = Tails()
        self.streams, self.most_streams = 0, most_streams
        self.runs = Runs(office)
        self.opened = Opened()
        self.meter = Meter()
        self.signing_in: dict[str, Any] = {}
        """Sign-ins that are on their way at an identity provider, by their state."""
        self.names = Attempts(most=50, window_s=3600)
        """Failures under one name, wherever they come from."""

    @property
    def name(self) -> str:
        return self.office.organisation


class Organisations(Mapping[str, Hosted]):
    """All of them by id, in the order in which they were given; the first is where a stranger begins."""

    def __init__(self, offices: tuple[Office, ...], most_streams: int = STREAMS) -> None:
        self._all: dict[str, Hosted] = {}
        for office in offices:
            if office.organisation in self._all:
                raise UsageError(f"two workspaces are of the organisation {office.organisation!r}", remedy="Name each once.")
            self._all[office.organisation] = Hosted(office, most_streams)
        self.addresses = Attempts(most=FAILURES, window_s=300)
        """Failures from one address, whatever they try."""
        self.reading = asyncio.Semaphore(READING)
        """Uploads that are read at once, each in a limited child: the others wait, and whoever asks for something else does not."""
        self.hashing = asyncio.Semaphore(2)
        """Password hashes that are worked out at once: each takes 64 MB."""

    def __getitem__(self, name: str) -> Hosted:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def first(self) -> Hosted:
        return next(iter(self._all.values()))


def organisations(scope: Mapping[str, Any]) -> Organisations:
    """Those of the application that a request came to."""
    found: Organisations = scope["app"].state.organisations
    return found
