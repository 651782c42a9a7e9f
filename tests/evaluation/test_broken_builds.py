"""Harm: the product is broken and the evaluation stays green. Each build here is broken on purpose, and the run must end with exit 1."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tests.adversarial.mutants import Mutant, function, mutants
from tests.counts import sampled
from trustops import assembly
from trustops.checks import drift
from trustops.domain import authenticity as modes
from trustops.domain import export
from trustops.domain.authenticity import ExecutionMode, Origin
from trustops.evaluation.gate import load_gates
from trustops.evaluation.record import Record
from trustops.evaluation.registry import SUITES
from trustops.evaluation.running import Wiring, chosen, run_suites
from trustops.workflow import casework

WIRING = Wiring(assembly.offline, assembly.provider_at)
GATES = load_gates()
Patch = pytest.MonkeyPatch


def ran(suite: str, *cases: str) -> Record:
    return run_suites(chosen(SUITES, names=[suite], cases=cases), WIRING, gates=GATES)


def failed(record: Record) -> list[str]:
    return [result.case_id for result in record.failed]


MUTANTS = {mutant.what: mutant for mutant in mutants(function(inspect.getsource(export), "gate"))}
ROWS = [what for what in MUTANTS if "row" in what and "removed" in what]
"""Each condition of the gate taken away in turn."""


def broken(patch: Patch, mutant: Mutant) -> None:
    patch.setattr(export, "gate", mutant.within(export)["gate"])


def test_the_unbroken_gate_passes() -> None:
    told = ran("approval", "approval/table")
    assert (failed(told), told.verdict.exit_code) == ([], 0)


def test_every_condition_of_the_gate_can_be_taken_away() -> None:
    assert len(ROWS) >= 20


@pytest.mark.parametrize("what", ROWS)
def test_a_gate_without_one_of_its_conditions_fails_the_run(monkeypatch: Patch, what: str) -> None:
    broken(monkeypatch, MUTANTS[what])
    told = ran("approval", "approval/table")
    assert (failed(told), told.verdict.exit_code) == (["approval/table"], 1)


@pytest.mark.long
@pytest.mark.parametrize("what", sorted(set(MUTANTS) - set(ROWS)))
def test_no_weakened_copy_of_the_gate_passes(monkeypatch: Patch, what: str) -> None:
    broken(monkeypatch, MUTANTS[what])
    assert ran("approval", "approval/table").verdict.exit_code == 1


def always_live(patch: Patch) -> None:
    from trustops.evaluation.suites import authenticity

    patch.setattr(authenticity, "execution_mode", lambda origins, **_: ExecutionMode.LIVE_AI)


def evaluations_are_live(patch: Patch) -> None:
    from trustops.evaluation.suites import authenticity

    def mode(origins: Any, *, entry: object, as_of_given: bool) -> ExecutionMode:
        return ExecutionMode.LIVE_AI if all(o is Origin.LIVE for o in origins) else ExecutionMode.TEST

    patch.setattr(authenticity, "execution_mode", mode)


def wire_says_live(patch: Patch) -> None:
    """A provider that takes the fake server's replies for its own."""
    from trustops.providers import sdk

    patch.setattr(sdk, "served_by", lambda headers: Origin.LIVE)


def no_proof_is_missing(patch: Patch) -> None:
    patch.setattr(modes, "_seats_missing", lambda calls: iter(()))


LABELS: dict[str, tuple[Callable[[Patch], None], str]] = {
    "everything is live": (always_live, "mode"),
    "evaluations are live": (evaluations_are_live, "mode"),
    "a scripted provider is labelled live": (wire_says_live, "run/product"),
    "missing seats are not noticed": (no_proof_is_missing, "proof"),
}


@pytest.mark.parametrize("name", LABELS)
def test_a_false_label_fails_the_run(monkeypatch: Patch, name: str) -> None:
    break_, cases = LABELS[name]
    assert failed(ran("authenticity", cases)) == []
    break_(monkeypatch)
    told = ran("authenticity", cases)
    assert failed(told) != []
    assert told.verdict.exit_code == 1


def nothing(*_: Any, **__: Any) -> tuple[()]:
    return ()


DROPPED = {
    "drift_findings": "G-002/drift-1",
    "closure_findings": "G-007/overcommitted-1",
    "citation_findings": "G-008/forged-1",
    "disclosure_findings": "G-009/disclosed-2",
    "conflict_findings": "G-003/values-1",
    "freshness_findings": "G-004/expired-2",
}
"""A finder that finds nothing, and a case that must notice."""


@pytest.mark.parametrize("finder", sampled(DROPPED, ["drift_findings", "disclosure_findings"]))
def test_a_dropped_finding_fails_the_run(monkeypatch: Patch, finder: str) -> None:
    monkeypatch.setattr(casework, finder, nothing)
    told = ran("golden", DROPPED[finder])
    assert failed(told) == [DROPPED[finder]]
    assert told.verdict.exit_code == 1


def test_a_drift_that_is_rounded_away_fails_the_run(monkeypatch: Patch) -> None:
    exact = drift._share
    monkeypatch.setattr(drift, "_share", lambda part, whole: (round(exact(part, whole)[0], 2), exact(part, whole)[1]))
    told = ran("control", "drift")
    assert "drift/one-of-a-million" in failed(told)
    assert told.verdict.exit_code == 1


def test_a_reviewer_s_failure_taken_for_a_pass_fails_the_run(monkeypatch: Patch) -> None:
    from trustops.domain.risk_review import conclude
    from trustops.evaluation.suites import reviewer

    def lenient(findings: Any, **given: Any) -> Any:
        from trustops.domain.opinion import ReviewerOpinion

        return conclude(findings, **(given | {"reviewer": ReviewerOpinion(decision="PASS", findings=())}))

    monkeypatch.setattr(reviewer, "conclude", lenient)
    told = ran("reviewer", "reviewer/no-opinion")
    assert told.verdict.exit_code == 1
    gate = next(g for g in told.gates if g.gate.metric == "reviewer_failure_treated_as_pass")
    assert gate.state == "FAILED"
