"""A plan on paper: how many worker machines so many questions a day need, what they wait for, and what is the limit. Nothing is executed.

    python benchmarks/simulate.py [--measured benchmarks/measured.json] [--questions 1000000] [--organisations 1000] [--peak 3]
                                  [--hours 1.5] [--machines N] [--seed 1] [--set NAME=VALUE ...]

Measured service times go in, queueing comes out: a discrete-event simulation of some hours. Reviews arrive at random (Poisson; with --peak
so many times as often in the middle third), from organisations whose sizes follow Zipf's law. A question waits on the board for a place,
for its customer's turn (fair) or in one line; then it goes through the graph: five pieces of processor time in its worker's one process,
five pieces of the database (a core, and its customer's statements one after the other), four levels of model calls of which one has two,
each call within the provider's tokens of a minute. Without --machines the smallest number is sought at which places and processors are
used by no more than --most and the 95th percentile of a review's first result is at most --first seconds later than with plenty of
machines. Equal seeds give equal figures.

Not in it: failures and retries, repairs of replies, the cost of empty looks at the board, a database whose disk is slow, networks, people.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from benchmarks.queueing import Board, Budget, Station  # noqa: E402

DAY_S = 86_400.0
CALLS = (1, 2, 1, 1)
"""Model calls of each level of the graph: Commander; Policy and Control side by side; Answer; Reviewer."""
PIECES = len(CALLS) + 1
SIZES = {20: 0.30, 50: 0.30, 150: 0.25, 400: 0.10, 1000: 0.04, 5000: 0.01}
"""Questions of a review, and how often: an assumption."""
NAMES = ("place", "worker processor", "database processor", "provider tokens", "busiest customer's writes")


@dataclass(frozen=True, slots=True)
class Given:
    """What goes in. Times of a question are in milliseconds; `model_p50_s` and `model_p95_s` are those of one call (log-normal)."""

    cpu_ms: float
    database_cpu_ms: float
    database_busy_ms: float
    model_p50_s: float
    model_p95_s: float
    tokens_of_a_call: float
    tokens_per_minute: float
    cores: int
    concurrency: int
    database_cores: int

    @classmethod
    def read(cls, file: Path, changes: dict[str, float]) -> Given:
        """From a file of figures, each with its source; `changes` are tried instead."""
        told = {name: figure["value"] for name, figure in json.loads(file.read_text(encoding="utf-8")).items()} | changes
        whole = {"cores", "concurrency", "database_cores"}
        return cls(**{name: int(value) if name in whole else float(value) for name, value in told.items()})

    @property
    def stays_s(self) -> float:
        """About how long a question is in work where nothing waits: each level the mean of a call."""
        return self.model_p50_s * math.exp(self.spread**2 / 2) * len(CALLS) + (self.cpu_ms + self.database_busy_ms) / 1000

    @property
    def spread(self) -> float:
        """Sigma of the logarithm of a call's time."""
        return math.log(self.model_p95_s / self.model_p50_s) / 1.6449


@dataclass(frozen=True, slots=True)
class Load:
    """What arrives: questions a day from so many organisations, for some hours, `peak` times as many in their middle third; and
    a review of `rush` questions that the largest customer hands in as that third begins."""

    questions: float = 1_000_000
    organisations: int = 1000
    hours: float = 1.5
    peak: float = 1.0
    rush: int = 0
    seed: int = 1

    @property
    def seconds(self) -> float:
        return self.hours * 3600

    def busy(self, at: float) -> bool:
        """Whether this is the middle third, whose reviews are counted."""
        return self.seconds / 3 <= at < self.seconds * 2 / 3


@dataclass(slots=True)
class Review:
    """A review that arrived; `customer` 0 is the largest."""

    customer: int
    at: float
    size: int
    first: float = 0.0
    last: float = 0.0


@dataclass(slots=True)
class Work:
    """A question on its way."""

    review: Review
    begun: float = 0.0
    process: int = 0
    piece: int = 0
    doing: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What came out, of what arrived in the middle third: waits and results in seconds. `used` is the share of what is there that was used
    in that third, and `asked` the share that would be if nothing waited for anything else: above 1 it is not enough."""

    machines: int
    questions: int
    used: dict[str, float]
    asked: dict[str, float]
    wait: tuple[float, float, float]
    first: tuple[float, float, float]
    small_first: tuple[float, float, float]
    stays_s: float

    @property
    def limit(self) -> str:
        """What is asked for most; a place is held by whoever waits for something else, so what is used does not tell."""
        return max(self.asked, key=lambda name: self.asked[name])


def arrivals(load: Load) -> list[Review]:
    """The reviews, in the order of time. The luck is the load's own: any number of machines sees the same ones."""
    luck = random.Random(f"arrivals {load.seed}")
    mean = sum(size * share for size, share in SIZES.items())
    rate = load.questions / DAY_S / mean
    weights = [1 / rank for rank in range(1, load.organisations + 1)]
    customers, sizes, shares = range(load.organisations), list(SIZES), list(SIZES.values())
    found, at = [], 0.0
    while True:
        at += luck.expovariate(rate * max(1.0, load.peak))
        if at >= load.seconds:
            break
        if luck.random() * max(1.0, load.peak) < (load.peak if load.busy(at) else 1.0):  # thinning (Lewis and Shedler 1979)
            found.append(Review(luck.choices(customers, weights)[0], at, luck.choices(sizes, shares)[0]))
    if load.rush:
        found.append(Review(0, load.seconds / 3, load.rush))
    return sorted(found, key=lambda review: review.at)


