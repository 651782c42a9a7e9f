"""The failure suite: each row of evaluation.md, "Failure injection", is seen, leaves nothing half-written, and one deed mends it.

The deeds are the operations behind the documented commands (docs/operations.md): resume, recheck, watch, approve, export.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from trustops.domain.authenticity import SEATS
from trustops.domain.errors import TrustOpsError, Unavailable
from trustops.domain.record import TERMINAL_EVENTS
from trustops.evaluation.case import Case, Fault
from trustops.evaluation.cases import build_workspace, load_case
from trustops.evaluation.record import Step
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, step
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.resuming import go_on
from trustops.ports import StoredReview
from trustops.team.seat import Allowance
from trustops.testing.failing import Malformed, Slow

SOON_S = 0.1
"""How long a seat may take; only a model that never replies is meant to need it."""
REF, BY, CONTROL = "G-001", "Ana Reviewer", "disk-encryption"


@dataclass(frozen=True, slots=True)
class Scene:
    """A reviewed organisation with one question, at the instant of its case."""

    office: Office
    review: StoredReview
    house: Path

    def again(self, office: Office) -> dict[str, Any]:
        """Another attempt, with something broken; what the books then say."""
        self._ran(office, prepare(office, self.review, only=[REF], as_of=load_case(REF).as_of, watch=_nobody))
        return self.stands()

    def mended(self) -> dict[str, Any]:
        """What `resume` does."""
        self._ran(self.office, go_on(self.office, None, _nobody))
        return self.stands()

    def _ran(self, office: Office, prepared: Any) -> None:
        asyncio.run(run_review(office, prepared, _nobody))

    def stands(self) -> dict[str, Any]:
        """Decision, source and codes of the newest attempt, and how its run ended."""
        record = self.office.ledger.latest_records(self.review.id)[REF]
        run = self.office.ledger.get_run(record.run)
        last = [event.kind for event in self.office.ledger.events(record.run, limit=10_000)][-1]
        codes = sorted({finding.code.value for finding in record.result.findings})
        told = {"decision": record.result.decision.value, "source": record.result.source.value, "codes": codes}
        return told | {"ended": bool(run and run.state == "FINISHED") and last in TERMINAL_EVENTS}

    def decided(self) -> tuple[object, ...]:
        """What people decided; a failure must not touch it."""
        ledger = self.office.ledger
        return dict(ledger.latest_approvals(self.review.id)), ledger.audit(), ledger.exports(self.review.id)


def failure_cases() -> tuple[Case, ...]:
    """One for each row."""
    return tuple(
        Case(
            case_id=f"failure/{name}",
            title=title,
            level=4,
            dimension="failure",
            kind="fault",
            source="evaluation.md, Failure injection",
            input={"row": name},
            expect={"seen": True, "whole": True, "mended": True},
            faults=(fault,),
        )
        for name, (title, fault, _) in ROWS.items()
    )


def play_failure(case: Case, bench: Bench) -> Outcome:
    """Breaks it, looks, mends it."""
    with _scene(case, bench) as scene:
        steps = tuple(ROWS[case.input["row"]][2](scene))
    hit = Decimal(int(all(each.ok for each in steps)))
    return Outcome(steps, (Score(metric="failure_recovered", case_id=case.case_id, amount=hit, authority=Authority.DETERMINISTIC),))


@contextmanager
def _scene(case: Case, bench: Bench) -> Iterator[Scene]:
    golden = load_case(REF)
    house = bench.folder(case.case_id)
    file = build_workspace(golden, house)
    with bench.office(house) as opened:
        office = replace(opened, as_of=golden.as_of)
        review = take_in(office, file)
        scene = Scene(office, review, house)
        scene.again(office)
        yield scene


def _nobody(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


# -- rows ----------------------------------------------------------------------------------------------------------------


def _seen(scene: Scene, told: dict[str, Any], code: str, before: object) -> Iterator[Step]:
    yield step("decision", "BLOCK", told["decision"])
    yield Step("seen", code, ", ".join(told["codes"]), code in told["codes"])
    yield step("the run came to its end", True, told["ended"])
    yield step("approvals, audit and exports", "untouched", "untouched" if scene.decided() == before else "changed")


def _well(told: dict[str, Any]) -> Iterator[Step]:
    gone = [code for code in told["codes"] if "UNAVAILABLE" in code]
    yield step("left of the failure", "nothing", ", ".join(gone) or "nothing")
    yield step("decision after it", "not BLOCK", "not BLOCK" if told["decision"] != "BLOCK" else "BLOCK")


def _timeout(seat: str) -> Callable[[Scene], Iterator[Step]]:
    def play(scene: Scene) -> Iterator[Step]:
        before = scene.decided()
        office = replace(scene.office, client=Slow([seat], scene.office.client), allowances={seat: Allowance(SOON_S)})
        told = scene.again(office)
        yield from _seen(scene, told, "REVIEWER_UNAVAILABLE" if seat == "reviewer" else "AGENT_UNAVAILABLE", before)
        if seat == "reviewer":
            yield step("decided by", "SYSTEM_FAIL_CLOSED", told["source"])
        yield from _well(scene.mended())

    return play


def _invalid(scene: Scene) -> Iterator[Step]:
    before = scene.decided()
    told = scene.again(replace(scene.office, client=Malformed(["answer"], scene.office.client)))
    yield from _seen(scene, told, "AGENT_UNAVAILABLE", before)
    yield from _well(scene.mended())


class Deaf:
    """An index whose searches fail."""

    def __init__(self, index: Any) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def search(self, query: str, *, limit: int = 10) -> Any:
        """Nothing comes back."""
        raise OSError(5, "the index cannot be read")


def _skill(scene: Scene) -> Iterator[Step]:
    before = scene.decided()
    told = scene.again(replace(scene.office, index=Deaf(scene.office.index)))
    yield from _seen(scene, told, "AGENT_UNAVAILABLE", before)
    yield from _well(scene.mended())


def _adapter(scene: Scene) -> Iterator[Step]:
    before, path = scene.decided(), scene.house / "snapshots" / f"{CONTROL}.json"
    kept, whole = scene.office.ledger.snapshots()[CONTROL], path.read_text(encoding="utf-8")
    path.write_text(whole[: len(whole) // 2], encoding="utf-8")
    told = scene.again(scene.office)
    yield from _seen(scene, told, "CONTROL_UNAVAILABLE", before)
    yield step("earlier snapshots", len(kept), sum(a == b for a, b in zip(kept, scene.office.ledger.snapshots()[CONTROL], strict=False)))
    path.write_text(whole, encoding="utf-8")
    yield from _well(scene.again(scene.office))


def _disconnect(scene: Scene) -> Iterator[Step]:
    """A watcher who loses the line after any event gets the rest under its own numbers, to the last one."""
    run = scene.office.ledger.latest_records(scene.review.id)[REF].run
    every = scene.office.ledger.events(run, limit=10_000)
    rests = [scene.office.ledger.events(run, after=event.seq, limit=10_000) for event in every[:-1]]
    whole = sum([event.seq for event in rest] == list(range(at + 2, len(every) + 1)) for at, rest in enumerate(rests))
    yield step("events without a gap", list(range(1, len(every) + 1)), [event.seq for event in every])
    yield step("places to lose the line", "some", "some" if rests else "none")
    yield step("resumed whole", len(rests), whole)
    yield step("last event ends the run", True, every[-1].kind in TERMINAL_EVENTS)


def _rollback(scene: Scene) -> Iterator[Step]:
    ledger, before = scene.office.ledger, scene.decided()
    append = ledger.append_audit

    def full(kind: str, **rest: Any) -> Any:
        append(kind, **rest)
        raise Unavailable("the disk is full: nothing was written", remedy="Make room, then try again.")

    ledger.append_audit = full  # type: ignore[method-assign]
    said = _said(lambda: approve(scene.office, scene.review, REF, 1, by=BY))
    ledger.append_audit = append  # type: ignore[method-assign]
    yield Step("seen", "nothing was written", said, "nothing was written" in said)
    yield step("approvals, audit and exports", "untouched", "untouched" if scene.decided() == before else "changed")
    approve(scene.office, scene.review, REF, 1, by=BY)
    yield step("approved by the same deed again", "APPROVED", scene.office.ledger.latest_approvals(scene.review.id)[REF].verdict.value)


class Stuck:
    """Files that reach the disk and cannot be renamed."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @contextmanager
    def waiting(self) -> Iterator[Any]:
        """Files whose renaming fails."""
        with self._inner.waiting() as files:
            files.place = self._refuse
            yield files

    def _refuse(self) -> None:
        raise OSError(28, "No space left on device")


