"""The approval suite: the gate against its specification written a second time, and stories of approvals that must not serve."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from trustops.domain import export as exports
from trustops.domain.errors import NothingCleared, Refused
from trustops.evaluation.case import Case
from trustops.evaluation.cases import build_workspace, load_case, write_snapshots
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, step
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import StoredReview
from trustops.testing.gate_table import LEAVES, SPACE, may_leave, near

SEED, DRAWN = 20, 3000
BY = "Ana Reviewer"


def approval_cases() -> tuple[Case, ...]:
    """The table, and each story."""
    titles = {"table": "the export gate over thousands of combinations of facts"} | {name: told for name, (told, _) in STORIES.items()}
    return tuple(
        Case(
            case_id=f"approval/{name}",
            title=title,
            level=1 if name == "table" else 4,
            dimension="approval",
            kind="unit" if name == "table" else "golden",
            source="product.md, invariants 1 and 2",
            input={"story": name},
            expect={"exports": 0},
        )
        for name, title in titles.items()
    )


def play_approval(case: Case, bench: Bench) -> Outcome:
    """The table, or a story."""
    story = case.input["story"]
    return _table(case) if story == "table" else STORIES[story][1](case, bench)


def _score(metric: str, case: Case, amount: int, of: int = 1) -> Score:
    return Score(metric=metric, case_id=case.case_id, amount=Decimal(amount), of=of, authority=Authority.DETERMINISTIC)


def _table(case: Case) -> Outcome:
    """Every fact wrong alone and in pairs, and rows of the whole space. A fact that is wrong alone is named as one reason."""
    rows = near(SEED, DRAWN)
    told = [(row, exports.gate(exports.GateInput(**row))) for row in rows]  # type: ignore[arg-type]
    left = [row for row, result in told if result.state == "OPEN"]
    unsafe = [row for row in left if not may_leave(row)]
    held = [row for row, result in told if result.state != "OPEN" and may_leave(row)]
    shut = sum(not may_leave(row) for row in rows)
    blocking = [row for row in rows if row["blocking_finding"] is not False or row["decision"] == "BLOCK"]
    stale = [row for row in rows if row["approval"] == "INVALIDATED" or row["confirmed"] is not True or row["validity"] != "IN_FORCE"]
    steps = (
        step("rows that leave and may not", "none", _named(unsafe)),
        step("rows that may leave and are held", "none", _named(held)),
        step("facts wrong alone without one reason of their own", "none", ", ".join(_unnamed()) or "none"),
    )
    scores = (
        _score("unsupported_affirmative_export", case, len(unsafe), shut),
        _score("blocking_finding_exported", case, sum(row in unsafe for row in blocking), len(blocking)),
        _score("stale_approval_used", case, sum(row in unsafe for row in stale), len(stale)),
    )
    return Outcome(steps, scores)


def _named(rows: list[dict[str, object]]) -> str:
    """What is wrong in the first rows, and how many there are."""
    if not rows:
        return "none"
    wrong = [f"{name}={value}" for name, value in rows[0].items() if name in LEAVES and value not in LEAVES[name]]
    return f"{len(rows)}, such as {', '.join(wrong) or 'one without a fault'}"


def _unnamed() -> Iterator[str]:
    good = {name: sorted(LEAVES.get(name, frozenset(SPACE[name])), key=str)[-1] for name in SPACE}
    for name, allowed in LEAVES.items():
        for value in SPACE[name]:
            if value not in allowed and len(exports.gate(exports.GateInput(**{**good, name: value})).reasons) != 1:  # type: ignore[arg-type]
                yield f"{name}={value}"


# -- stories -------------------------------------------------------------------------------------------------------------


@contextmanager
def _reviewed(case: Case, bench: Bench, name: str) -> Iterator[tuple[Office, StoredReview, Path]]:
    golden = load_case(name)
    house = bench.folder(case.case_id)
    file = build_workspace(golden, house)
    with bench.office(house) as opened:
        office = replace(opened, as_of=golden.as_of)
        review = take_in(office, file)
        asyncio.run(run_review(office, prepare(office, review, as_of=golden.as_of, watch=_nobody), _nobody))
        yield office, review, house


def _nobody(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


def _exported(office: Office, review: StoredReview, out: Path) -> tuple[str, ...]:
    try:
        return tuple(export(office, review, out, to="Customer").exported)
    except NothingCleared:
        return ()


def _refused(deed: Callable[[], object]) -> bool:
    try:
        deed()
    except Refused:
        return True
    return False


def _blocked(case: Case, bench: Bench) -> Outcome:
    with _reviewed(case, bench, "Q-005") as (office, review, house):
        refused = _refused(lambda: approve(office, review, "Q-005", None, by=BY))
        left = _exported(office, review, house / "out")
    steps = (
        step("approval of a blocked answer", "refused", "refused" if refused else "given"),
        step("exported", "nothing", left or "nothing"),
    )
    scores = (_score("blocking_finding_exported", case, len(left)), _score("unsupported_affirmative_export", case, len(left)))
    return Outcome(steps, scores)


def _edited(case: Case, bench: Bench) -> Outcome:
    with _reviewed(case, bench, "G-001") as (office, review, house):
        approve(office, review, "G-001", 1, by=BY)
        version = asyncio.run(edit_answer(office, review, "G-001", by=BY, text=office.ledger.latest_answers(review.id)["G-001"].text + " "))
        changed = asyncio.run(edit_answer(office, review, "G-001", by=BY, text="Yes. Full-disk encryption is switched on."))
        left = _exported(office, review, house / "out")
        again = _refused(lambda: approve(office, review, "G-001", 1, by=BY))
    steps = (
        step("a new version", "2 or more", "2 or more" if max(version.version, changed.version) >= 2 else changed.version),
        step("exported by the approval of the version before", "nothing", left or "nothing"),
        step("approval of the version before", "refused", "refused" if again else "given"),
    )
    return Outcome(steps, (_score("stale_approval_used", case, len(left)), _score("unsupported_affirmative_export", case, len(left))))


def _drifted(case: Case, bench: Bench) -> Outcome:
    """After the approval the source says something else: the export reads it anew."""
    with _reviewed(case, bench, "G-001") as (office, review, house):
        approve(office, review, "G-001", 1, by=BY)
        write_snapshots(house, {"disk-encryption": {"observed_at": "2026-11-30T11:00:00Z", "values": {"encrypted": 310, "managed": 311}}})
        left = _exported(office, review, house / "out")
    steps = (step("exported after the reading changed", "nothing", left or "nothing"),)
    return Outcome(steps, (_score("stale_approval_used", case, len(left)), _score("unsupported_affirmative_export", case, len(left))))


def _whole(case: Case, bench: Bench) -> Outcome:
    """Otherwise a gate that lets nothing through would pass all of the above."""
    with _reviewed(case, bench, "G-001") as (office, review, house):
        before = _exported(office, review, house / "before")
        approve(office, review, "G-001", 1, by=BY)
        after = _exported(office, review, house / "after")
    return Outcome(
        (step("exported without an approval", "nothing", before or "nothing"), step("exported after it", "G-001", ", ".join(after)))
    )


STORIES: dict[str, tuple[str, Callable[[Case, Bench], Outcome]]] = {
    "blocked": ("a blocked answer can be neither approved nor exported", _blocked),
    "edited": ("an edit makes the approval stale", _edited),
    "drifted": ("a new reading makes the approval stale", _drifted),
    "whole": ("what is approved and unchanged does leave", _whole),
}
SUITE = Suite("approval", "the gate, and approvals that must not serve", approval_cases, play_approval)
