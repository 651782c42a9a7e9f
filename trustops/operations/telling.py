"""What a run tells while it works: events into its books, a handful at a time, and to whoever watches once they are on record."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from trustops.domain.chain import digest
from trustops.domain.errors import TrustOpsError
from trustops.ports import Ledger

Data = Mapping[str, JsonValue]
Watch = Callable[[str, str, Data], None]
GATHER_S = 0.02
"""So long an event waits for others, in seconds: ten questions at work tell two hundred things a second, and a transaction for each of them
costs more than all rules together."""


def tell(watch: Watch, kind: str, question: str, data: Data) -> None:
    """What a watcher shows is for people; a terminal that is gone must not change what is decided."""
    try:
        watch(kind, question, data)
    except OSError:
        return


def event_name(kind: str, question: str, data: Data) -> str:
    """What an event says, without its number and time."""
    return digest([kind, question, dict(data)])


def on_record(told: Counter[str], kind: str, question: str, data: Data) -> bool:
    """Whether a run that is taken up told this before it was interrupted; each event that is on record stands for one repetition."""
    name = event_name(kind, question, data) if told else ""
    known = told[name] > 0
    if known:
        told[name] -= 1
    return known


@dataclass(slots=True)
class Notebook:
    """The events of one run, in their order. `told` are those that a run which is taken up has on record already: a repeated step appends
    nothing, but watchers hear of it again.

    A process that ends abruptly loses what was told in the last moment; the step that told it is repeated when the run is taken up. What
    decides anything (a decision, an end, an approval) is not told here, it is written with its own transaction after `flush`.
    """

    ledger: Ledger
    run: str
    watch: Watch
    told: Counter[str] = field(default_factory=Counter)
    _waiting: list[tuple[bool, str, str, Data]] = field(default_factory=list)
    _due: asyncio.TimerHandle | None = None

    def note(self, kind: str, question: str, data: Data) -> None:
        """Takes an event down; it is on record after a moment, or at the next `flush`."""
        self._take(not on_record(self.told, kind, question, data), kind, question, data)

    def remember(self, question: str) -> None:
        """What is on record of a question that another worker began: its repetition appends nothing."""
        after, known = 0, Counter[str]()
        while page := self.ledger.events(self.run, after=after):
            after = page[-1].seq
            known.update(event_name(event.kind, event.question, event.data) for event in page if event.question == question)
        self.told |= known

    def show(self, kind: str, question: str, data: Data) -> None:
        """For watchers alone, after all that was noted before."""
        self._take(False, kind, question, data)

    def flush(self) -> None:
        """Everything taken down is on record and told, in order. Raises what the books raise; then nothing of it is lost here."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        waiting = self._waiting[:]
        if new := [(kind, question, data) for fresh, kind, question, data in waiting if fresh]:
            self.ledger.append_events(self.run, new)
        del self._waiting[: len(waiting)]
        for _, kind, question, data in waiting:
            tell(self.watch, kind, question, data)

    def _take(self, fresh: bool, kind: str, question: str, data: Data) -> None:
        self._waiting.append((fresh, kind, question, data))
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(GATHER_S, self._when_due)

    def _when_due(self) -> None:
        self._due = None
        try:
            self.flush()
        except TrustOpsError:
            return  # the books are not to be had; the flush before the next decision tries again, and raises
