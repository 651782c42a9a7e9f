"""Small suites for tests of the runner: players that do as their case says."""

from __future__ import annotations

import errno
from decimal import Decimal
from typing import Any

from trustops.domain.errors import MalformedFile, UsageError
from trustops.evaluation.case import Case
from trustops.evaluation.listening import ModelGone
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, step


def a_case(name: str, does: str = "pass", **more: Any) -> Case:
    told = {"level": 1, "dimension": "runner", "kind": "unit", "source": "this test", "expect": {"n": 1}}
    return Case.model_validate(told | {"case_id": name, "input": {"does": does}} | more)


def play(case: Case, bench: Bench) -> Outcome:
    does = case.input["does"]
    if does == "raise":
        raise KeyError("choices")
    if does == "refuse":
        raise UsageError("the papers are not there", where="evidence/")
    if does == "model gone":
        raise ModelGone("connection refused")
    if does == "disk full":
        raise OSError(errno.ENOSPC, "No space left on device")
    if does == "malformed":
        raise MalformedFile("input.age: no span of time", where="drift.yaml, line 3")
    if does == "skip":
        return Outcome((), skipped="the baseline failed")
    if does == "say nothing":
        return Outcome(())
    ok = does != "fail"
    metric = "no_such_metric" if does == "unknown metric" else "question_recall"
    score = Score(metric=metric, case_id=case.case_id, amount=Decimal(int(ok)), authority=Authority.DETERMINISTIC)
    return Outcome((step("n", 1, 1 if ok else 2),), (score,), trace=f"trace-{case.case_id}", dossier={"held": "<b>papers</b>"})


def suite(*cases: Case, name: str = "runner") -> tuple[Suite, tuple[Case, ...]]:
    return Suite(name, "as told", lambda: cases, play), cases
