"""Scores at size: `python benchmarks/scoring.py`. 100,000 evaluations into reputations, and a chain of 100,000 trust records walked along.

Seconds and the most memory that the work itself took (tracemalloc in a second pass, so that it does not slow the first). Every seal is
checked while counting. Filling the books is not in the figures. For flat memory compare with `--count 20000`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from trustops.domain.scores import KeptEvaluation
from trustops.operations.office import WallClock
from trustops.operations.reputing import reputations
from trustops.operations.sealing import sealed
from trustops.operations.trusting import verify_trust
from trustops.scoring.agentrisk import Signals, assess
from trustops.storage import tables
from trustops.storage.ledger import OrganisationLedger, open_ledger

SECRET = "ab" * 32
AGENTS = ("commander", "policy", "control", "answer", "reviewer", "skill/search-evidence", "skill/list-controls", "skill/read-passage")
AT = datetime(2026, 1, 1, tzinfo=UTC)
MIB = 1 << 20


def fill(ledger: OrganisationLedger, count: int) -> None:
    """Evaluations and trust records, through the tables where the ledger's verbs would take minutes."""
    start = int(AT.timestamp() * 1000)
    rows = []
    for n in range(count):
        kept = KeptEvaluation(
            id=f"E-{n}", agent=AGENTS[n % len(AGENTS)], mode="TEST", origin="SCRIPTED", rubric="reviewer@1.0", composite=(n % 97) / 97,
            at=start + n * 60_000, about=f"R-1.1/Q-{n}/1", body={}, seal="",
        )  # fmt: skip
        rows.append({**sealed(kept, SECRET).model_dump(exclude={"body"}), "body": "{}"})
    payload = {"kind": "agent", "trust": assess(Signals()).model_dump(mode="json"), "evaluations": 9, "mode": "TEST"}
    with ledger.writing():
        ledger.add_all(tables.evaluations, rows)
        for n in range(count):
            ledger.append_trust(AGENTS[n % len(AGENTS)], payload, at=AT + timedelta(minutes=n))


def measured(work: Callable[[], Any]) -> tuple[float, float, float]:
    """Wall and processor seconds of the best of three, and MiB at the most."""
    seconds = []
    for _ in range(3):
        started, used = time.perf_counter(), time.process_time()
        work()
        seconds.append((time.perf_counter() - started, time.process_time() - used))
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return *min(seconds), most / MIB


def main() -> None:
    """Prints both rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        ledger = open_ledger(Path(folder) / "scores.db", "kestrel")
        fill(ledger, count)
        office: Any = SimpleNamespace(ledger=ledger, clock=WallClock(), seal=SimpleNamespace(text=lambda: SECRET), organisation="kestrel")
        counted = sum(each.reputation.evaluation_count for each in reputations(office))
        walked = verify_trust(office)
        for what, number, work in (
            ("evaluations into reputations", counted, lambda: reputations(office)),
            ("trust records verified", walked.records, lambda: verify_trust(office)),
        ):
            wall, used, most = measured(work)
            print(f"{number:,} {what}: {wall:.2f} s ({used:.2f} s of processor), {most:.1f} MiB")
        print(f"records that do not fit: {len(walked.bad)}")
        ledger.close()


if __name__ == "__main__":
    main()
