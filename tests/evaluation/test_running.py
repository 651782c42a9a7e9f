"""Harm: a case that could not be played is left out of the count, and the run is green without it."""

from __future__ import annotations

import asyncio
import copy
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.cases import a_case, suite
from trustops import assembly
from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed, RuleBroken, UnknownName, UsageError
from trustops.evaluation.case import Case
from trustops.evaluation.gate import Gate
from trustops.evaluation.listening import Heard, Listening, ModelGone, answering
from trustops.evaluation.record import CaseOutcome, Record, Verdict
from trustops.evaluation.running import Wiring, chosen, run_suites
from trustops.evaluation.score import Authority
from trustops.evaluation.suite import Bench, Outcome, Suite, step
from trustops.facts.nouns import Names
from trustops.operations.grading import Task, shipped
from trustops.ports import ModelReply, ModelRequest
from trustops.providers.extractive import ExtractiveClient

WIRING = Wiring(assembly.offline, assembly.provider_at)
RECALL = Gate(metric="question_recall", wanted="equals", value=Decimal(1), authority=Authority.DETERMINISTIC, needs=("runner",))


def ran(*cases: Case, **more: Any) -> Record:
    return run_suites([suite(*cases)], WIRING, **more)


def test_an_error_inside_a_case_is_a_failed_case_with_its_cause_and_the_others_are_played() -> None:
    told = ran(a_case("a"), a_case("b", "raise"), a_case("c", "refuse"), a_case("d"))
    assert [result.outcome for result in told.results] == ["PASSED", "ERROR", "ERROR", "PASSED"]
    assert told.results[1].cause == "KeyError: 'choices'"
    assert told.results[2].cause == "evidence/: the papers are not there"
    assert (told.verdict, told.verdict.exit_code, told.stopped) == (Verdict.FAILED, 1, "")


def test_a_case_that_asserts_nothing_fails() -> None:
    told = ran(a_case("a", "say nothing"))
    assert (told.results[0].outcome, told.results[0].cause) == (CaseOutcome.FAILED, "the case asserts nothing")


def test_no_case_at_all_cannot_run() -> None:
    with pytest.raises(UsageError, match="there is no case to play") as refusal:
        ran()
    assert refusal.value.exit_code == 2


def test_a_skipped_case_is_no_pass_and_its_reason_is_told() -> None:
    told = ran(a_case("a", "skip"), a_case("b"))
    assert told.results[0].cause == "the baseline failed"
    assert told.count(CaseOutcome.PASSED) == 1
    passed = next(figure for figure in told.measured if figure.metric == "case_passed")
    assert (passed.of, passed.missing, passed.state) == (1, 1, "INCOMPLETE")


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("model gone", "the model does not answer (connection refused)"),
        ("disk full", "the disk takes nothing more (No space left on device)"),
        ("malformed", "drift.yaml, line 3: input.age: no span of time"),
    ],
)
def test_what_makes_going_on_senseless_stops_the_run_and_what_was_played_is_kept(does: str, why: str) -> None:
    told = ran(a_case("a"), a_case("b", does), a_case("c"), gates=[RECALL])
    assert [result.case_id for result in told.results] == ["a", "b"]
    assert told.stopped == f"b: {why}"
    assert (told.verdict, told.verdict.exit_code) == (Verdict.INCOMPLETE, 2)
    assert told.results[0].outcome is CaseOutcome.PASSED


def test_a_score_of_an_unknown_metric_makes_the_run_incomplete_and_keeps_the_other_figures() -> None:
    told = ran(a_case("a"), a_case("b", "unknown metric"))
    assert "there is no metric 'no_such_metric'" in told.stopped
    assert told.verdict.exit_code == 2
    assert next(figure for figure in told.measured if figure.metric == "question_recall").of == 1


def test_a_gate_that_fails_fails_the_run() -> None:
    told = ran(a_case("a", "fail"), a_case("b"), gates=[RECALL])
    assert [gate.state for gate in told.gates] == ["FAILED"]
    assert told.verdict.exit_code == 1


def test_a_gate_without_a_figure_makes_the_run_incomplete() -> None:
    unmeasured = RECALL.model_copy(update={"metric": "authority_accuracy"})
    assert ran(a_case("a"), gates=[unmeasured]).verdict.exit_code == 2


@pytest.mark.long
def test_several_processes_give_the_same_results_in_the_same_order() -> None:
    cases = [a_case(f"c-{number}", "raise" if number == 3 else "pass") for number in range(8)]
    one, many = ran(*cases), ran(*cases, jobs=2)
    assert [(r.case_id, r.outcome, r.cause) for r in many.results] == [(r.case_id, r.outcome, r.cause) for r in one.results]


def test_suites_and_cases_are_chosen_by_name_and_what_is_none_is_refused() -> None:
    first, _ = suite(a_case("G-001"), a_case("G-001/v-1"), a_case("G-0011"))
    assert [case.case_id for _, cases in chosen([first], cases=["G-001"]) for case in cases] == ["G-001", "G-001/v-1"]
    with pytest.raises(UnknownName, match="no suite 'runer'"):
        chosen([first], names=["runer"])
    with pytest.raises(UnknownName, match="no case 'G-002'"):
        chosen([first], cases=["G-002"])


class Gone:
    origin = Origin.LIVE

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise ProviderFailed("HTTP 503", kind="http", where="anthropic")


class Garbled(Gone):
    async def complete(self, request: ModelRequest) -> ModelReply:
        raise ProviderFailed("no JSON", kind="invalid")


def asked(client: Any) -> Heard:
    heard = Heard()
    request = ModelRequest(seat="answer", prompt="p", system="s", user="u", shape_name="n", shape={}, payload={})
    with pytest.raises(ProviderFailed):
        asyncio.run(Listening(client, heard).complete(request))
    return heard


def test_a_model_that_does_not_answer_ends_the_run_and_one_that_answers_badly_does_not() -> None:
    with pytest.raises(ModelGone, match="HTTP 503"):
        answering(asked(Gone()))
    answering(asked(Garbled()))


def test_who_is_listened_to_declares_its_own_origin() -> None:
    assert Listening(Gone(), Heard()).origin is Origin.LIVE
    assert Listening(ExtractiveClient(Names()), Heard()).origin is Origin.SCRIPTED


@pytest.mark.parametrize(
    "error", [ProviderFailed("x", kind="http", attempts=3), RuleBroken("y", rule="range", where="z"), ModelGone("gone")]
)
def test_an_error_reaches_another_process_whole(error: Any) -> None:
    again = copy.copy(error)  # made anew by the same way as from another process
    assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__)


def test_nothing_is_left_in_the_scratch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ran(a_case("a"), a_case("b", "raise"))
    assert list(tmp_path.iterdir()) == []


def _graded(case: Case, bench: Bench) -> Outcome:
    task = Task("reviewer", shipped()["reviewer"], {}, case.case_id, "", datetime(2026, 11, 30, tzinfo=UTC), "EVALUATION", "SCRIPTED", "")
    return Outcome((step("so", 1, 1),), grades=(task,) if case.case_id != "b" else ())


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_cases_proved_of_seats_reaches_who_asked_for_it_from_other_processes_too(jobs: int) -> None:
    heard: list[Task] = []
    cases = tuple(a_case(name) for name in "abc")
    run_suites([(Suite("graded", "", tuple, _graded), cases)], WIRING, jobs=jobs, graded=heard.extend)
    assert [task.about for task in heard] == ["a", "c"]
