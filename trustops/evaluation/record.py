"""The record of one evaluation: what was run, with what, what came of each case, and whether it is whole (evaluation.md, "Report")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from trustops.domain.base import Noun
from trustops.evaluation.gate import GateResult, GateState
from trustops.evaluation.metric import Measured
from trustops.evaluation.score import Score


class CaseOutcome(StrEnum):
    """ERROR is a case that could not be played to its end: it counts as failed. SKIPPED carries the reason and is never a pass."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True, slots=True)
class Step:
    """One expectation beside what came."""

    name: str
    expected: str
    actual: str
    ok: bool


class CaseResult(Noun):
    """What came of one case. `cause` says why it did not pass; `trace` leads to its run; `dossier` is the case file of what was decided."""

    case_id: str
    title: str = ""
    suite: str
    level: int
    dimension: str
    kind: str
    outcome: CaseOutcome
    cause: str = ""
    steps: tuple[Step, ...] = ()
    scores: tuple[Score, ...] = ()
    seconds: float = 0.0
    weight: Decimal = Decimal(1)
    skills: tuple[str, ...] = ()
    trace: str = ""
    dossier: dict[str, object] = {}


class Verdict(StrEnum):
    """Of the whole: exit code 0, 1 and 2."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    INCOMPLETE = "INCOMPLETE"

    @property
    def exit_code(self) -> int:
        return {"PASSED": 0, "FAILED": 1, "INCOMPLETE": 2}[self.value]


class Record(Noun):
    """One evaluation run. `stopped` says why it is not whole; empty where it is. `execution_mode` is TEST whatever served it."""

    run_id: str
    kind: str = "evaluation"
    started_at: datetime
    seconds: float
    git_commit: str
    git_dirty: bool | None = None
    dataset_version: str
    prompt_versions: dict[str, str]
    skill_versions: dict[str, str]
    model_profiles: dict[str, str]
    commands: tuple[str, ...]
    execution_mode: str = "TEST"
    real_model: bool = False
    engine: str = ""
    product: str = ""
    suites: tuple[str, ...]
    results: tuple[CaseResult, ...]
    measured: tuple[Measured, ...]
    gates: tuple[GateResult, ...]
    known_limitations: tuple[str, ...] = ()
    stopped: str = ""

    def count(self, outcome: CaseOutcome) -> int:
        """How many cases ended so."""
        return sum(result.outcome is outcome for result in self.results)

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        """Cases that failed or could not be played to their end."""
        return tuple(r for r in self.results if r.outcome in (CaseOutcome.FAILED, CaseOutcome.ERROR))

    @property
    def verdict(self) -> Verdict:
        """INCOMPLETE where it was stopped before its end, there was no case, or a figure is missing; FAILED where a case failed or a gate
        does not hold."""
        if self.stopped or not self.results:
            return Verdict.INCOMPLETE
        if self.failed or any(gate.state is GateState.FAILED for gate in self.gates):
            return Verdict.FAILED
        if any(gate.state is GateState.MISSING for gate in self.gates):
            return Verdict.INCOMPLETE
        return Verdict.PASSED
