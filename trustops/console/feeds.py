"""What a stream is read from: the events of a run, or of all runs of a review, as the table has them.

A frame's id says everything that came before it, so that whoever comes back with it misses nothing and hears nothing twice. Of a run it is
the event's number. Of a review it names the last number of each of its runs, such as `1:40,2:7`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Protocol

from sse_starlette import ServerSentEvent

from trustops.console.feed import heard_all, is_event, line, next_page
from trustops.domain.record import Event, RunInfo
from trustops.ports import Ledger

RETRY_MS = 2000
SETTLED = "settled"
CURSOR = re.compile(r"[1-9][0-9]{0,5}:[1-9][0-9]{0,8}(,[1-9][0-9]{0,5}:[1-9][0-9]{0,8}){0,99}")


@dataclass(frozen=True, slots=True)
class Frame:
    """One event as it goes over the wire, and the id that stands for it and all before it."""

    id: str
    data: bytes


class Feed(Protocol):
    """`name` is what the bell rings for. `read` gives what follows an id, and whether that is all there will be. `known`: whether an id is
    one of this feed. `done`: whether nothing follows it any more."""

    name: str

    def read(self, after: str) -> tuple[list[Frame], bool]: ...

    def known(self, after: str) -> bool: ...

    def done(self, after: str) -> bool: ...


class RunFeed:
    """The events of one run, up to and with its terminal one."""

    def __init__(self, ledger: Ledger, run: str) -> None:
        self.ledger, self.name = ledger, run

    def read(self, after: str) -> tuple[list[Frame], bool]:
        page = next_page(self.ledger, self.name, int(after or 0))
        return [Frame(str(event.seq), _frame(str(event.seq), event)) for event in page.events], page.over

    def known(self, after: str) -> bool:
        return after == "" or (_number(after) and is_event(self.ledger, self.name, int(after)))

    def done(self, after: str) -> bool:
        found = self.ledger.get_run(self.name)
        return found is not None and heard_all(self.ledger, found, int(after or 0))


class ReviewFeed:
    """The events of all runs of a review, each run in its order; what happens to answers later is among them. When no run goes on, a last
    frame `settled` says so."""

    def __init__(self, ledger: Ledger, review: str) -> None:
        self.ledger, self.name = ledger, review

    def read(self, after: str) -> tuple[list[Frame], bool]:
        at, made = _cursor(after), []
        runs = self._runs()
        for number, run in runs.items():
            for event in self.ledger.events(run.id, after=at.get(number, 0)):
                at[number] = event.seq
                made.append(Frame(_packed(at), _frame(_packed(at), event)))
        if made or any(run.state == "RUNNING" for run in runs.values()):
            return made, False
        return [Frame(SETTLED, bytes(ServerSentEvent(json.dumps({"review": self.name}), event=SETTLED, sep="\n").encode()))], True

    def known(self, after: str) -> bool:
        if after and not CURSOR.fullmatch(after):
            return False
        runs = self._runs()
        return all(number in runs and is_event(self.ledger, runs[number].id, seq) for number, seq in _cursor(after).items())

    def done(self, after: str) -> bool:
        at, runs = _cursor(after), self._runs()
        over = all(run.state != "RUNNING" for run in runs.values())
        return over and not any(self.ledger.events(run.id, after=at.get(number, 0), limit=1) for number, run in runs.items())

    def _runs(self) -> dict[int, RunInfo]:
        """By number. Read before the events: of a run that is over all of them are there."""
        return {int(run.id.rpartition(".")[2]): run for run in sorted(self.ledger.runs(self.name), key=lambda each: each.started_at)}


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _cursor(text: str) -> dict[int, int]:
    pairs = [part.partition(":") for part in text.split(",") if part]
    return {int(number): int(seq) for number, _, seq in pairs}


def _packed(at: dict[int, int]) -> str:
    return ",".join(f"{number}:{seq}" for number, seq in sorted(at.items()))


def _frame(id: str, event: Event) -> bytes:
    data = json.dumps(line(event), ensure_ascii=False)
    return bytes(ServerSentEvent(data, event=event.kind, id=id, retry=RETRY_MS, sep="\n").encode())
