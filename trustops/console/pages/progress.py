"""How far a run is: read from its events once, and from then on only what is new. Nothing here decides anything."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from starlette.requests import Request

from trustops.domain.authenticity import SEATS
from trustops.domain.record import TERMINAL_EVENTS, Event, RunInfo
from trustops.domain.risk_review import Decision
from trustops.operations.office import Office

KEPT_RUNS = 64


@dataclass(slots=True)
class Progress:
    """What the events of a run told so far. `seats` has waiting, working, ok or failed for each seat of a question."""

    run: str
    questions: int
    started_at: datetime
    seq: int = 0
    seats: dict[str, dict[str, str]] = field(default_factory=dict)
    decided: dict[str, str] = field(default_factory=dict)
    recent: list[tuple[str, str, str]] = field(default_factory=list)
    cost: Decimal = Decimal(0)
    priced: bool = True
    tokens: int = 0
    calls: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    over: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def done(self) -> int:
        return len(self.decided)

    @property
    def decisions(self) -> list[tuple[str, int]]:
        """How many questions were decided how, best first."""
        told = Counter(self.decided.values())
        return [(decision.value, told[decision.value]) for decision in Decision if told[decision.value]]

    @property
    def passed_s(self) -> float:
        """Seconds from the run's start to its last event."""
        return (self.last_at - self.started_at).total_seconds() if self.last_at else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest takes at the pace so far; None before the first decision and after the last."""
        if not self.decided or not self.first_at or not self.last_at or self.over or self.done >= self.questions:
            return None
        return (self.questions - self.done) * (self.last_at - self.first_at).total_seconds() / self.done

    def seats_of(self, ref: str) -> list[tuple[str, str]]:
        """The five seats of a question in their order, each with its state."""
        held = self.seats.get(ref, {})
        return [(seat, held.get(seat, "waiting")) for seat in SEATS]

    def hear(self, event: Event) -> None:
        """One event, in order."""
        self.seq, self.last_at = event.seq, event.at
        if event.kind == "seat_started":
            self.first_at = self.first_at or event.at
            self.seats.setdefault(event.question, {})[str(event.data["seat"])] = "working"
        elif event.kind == "seat_finished":
            outcome = "ok" if event.data.get("outcome") == "ok" else "failed"
            self.seats.setdefault(event.question, {})[str(event.data["seat"])] = outcome
        elif event.kind == "finding":
            told = (event.question, str(event.data.get("code", "")), str(event.data.get("summary", "")))
            self.recent = [told, *self.recent[:4]]
        elif event.kind == "decided":
            self.decided[event.question] = str(event.data["decision"])
        elif event.kind in TERMINAL_EVENTS:
            self.over = event.kind


class Following:
    """The progress of the runs that somebody looked at last, by organisation and run."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Progress] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, office: Office, run: RunInfo) -> Progress:
        """The run's progress up to its newest event."""
        key = (office.organisation, run.id)
        with self._lock:
            found = self._known.setdefault(key, Progress(run.id, len(run.questions), run.started_at))
            self._known.move_to_end(key)
            while len(self._known) > KEPT_RUNS:
                self._known.popitem(last=False)
        with found.lock:
            while not found.over and (page := office.ledger.events(run.id, after=found.seq)):
                for event in page:
                    found.hear(event)
                    if event.kind == "decided":
                        _count(office, run, found, event.question)
        return found


def _count(office: Office, run: RunInfo, found: Progress, ref: str) -> None:
    """What the calls of a decided question took. A question's calls are on record with its decision."""
    calls, _ = office.ledger.calls(run.review).get((run.id, ref), ((), ()))
    for call in calls:
        found.calls += 1
        found.tokens += call.tokens_in + call.tokens_out
        found.cost += Decimal(call.cost_usd or 0)
        found.priced = found.priced and call.cost_usd is not None


def following(request: Request) -> Following:
    """What this application follows."""
    state = request.app.state
    if not hasattr(state, "following"):
        state.following = Following()
    found: Following = state.following
    return found
