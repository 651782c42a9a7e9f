"""A run's events as its watchers get them: the table's order, from any number on, up to and with the terminal event.

What happens to a run's answers later (approvals, exports) is appended to the same table; it is no part of the stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trustops.domain.record import TERMINAL_EVENTS, Event, RunInfo
from trustops.ports import Ledger


@dataclass(frozen=True, slots=True)
class Page:
    """The next events of a stream; `over` where the terminal one is among them."""

    events: tuple[Event, ...]
    over: bool


def next_page(ledger: Ledger, run: str, after: int) -> Page:
    """What follows the event `after`, with one query. Right as long as `after` lies before the terminal event."""
    events = ledger.events(run, after=after)
    end = next((place for place, event in enumerate(events) if event.kind in TERMINAL_EVENTS), None)
    return Page(events, over=False) if end is None else Page(events[: end + 1], over=True)


def heard_all(ledger: Ledger, run: RunInfo, after: int) -> bool:
    """Whether a watcher that saw event `after` saw the end of the run too: nothing will come any more."""
    if run.state == "RUNNING":
        return False
    return not any(event.kind in TERMINAL_EVENTS for event in _all_after(ledger, run.id, after))


def is_event(ledger: Ledger, run: str, seq: int) -> bool:
    """Whether the run has an event of this number; 0 stands for the beginning."""
    return seq == 0 or any(event.seq == seq for event in ledger.events(run, after=seq - 1, limit=1))


def line(event: Event) -> dict[str, Any]:
    """One event as it goes over the wire and out of `watch --json`."""
    return {"seq": event.seq, "kind": event.kind, "question": event.question, "data": dict(event.data)}


def _all_after(ledger: Ledger, run: str, after: int) -> Iterator[Event]:
    while page := ledger.events(run, after=after):
        yield from page
        after = page[-1].seq
