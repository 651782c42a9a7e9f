"""The runner: plays the cases of suites, one by one or in several processes, and makes the record of it.

An error inside a case is a failed case with its cause. What makes going on senseless stops the run: a full disk, a model that does not
answer, a file of cases or a metric that is wrong. What was played until then is kept, and the record says that it is not whole.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from multiprocessing import get_context
from pathlib import Path

from trustops.domain.errors import MalformedFile, TrustOpsError, Unavailable, UnknownName, UsageError
from trustops.evaluation.case import Case
from trustops.evaluation.gate import Gate, judged
from trustops.evaluation.listening import ModelGone
from trustops.evaluation.metric import METRICS, Registry, measured
from trustops.evaluation.record import CaseOutcome, CaseResult, Record
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, OpenOffice, Outcome, Suite
from trustops.evaluation.wire import Connect
from trustops.operations.grading import Task
from trustops.ports import ModelClient

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
Told = Callable[[CaseResult], None]
Graded = Callable[[Sequence[Task]], None]


@dataclass(frozen=True, slots=True)
class Wiring:
    """What assembly gives: functions that open offices and clients. `model` is the client that is judged, None for the workspace's own."""

    open_office: OpenOffice
    connect: Connect
    model: Callable[[], ModelClient] | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What a record says of the run beside its results (evaluation.md, "Report")."""

    git_commit: str = ""
    git_dirty: bool | None = None
    dataset_version: str = ""
    prompt_versions: Mapping[str, str] = field(default_factory=dict)
    skill_versions: Mapping[str, str] = field(default_factory=dict)
    model_profiles: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    real_model: bool = False
    engine: str = ""
    product: str = ""
    limitations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """A case as it came back from where it was played."""

    outcome: Outcome | None
    cause: str
    stops: str
    seconds: float


def run_suites(
    chosen: Sequence[tuple[Suite, Sequence[Case]]],
    wiring: Wiring,
    *,
    gates: Sequence[Gate] = (),
    about: About | None = None,
    jobs: int = 1,
    told: Told | None = None,
    graded: Graded | None = None,
    registry: Registry = METRICS,
    kind: str = "evaluation",
) -> Record:
    """Plays every case and holds the figures against the gates. `graded` hears what a case proved of seats and skills. Raises UsageError
    where there is no case at all."""
    plays = [(suite, case) for suite, cases in chosen for case in cases]
    if not plays:
        raise UsageError("there is no case to play", remedy="`trustops eval list` names suites and cases.")
    began, clock = datetime.now(UTC), time.monotonic()
    results, stopped = _played(plays, wiring, jobs, told or _quiet, graded or _quiet)
    scores = [score for result in results for score in (*result.scores, _as_score(result))]
    about = about or About()
    try:
        figures = measured(scores, registry)
    except UnknownName as unknown:  # a score that no metric takes: the figures of the others stand
        known = {metric.name for metric in registry}
        scores, stopped = [score for score in scores if score.metric in known], stopped or str(unknown)
        figures = measured(scores, registry)
    return Record(
        run_id=f"E-{began:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}",
        kind=kind,
        started_at=began,
        seconds=round(time.monotonic() - clock, 3),
        git_commit=about.git_commit,
        git_dirty=about.git_dirty,
        dataset_version=about.dataset_version,
        prompt_versions=dict(about.prompt_versions),
        skill_versions=dict(about.skill_versions),
        model_profiles=dict(about.model_profiles),
        commands=about.commands,
        real_model=about.real_model,
        engine=about.engine,
        product=about.product,
        suites=tuple(suite.name for suite, _ in chosen),
        results=tuple(results),
        measured=figures,
        gates=judged(gates, scores, [suite.name for suite, _ in chosen], registry),
        known_limitations=about.limitations,
        stopped=stopped,
    )


def _as_score(result: CaseResult) -> Score:
    """Whether a case passed, as a figure of its own; a skipped one is missing."""
    skipped = result.outcome is CaseOutcome.SKIPPED
    amount = None if skipped else Decimal(result.outcome is CaseOutcome.PASSED)
    return Score(metric="case_passed", case_id=result.case_id, amount=amount, authority=Authority.DETERMINISTIC)


def _played(plays: Sequence[tuple[Suite, Case]], wiring: Wiring, jobs: int, told: Told, graded: Graded) -> tuple[list[CaseResult], str]:
    """Results in the order of the cases, and why it stopped before the last one, where it did."""
    results: list[CaseResult] = []
    with _executor(wiring, jobs) as pool:
        futures = [pool.submit(_play, suite.play, case) for suite, case in plays]
        for (suite, case), future in zip(plays, futures, strict=True):
            ended = _ended(future)
            results.append(_result(suite, case, ended))
            told(results[-1])
            if ended.outcome is not None:
                graded(ended.outcome.grades)
            if ended.stops:
                for rest in futures:
                    rest.cancel()
                return results, f"{case.case_id}: {ended.stops}"
    return results, ""


def _ended(future: Future[tuple[Outcome, float]]) -> Ended:
    failure = future.exception()
    if failure is None:
        outcome, seconds = future.result()
        return Ended(outcome, "", "", seconds)
    if not isinstance(failure, Exception):
        raise failure  # somebody wants the program to end
    cause = str(failure) if isinstance(failure, TrustOpsError) else f"{type(failure).__name__}: {failure}"
    return Ended(None, cause, _stops(failure), 0.0)


def _stops(failure: Exception) -> str:
    """The reason, where no further case can be played or believed."""
    if isinstance(failure, ModelGone):
        return f"the model does not answer ({failure.message})"
    if isinstance(failure, OSError) and failure.errno in FULL:
        return f"the disk takes nothing more ({failure.strerror})"
    if isinstance(failure, MalformedFile | Unavailable):
        return str(failure)
    if isinstance(failure, BrokenExecutor):
        return "a process that played cases has died"
    return ""


def _result(suite: Suite, case: Case, ended: Ended) -> CaseResult:
    outcome = ended.outcome
    told = {
        "case_id": case.case_id,
        "title": case.title,
        "suite": suite.name,
        "level": case.level,
        "dimension": case.dimension,
        "kind": case.kind,
        "weight": case.weight,
        "skills": case.skills,
        "seconds": round(ended.seconds, 3),
    }
    if outcome is None:
        return CaseResult(**told, outcome=CaseOutcome.ERROR, cause=ended.cause)
    if outcome.skipped:
        return CaseResult(**told, outcome=CaseOutcome.SKIPPED, cause=outcome.skipped)
    wrong = [f"{step.name}: {step.actual}, expected {step.expected}" for step in outcome.steps if not step.ok]
    cause = "; ".join(wrong) if outcome.steps else "the case asserts nothing"
    return CaseResult(
        **told,
        outcome=CaseOutcome.PASSED if outcome.passed else CaseOutcome.FAILED,
        cause="" if outcome.passed else cause,
        steps=outcome.steps,
        scores=outcome.scores,
        trace=outcome.trace,
        dossier=dict(outcome.dossier) if not outcome.passed else {},
    )


# -- where cases are played ----------------------------------------------------------------------------------------------

_BENCH: list[Bench] = []
"""The bench of this process or thread pool; made when it starts."""


@contextmanager
def _executor(wiring: Wiring, jobs: int) -> Iterator[Executor]:
    """One thread, or as many processes. Each has a scratch folder, which is removed at the end."""
    scratch = Path(tempfile.mkdtemp(prefix="trustops-eval-"))
    pool: Executor
    if jobs > 1:
        pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_open_bench, initargs=(wiring, scratch))
    else:
        pool = ThreadPoolExecutor(1, initializer=_open_bench, initargs=(wiring, scratch))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        shutil.rmtree(scratch, ignore_errors=True)


def _open_bench(wiring: Wiring, scratch: Path) -> None:
    mine = scratch / uuid.uuid4().hex[:8]
    mine.mkdir()
    _BENCH[:] = [Bench(wiring.open_office, wiring.connect, mine, wiring.model)]


def _play(play: Callable[[Case, Bench], Outcome], case: Case) -> tuple[Outcome, float]:
    began = time.monotonic()
    return play(case, _BENCH[0]), time.monotonic() - began


def _quiet(heard: object) -> None:
    """Nobody listens."""


def chosen(
    suites: Iterable[Suite], *, names: Sequence[str] = (), cases: Sequence[str] = (), skills: frozenset[str] | None = None
) -> tuple[tuple[Suite, tuple[Case, ...]], ...]:
    """Suites with the cases to play. `cases` are ids or their beginnings up to a separator; `skills` keeps the cases that one of them makes
    stale. Raises UnknownName for a suite or case that is none."""
    known = {suite.name: suite for suite in suites}
    for name in names:
        if name not in known:
            raise UnknownName(f"there is no suite {name!r}", remedy=f"There are {', '.join(known)}.")
    picked = [known[name] for name in dict.fromkeys(names)] or list(known.values())
    held = [(suite, suite.cases()) for suite in picked]
    for wanted in cases:
        if not any(_named(case, wanted) for _, all_of in held for case in all_of):
            raise UnknownName(f"there is no case {wanted!r}", remedy="`trustops eval list` names suites and cases.")
    kept = ((suite, tuple(case for case in all_of if _wanted(case, cases, skills))) for suite, all_of in held)
    return tuple((suite, mine) for suite, mine in kept if mine)


def _wanted(case: Case, names: Sequence[str], skills: frozenset[str] | None) -> bool:
    fits = not names or any(_named(case, name) for name in names)
    return fits and (skills is None or case.stale_by(skills))


def _named(case: Case, name: str) -> bool:
    return case.case_id == name or case.case_id.startswith((f"{name}/", f"{name}."))