def _export(scene: Scene) -> Iterator[Step]:
    approve(scene.office, scene.review, REF, 1, by=BY)
    out = scene.house / "out"
    said = _said(lambda: export(replace(scene.office, bundles=Stuck(scene.office.bundles)), scene.review, out, to="Customer"))
    left = [path.name for path in out.iterdir() if not path.name.startswith(".")] if out.is_dir() else []
    yield step("seen", True, bool(said))
    yield step("files without their record", "none", ", ".join(left) or "none")
    made = export(scene.office, scene.review, out, to="Customer")
    yield step("exported by the same deed again", REF, ", ".join(made.exported))
    yield step("exports on record", 1, len(scene.office.ledger.exports(scene.review.id)))
    yield step("files in place", True, made.file.is_file() and made.bundle.is_file())


def _conflict(scene: Scene) -> Iterator[Step]:
    text = scene.office.ledger.latest_answers(scene.review.id)[REF].text
    asyncio.run(edit_answer(scene.office, scene.review, REF, by=BY, text=text))
    newest, before = scene.office.ledger.latest_answers(scene.review.id)[REF].version, scene.decided()
    said = _said(lambda: approve(scene.office, scene.review, REF, 1, by=BY))
    yield Step("a newer version", "2 or more", str(newest), newest >= 2)
    yield Step("seen", "version 1 is not the current one", said, "version 1 is not the current one" in said)
    yield step("approvals, audit and exports", "untouched", "untouched" if scene.decided() == before else "changed")
    approve(scene.office, scene.review, REF, newest, by=BY)
    yield step("the newer version", "APPROVED", scene.office.ledger.latest_approvals(scene.review.id)[REF].verdict.value)


def _said(deed: Callable[[], object]) -> str:
    try:
        deed()
    except (TrustOpsError, OSError) as refusal:
        return str(refusal)
    return ""


Row = tuple[str, Fault, Callable[[Scene], Iterator[Step]]]
ROWS: dict[str, Row] = {
    **{f"{seat}-timeout": (f"{seat} timeout", Fault(place=seat, kind="timeout"), _timeout(seat)) for seat in SEATS},
    "invalid-structured-output": ("invalid structured output", Fault(place="answer", kind="malformed"), _invalid),
    "skill-failure": ("skill failure", Fault(place="skill", kind="error"), _skill),
    "adapter-failure": ("adapter failure", Fault(place="collector", kind="half a file"), _adapter),
    "sse-disconnect": ("SSE disconnect", Fault(place="stream", kind="disconnect"), _disconnect),
    "approval-transaction-rollback": ("approval transaction rollback", Fault(place="approval", kind="disk full"), _rollback),
    "export-partial-failure": ("export partial failure", Fault(place="export", kind="rename fails"), _export),
    "version-conflict": ("version conflict", Fault(place="approval", kind="overtaken"), _conflict),
}
SUITE = Suite("failures", "every row of failure injection", failure_cases, play_failure)
