"""Playing a golden case through the real machine, each expectation beside the actual value."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from trustops.domain.authenticity import EntryPoint
from trustops.domain.dossier import exhibit_place
from trustops.evaluation.actors import CaseClient
from trustops.evaluation.cases import ExpectedFinding, GoldenCase, Outcome, build_workspace, write_snapshots
from trustops.evaluation.harness import with_client
from trustops.evaluation.record import Step
from trustops.evaluation.suite import Bench, OpenOffice, close
from trustops.evaluation.wire import Connect, over_wire
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.recording import record
from trustops.operations.reporting import report
from trustops.ports import ModelClient, StoredReview

TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class Played:
    """A case as played. Its mode is TEST whatever served it, and its origin is never LIVE."""

    case: str
    execution_mode: str
    origin: str
    steps: tuple[Step, ...]
    note: str = ""
    entries: tuple[Mapping[str, Any], ...] = ()
    """What each run's report says of the question: the first run, then the recheck."""
    reviewer: str = ""
    """The Reviewer's reply of the first run, as it came."""
    seconds: float = 0.0
    """From the start of the first run to its decision."""
    first_event_ms: int | None = None

    @property
    def passed(self) -> bool:
        return bool(self.steps) and all(step.ok for step in self.steps)


class Ticking:
    """Implements ports.Clock: the case's instant, a millisecond later at each look, so that what is kept of it does not tell the day."""

    def __init__(self, at: datetime) -> None:
        self._at, self._looks = at, count()

    def now(self) -> datetime:
        """The next millisecond."""
        return self._at + timedelta(milliseconds=next(self._looks))


def replay_case(case: GoldenCase, open_office: OpenOffice, connect: Connect, keep: Path | None = None) -> Played:
    """The case in a workspace of its own, then its recheck. All five seats cross the wire through a real SDK. `keep` is a folder for the
    recordings of both runs, CASE-v1.jsonl and CASE-v2.jsonl."""
    with tempfile.TemporaryDirectory() as scratch:
        house = Path(scratch) / "golden"
        file = build_workspace(case, house)
        office = open_office(house, entry=EntryPoint.EVALUATION)
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            office = replace(office, clock=Ticking(case.as_of))
        try:
            with over_wire(CaseClient(office.client, case.given.seats), connect) as client:
                return _play(case, house, file, office, client, keep)
        finally:
            close(office)


def play_case(case: GoldenCase, bench: Bench) -> Played:
    """The same on a bench, with the model that is judged."""
    house = bench.folder(case.case)
    file = build_workspace(case, house)
    with bench.office(house) as office, over_wire(CaseClient(office.client, case.given.seats), bench.connect) as client:
        return _play(case, house, file, office, client, None)


def _play(case: GoldenCase, house: Path, file: Path, office: Office, client: ModelClient, keep: Path | None) -> Played:
    hangs = any(seat.get("fault") == "timeout" for seat in case.given.seats.values())
    office = with_client(office, client, timeout_s=TIMEOUT_S if hangs else None)
    review = take_in(office, file)
    began = time.monotonic()
    first = _run(office, review, case)
    seconds = time.monotonic() - began
    _keep(office, first, case, keep, 1)
    reviewer, entries, heard = _replied(office, review, first["run"], "reviewer"), [first], _first_event(office, first["run"])
    steps = list(_steps("", case.expect, first, places(office, review)))
    mode, origins = first["mode"], first["origins"]
    if case.recheck is not None:
        write_snapshots(house, case.recheck.snapshots)
        again = _run(office, review, case)
        entries.append(again)
        _keep(office, again, case, keep, 2)
        steps += _steps("recheck: ", case.recheck.expect, again, places(office, review))
    return Played(case.case, mode, "/".join(sorted(origins)), tuple(steps), "", tuple(entries), reviewer, seconds, heard)


def _first_event(office: Office, run: str) -> int | None:
    """Milliseconds from the start of a run to its first event, by the office's clock."""
    info, events = office.ledger.get_run(run), office.ledger.events(run, limit=1)
    return round((events[0].at - info.started_at).total_seconds() * 1000) if info and events else None


