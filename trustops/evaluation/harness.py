"""The harness: an honest run, the drills and the model answers of a truth file, each in a copy of the workspace."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from trustops.domain.authenticity import EntryPoint
from trustops.domain.chain import sha256
from trustops.evaluation.actors import DrillClient, ModelAnswers
from trustops.evaluation.grade import Graded, Rate, grade, grade_question, metrics
from trustops.evaluation.suite import OpenOffice
from trustops.evaluation.truth import Drill, Truth, TruthQuestion, load_truth
from trustops.evaluation.wire import Connect, over_wire
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.grading import Task
from trustops.operations.grading_evaluations import evaluated
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.reporting import report
from trustops.ports import ModelClient

DRILL_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class DrillResult:
    """What the gates concluded about one bad or failing seat."""

    ref: str
    drill: Drill
    decision: str
    codes: tuple[str, ...]
    ok: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything a truth file measured."""

    truth: Truth
    graded: tuple[Graded, ...]
    rechecked: tuple[Graded, ...]
    drills: tuple[DrillResult, ...]
    answers: tuple[Graded, ...]
    grades: tuple[Task, ...]
    """What the honest run proved of seats and skills; drills and model answers are scripts, and not in it."""
    figures: Mapping[str, Rate]
    commands: str


def _quiet(text: str) -> None:
    """Nobody listens."""


def evaluate(
    truth_path: Path,
    workspace: Path,
    file: Path,
    *,
    open_office: OpenOffice,
    connect: Connect,
    drills: bool = True,
    model_answers: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Evaluation:
    """Grades a workspace and questionnaire. Runs are TEST by entry point, judged at the truth's instant."""
    say = progress or _quiet
    truth = load_truth(truth_path)
    with _copy(workspace) as house:
        office = open_office(house, entry=EntryPoint.EVALUATION)
        say(f"Honest run of {len(truth.questions)} questions ...")
        honest = run(office, file, truth.as_of)
        graded, grades = grade(truth, honest), evaluated(office, str(honest["run"]), _case_named(truth_path, file))
        rechecked = recheck(office, truth, truth_path.parent, file)
        played: list[DrillResult] = []
        for question in truth.questions if drills else ():
            for drill in question.drills:
                say(f"Drill {question.ref} {drill.golden} ({drill.seat}) ...")
                played.append(play(office, truth, question, drill, file, connect))
        answered = (
            grade(truth, run(with_client(office, ModelAnswers(office.client, truth.questions)), file, truth.as_of)) if model_answers else ()
        )
    figures = metrics(graded)
    return Evaluation(truth, graded, rechecked, tuple(played), answered, grades, figures, f"profile {office.profile}, {office.engine.name}")


def _case_named(labels: Path, file: Path) -> str:
    """The questionnaire by its content, with the labels' name: another file of that name is another case."""
    return f"{labels.stem}-{sha256(file.read_bytes())[:12]}"


def with_client(office: Office, client: ModelClient, *, timeout_s: float | None = None) -> Office:
    """The same office with other seats."""
    if timeout_s is None:
        return replace(office, client=client)
    hasty = replace(office.allowance, timeout_s=timeout_s, guard_s=None)
    return replace(office, client=client, allowance=hasty, allowances={})


def run(office: Office, file: Path, as_of: datetime, only: Sequence[str] = ()) -> dict[str, Any]:
    """One run; the report afterwards."""
    review = take_in(office, file)
    prepared = prepare(office, review, only=only, as_of=as_of, watch=lambda kind, question, data: None)
    asyncio.run(alone(office, run_review(office, prepared, lambda kind, question, data: None)))
    return report(office, review)


def play(office: Office, truth: Truth, question: TruthQuestion, drill: Drill, file: Path, connect: Connect) -> DrillResult:
    """One drill through the whole machine, its seats behind a real SDK and the wire."""
    only = [question.ref, *([drill.together_with] if drill.together_with else [])]
    timeout = DRILL_TIMEOUT_S if drill.fault == "timeout" else None
    with over_wire(DrillClient(office.client, drill, question.ref), connect) as client:
        told = run(with_client(office, client, timeout_s=timeout), file, truth.as_of, only)
    entry = next(q for q in told["questions"] if q["ref"] == question.ref)
    codes = tuple(sorted({f["code"] for f in entry["findings"]}))
    problems = list(_problems(drill, entry, set(codes)))
    return DrillResult(question.ref, drill, entry["decision"], codes, not problems, "; ".join(problems))


def _problems(drill: Drill, entry: Mapping[str, Any], codes: set[str]) -> Iterator[str]:
    expect = drill.expect
    if entry["decision"] != expect.decision.value:
        yield f"decision {entry['decision']}, expected {expect.decision.value}"
    if missing := {c.value for c in expect.findings} - codes:
        yield f"missing {sorted(missing)}"
    if expect.findings_one_of and not {c.value for c in expect.findings_one_of} & codes:
        yield f"none of {[c.value for c in expect.findings_one_of]}"
    review = entry["risk_review"] or {}
    for name in ("status", "source"):
        wanted = getattr(expect, name)
        if wanted is not None and review.get(name) != wanted:
            yield f"{name} {review.get(name)}, expected {wanted}"


def recheck(office: Office, truth: Truth, beside: Path, file: Path) -> tuple[Graded, ...]:
    """The questions that truth expects otherwise after new snapshots; the old ones are put back afterwards."""
    again = [q for q in truth.questions if q.expected.recheck]
    if not again:
        return ()
    folder = beside / str((again[0].expected.recheck or {}).get("snapshots", ""))
    source = folder if folder.is_dir() else office.workspace / folder.name
    if not source.is_dir():
        return ()
    kept = office.workspace / "snapshots"
    away = office.workspace / "snapshots-before"
    kept.rename(away)
    shutil.copytree(source, kept)
    told = run(office, file, truth.as_of, [q.ref for q in again])
    shutil.rmtree(kept)
    away.rename(kept)
    actual = {entry["ref"]: entry for entry in told["questions"]}
    return tuple(grade_question(_after(q), actual[q.ref]) for q in again)


def _after(question: TruthQuestion) -> TruthQuestion:
    changes = {k: v for k, v in (question.expected.recheck or {}).items() if k != "snapshots"}
    base = question.expected.model_dump(mode="json") | {
        "findings_allowed": [],
        "determination_allowed": [],
        "decision_allowed": [],
        "conflicts": [],
    }
    expected = type(question.expected).model_validate(base | changes)
    return question.model_copy(update={"expected": expected})


@contextmanager
def _copy(workspace: Path) -> Iterator[Path]:
    """The workspace without its state, so that grading leaves no trace in it."""
    with tempfile.TemporaryDirectory() as scratch:
        house = Path(scratch) / "workspace"
        shutil.copytree(workspace, house, ignore=shutil.ignore_patterns(".trustops"))
        yield house
