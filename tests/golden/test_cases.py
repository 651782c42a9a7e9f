"""Harm: a golden case passes for another reason than its own, or does not pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops import assembly
from trustops.evaluation.cases import load_case
from trustops.evaluation.replay import replay_case
from trustops.roster import shipped

CASES = sorted(path.stem.upper() for path in shipped("golden").glob("*.yaml"))
MUST_NAME_EXHIBIT = {"Q-005", "G-002", "G-003", "G-004", "G-006", "G-008", "G-009", "G-011", "G-012"}


def test_all_thirteen_cases_are_there() -> None:
    assert set(CASES) == {"Q-005", *(f"G-{number:03d}" for number in range(1, 13))}


@pytest.mark.parametrize("name", CASES)
def test_the_case_ends_as_written_and_for_its_own_reason(name: str) -> None:
    case = load_case(name)
    played = replay_case(case, assembly.office, assembly.provider_at)
    assert [step for step in played.steps if not step.ok] == []
    assert played.passed
    assert (played.execution_mode, played.origin) == ("TEST", "SCRIPTED")
    assert name not in MUST_NAME_EXHIBIT or any(finding.exhibit for finding in case.expect.findings)


def test_a_case_that_expects_something_else_fails(tmp_path: Path) -> None:
    text = (shipped("golden") / "g-002.yaml").read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        text.replace("CONTROL_DRIFT, exhibit: S-mfa-enrolment@1", "CONTROL_DRIFT, exhibit: S-another-control@1"), encoding="utf-8"
    )
    played = replay_case(load_case(str(wrong)), assembly.office, assembly.provider_at)
    assert not played.passed
