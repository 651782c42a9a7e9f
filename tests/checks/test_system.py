"""Harm: nobody measured it, or no model read it, and nobody is told."""

from __future__ import annotations

import pytest

from tests.checks.bench import AT, control, snapshot
from trustops.checks.drift import evaluate
from trustops.checks.system import offline_draft, unmeasured
from trustops.domain.control import Risk

READING = evaluate(control(), snapshot({"locked": 9, "doors": 9}), AT)


@pytest.mark.parametrize("risk", list(Risk))
@pytest.mark.parametrize("measured", [True, False])
def test_high_risk_that_no_control_measures_is_told(risk: Risk, measured: bool) -> None:
    found = unmeasured(risk, [READING] if measured else [])
    assert [(f.code.value, f.blocks) for f in found] == ([("NOT_MEASURED", False)] if risk is Risk.HIGH and not measured else [])


def test_an_offline_draft_says_so_and_routes_to_a_person() -> None:
    (finding,) = offline_draft()
    assert (finding.code.value, finding.blocks, finding.source.value, finding.cited) == ("OFFLINE_DRAFT", False, "RULES", True)
    assert finding.remedy