def _replied(office: Office, review: StoredReview, run: str, seat: str) -> str:
    """What a seat replied in a run; empty where it made no call."""
    made = [call for (of, _), (calls, _) in office.ledger.calls(review.id).items() if of == run for call in calls if call.seat == seat]
    return made[-1].reply if made else ""


def _keep(office: Office, told: Mapping[str, Any], case: GoldenCase, folder: Path | None, number: int) -> None:
    if folder is not None:
        record(office, told["run"], folder / f"{case.case.lower()}-v{number}.jsonl")


def _run(office: Office, review: StoredReview, case: GoldenCase) -> dict[str, Any]:
    prepared = prepare(office, review, as_of=case.as_of, watch=lambda kind, question, data: None)
    asyncio.run(alone(office, run_review(office, prepared, lambda kind, question, data: None)))
    told = report(office, review)
    entry = dict(told["questions"][0])
    return {**entry, "run": told["run"], "mode": told["execution_mode"], "origins": {call["origin"] for call in entry["model_calls"]}}


def places(office: Office, review: StoredReview) -> dict[str, str]:
    """Where each exhibit of the newest attempt stands, and each passage that a finding may name beside it: file, control or itself."""
    records = office.ledger.latest_records(review.id)
    held = {passage.id: passage.document.path for passage in office.index.passages()}
    return held | {name: exhibit_place(exhibit)[0] for record in records.values() for name, exhibit in record.dossier.exhibits.items()}


def _steps(prefix: str, wanted: Outcome, actual: Mapping[str, Any], where: Mapping[str, str]) -> Iterator[Step]:
    for control, evaluation in wanted.control_evaluation.items():
        got = next((c["evaluation"] for c in actual["controls"] if c["id"] == control), "not mapped")
        yield _step(f"{prefix}control {control}", evaluation, got)
    if wanted.conflicts is not None:
        yield _step(
            f"{prefix}conflicts",
            ", ".join(wanted.conflicts) or "none",
            ", ".join(sorted({c["kind"] for c in actual["conflicts"] if not c.get("resolved")})) or "none",
        )
    for finding in wanted.findings:
        yield _finding_step(prefix, finding, actual, where)
    if wanted.no_blocking:
        blocking = sorted({f["code"] for f in actual["findings"] if f["severity"] == "BLOCKING"})
        yield _step(f"{prefix}blocking findings", "none", ", ".join(blocking) or "none")
    allowed = (wanted.decision,) if isinstance(wanted.decision, str) else wanted.decision
    yield Step(f"{prefix}decision", " or ".join(allowed), str(actual["decision"]), actual["decision"] in allowed)
    review = actual["risk_review"] or {}
    pairs = {
        "determination": (wanted.determination, actual["determination"]),
        "review status": (wanted.review_status, review.get("status")),
        "decision source": (wanted.decision_source, review.get("source")),
        "approval": (wanted.approval, actual["approval"]),
        "export gate": (wanted.export_gate, actual["export_gate"]["state"]),
    }
    yield from (_step(f"{prefix}{name}", expected, got) for name, (expected, got) in pairs.items() if expected is not None)


def _step(name: str, expected: str, actual: object) -> Step:
    return Step(name, expected, str(actual), expected == str(actual))


def _finding_step(prefix: str, wanted: ExpectedFinding, actual: Mapping[str, Any], where: Mapping[str, str]) -> Step:
    """The code must be there, and for its own reason: one of its exhibits is, or stands in, what the case names."""
    same = [f for f in actual["findings"] if f["code"] == wanted.code and f["source"] != "MODEL"]
    shown = sorted({place for f in same for exhibit in f["exhibits"] for place in (exhibit, where.get(exhibit, exhibit))})
    hit = bool(same) and (not wanted.exhibit or any(wanted.exhibit in place for place in shown))
    return Step(f"{prefix}finding {wanted.code}", wanted.exhibit or "present", ", ".join(shown) if same else "absent", hit)