class Network:
    """The stations, and the questions between them. `run` once. `reviews` come instead of what the load draws."""

    def __init__(self, given: Given, load: Load, machines: int, *, fair: bool = True, reviews: Sequence[Review] = ()) -> None:
        self.given, self.load, self.machines = given, load, machines
        self.luck = random.Random(f"service {load.seed}")
        self.processes = [Station(1) for _ in range(machines * given.cores)]
        self.at_work = [0] * len(self.processes)
        self.free = len(self.processes) * given.concurrency
        self.database, self.tokens = Station(given.database_cores), Budget(given.tokens_per_minute)
        self.books: dict[int, Station] = {}
        self.board = Board(self.luck, fair=fair)
        self.reviews = list(reviews) or arrivals(load)
        self.waits: list[float] = []
        self.stays: list[float] = []
        self._events: list[tuple[float, int, Work]] = []
        self._number = count()
        self._items: list[Work] = []
        self._places_s = self._since = 0.0

    def run(self) -> Found:
        """All reviews to their ends; what the middle third saw."""
        marks, coming = [], iter(self.reviews)
        review = next(coming, None)
        for until in (self.load.seconds / 3, self.load.seconds * 2 / 3, math.inf):
            while True:
                event = self._events[0][0] if self._events else math.inf
                arrival = review.at if review else math.inf
                now = min(event, arrival)
                if now >= until or math.isinf(now):
                    break
                if review is not None and arrival <= event:
                    self._arrive(now, review)
                    review = next(coming, None)
                else:
                    self._step(now, heapq.heappop(self._events)[2])
            marks.append(self._mark(until))
        return self._found(marks[0], marks[1])

    def _arrive(self, now: float, review: Review) -> None:
        for place in range(review.size):
            self._items.append(Work(review))
            self.board.put(review.customer, len(self._items) - 1, place)
        self._fill(now)

    def _fill(self, now: float) -> None:
        """Free places take what waits, those of the idlest process first."""
        while self.free and (claimed := self.board.claim()) is not None:
            process = min(range(len(self.at_work)), key=self.at_work.__getitem__)
            work = self._items[claimed[1]]
            self._count(now)
            self.free -= 1
            self.at_work[process] += 1
            work.begun, work.process = now, process
            if self.load.busy(work.review.at):
                self.waits.append(now - work.review.at)
            self._compute(now, work)

    def _compute(self, now: float, work: Work) -> None:
        self._later("computing", self.processes[work.process].visit(now, self.given.cpu_ms / 1000 / PIECES), work)

    def _step(self, now: float, work: Work) -> None:
        """What follows: a piece of the worker's processor, one of the database, calls, and again."""
        if work.doing == "computing":
            books = self.books.setdefault(work.review.customer, Station(1)).visit(now, self.given.database_busy_ms / 1000 / PIECES)
            self._later("writing", max(books, self.database.visit(now, self.given.database_cpu_ms / 1000 / PIECES)), work)
        elif work.doing == "writing" and work.piece < len(CALLS):
            self._later("asking", max(self._call(now) for _ in range(CALLS[work.piece])), work)
        elif work.doing == "asking":
            work.piece += 1
            self._compute(now, work)
        else:
            self._decided(now, work)

    def _call(self, now: float) -> float:
        """When a model has answered."""
        begin = self.tokens.take(now, self.given.tokens_of_a_call)
        return begin + self.luck.lognormvariate(math.log(self.given.model_p50_s), self.given.spread)

    def _decided(self, now: float, work: Work) -> None:
        review = work.review
        review.first = min(review.first or now, now)
        review.last = max(review.last, now)
        if self.load.busy(review.at):
            self.stays.append(now - work.begun)
        self._count(now)
        self.free += 1
        self.at_work[work.process] -= 1
        self.board.done(review.customer)
        self._fill(now)

    def _later(self, doing: str, at: float, work: Work) -> None:
        work.doing = doing
        heapq.heappush(self._events, (at, next(self._number), work))

    def _count(self, now: float) -> None:
        """Seconds of places that were taken, up to now."""
        self._places_s += (len(self.processes) * self.given.concurrency - self.free) * (now - self._since)
        self._since = now

    def _mark(self, now: float) -> dict[str, float]:
        """Seconds of use so far; of tokens their number."""
        if not math.isinf(now):
            self._count(now)
        spent = (self._places_s, sum(each.busy for each in self.processes), self.database.busy, self.tokens.spent)
        return dict(zip(NAMES, (*spent, max((each.busy for each in self.books.values()), default=0.0)), strict=True))

    def _found(self, before: dict[str, float], after: dict[str, float]) -> Found:
        window, processes = self.load.seconds / 3, len(self.processes)
        there = (processes * self.given.concurrency, processes, self.given.database_cores, self.given.tokens_per_minute / 60, 1)
        used = {name: (after[name] - before[name]) / (window * each) for name, each in zip(NAMES, there, strict=True)}
        counted = [review for review in self.reviews if self.load.busy(review.at)]
        first = [(review.customer, review.first - review.at) for review in counted]
        small = [waited for customer, waited in first if customer >= self.load.organisations // 10]
        stays = sum(self.stays) / max(1, len(self.stays))
        three = (percentiles(self.waits), percentiles([waited for _, waited in first]), percentiles(small))
        return Found(self.machines, len(self.stays), used, self._asked(counted, there, window), *three, stays)

    def _asked(self, counted: Sequence[Review], there: Sequence[float], window: float) -> dict[str, float]:
        """By the utilisation law: arrivals times what each needs, of what is there."""
        given, customers = self.given, Counter[int]()
        for review in counted:
            customers[review.customer] += review.size
        needs = (
            given.stays_s,
            given.cpu_ms / 1000,
            given.database_cpu_ms / 1000,
            given.tokens_of_a_call * sum(CALLS),
            given.database_busy_ms / 1000 * max(customers.values(), default=0) / max(1, customers.total()),
        )
        rate = customers.total() / window
        return {name: rate * need / each for name, need, each in zip(NAMES, needs, there, strict=True)}


def percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The 50th, 95th and 99th, by nearest rank; zeros of nothing."""
    ranked = sorted(values)
    if not ranked:
        return (0.0, 0.0, 0.0)
    fifty, ninety_five, ninety_nine = (ranked[max(0, math.ceil(share * len(ranked)) - 1)] for share in (0.50, 0.95, 0.99))
    return fifty, ninety_five, ninety_nine


def wanted(given: Given, load: Load, most: float, first_s: float) -> Found:
    """The fewest machines that are enough, and what they saw. Begins at what Little's law says."""
    at_once = load.questions / DAY_S * load.peak * given.stays_s
    plenty = Network(given, load, 4 * math.ceil(at_once / (given.cores * given.concurrency)) + 4).run()
    machines = max(1, int(at_once / (given.cores * given.concurrency)))
    while True:
        found = Network(given, load, machines).run()
        enough = max(found.used["place"], found.used["worker processor"]) <= most
        if (enough and found.first[1] <= plenty.first[1] + first_s) or machines >= plenty.machines:
            return found
        machines += 1


def tell(title: str, found: Found) -> None:
    used = ", ".join(f"{name} {share:.0%}" for name, share in found.used.items())
    print(f"{title}: {found.machines} worker machines, {found.questions} questions counted, {found.stays_s:.1f} s in work each")
    print(f"    used: {used}; the limit is: {found.limit} ({found.asked[found.limit]:.0%} asked for)")
    for name, three in (("a question waits", found.wait), ("first result", found.first), ("  of small customers", found.small_first)):
        print(f"    {name:<22} p50 {three[0]:8.1f} s, p95 {three[1]:8.1f} s, p99 {three[2]:8.1f} s", flush=True)


def changes(told: list[str]) -> dict[str, float]:
    """NAME=VALUE, as numbers."""
    return {name: float(value) for name, _, value in (each.partition("=") for each in told)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measured", type=Path, default=ROOT / "benchmarks" / "measured.json")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="instead of what was measured")
    parser.add_argument("--questions", type=float, default=1_000_000, help="a day")
    parser.add_argument("--organisations", type=int, default=1000)
    parser.add_argument("--hours", type=float, default=1.5)
    parser.add_argument("--peak", type=float, default=3.0, help="how many times as much arrives in the middle third")
    parser.add_argument("--rush", type=int, default=50_000, help="questions that the largest customer hands in at once, for fairness")
    parser.add_argument("--machines", type=int)
    parser.add_argument("--most", type=float, default=0.7, help="the share of places and processors that may be used")
    parser.add_argument(
        "--first", type=float, default=5.0, help="seconds by which the first result may be later than with plenty of machines"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    given = Given.read(options.measured, changes(options.set))
    even = Load(options.questions, options.organisations, options.hours, 1.0, 0, options.seed)
    peak, found = replace(even, peak=options.peak), None
    for title, load in (("even", even), (f"peak of {options.peak:g}", peak)):
        found = Network(given, load, options.machines).run() if options.machines else wanted(given, load, options.most, options.first)
        tell(title, found)
    rush = replace(peak, rush=options.rush)
    for title, fair in (("fair", True), ("in one line", False)):
        tell(
            f"peak, and {options.rush} of one customer at once, {title}",
            Network(given, rush, found.machines if found else 1, fair=fair).run(),
        )


if __name__ == "__main__":
    main()
