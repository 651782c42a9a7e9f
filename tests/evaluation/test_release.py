"""Harm: a release is called fit although nobody ever ran Q-005 by five real calls, or by fewer than five."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from trustops import assembly
from trustops.domain.authenticity import EntryPoint, Origin
from trustops.domain.record import ModelCall
from trustops.evaluation.cases import build_workspace, load_case
from trustops.evaluation.gate import load_gates
from trustops.evaluation.record import Record
from trustops.evaluation.release import dated_today, release_suite
from trustops.evaluation.running import Wiring, run_suites
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.ports import ModelReply, ModelRequest

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


class Real:
    """The offline client in the clothes of a real one: what the ledger then holds is what a formal run leaves."""

    origin = Origin.LIVE

    def __init__(self, behind: Any, change: Callable[[ModelRequest, dict[str, Any]], None] = lambda *_: None) -> None:
        self.behind, self.change, self.calls = behind, change, 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        reply: ModelReply = await self.behind.complete(request)
        self.calls += 1
        told: dict[str, Any] = {"origin": Origin.LIVE, "provider": "anthropic", "model": "m", "request_id": f"req-{self.calls}"}
        told |= {"tokens_in": 100, "tokens_out": 20, "latency_ms": 900}
        self.change(request, told)
        return reply.model_copy(update=told)


def reviewed(folder: Path, change: Callable[[ModelRequest, dict[str, Any]], None] = lambda *_: None, **more: Any) -> Path:
    file = build_workspace(dated_today(load_case("Q-005")), folder)
    office = assembly.offline(folder, entry=more.get("entry", EntryPoint.PRODUCT))
    office = replace(office, client=Real(office.client, change))
    review = take_in(office, file)
    asyncio.run(run_review(office, prepare(office, review, as_of=more.get("as_of"), watch=lambda *_: None), lambda *_: None))
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]
    return folder


def checked(workspace: Path | None) -> Record:
    suite = release_suite(workspace)
    gates = [gate for gate in load_gates() if gate.needs == ("release",)]
    return run_suites([(suite, suite.cases())], Wiring(assembly.offline, assembly.provider_at), gates=gates, kind="release")


@pytest.mark.parametrize("there", [False, True])
def test_without_a_record_of_a_real_run_the_check_is_incomplete(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "empty"
    if there:
        build_workspace(dated_today(load_case("Q-005")), folder)
    told = checked(folder if there else None)
    assert told.verdict.exit_code == 2
    assert [gate.state for gate in told.gates] == ["MISSING"]
    assert "trustops eval live-case" in told.results[0].cause


def test_a_record_by_five_real_calls_is_one(tmp_path: Path) -> None:
    told = checked(reviewed(tmp_path / "live"))
    assert [(result.outcome, result.cause) for result in told.results] == [("PASSED", "")]
    assert told.verdict.exit_code == 0


@pytest.mark.parametrize("how", ["scripted", "evaluation", "as of"])
def test_a_test_run_is_no_record(tmp_path: Path, how: str) -> None:
    def scripted(request: ModelRequest, told: dict[str, Any]) -> None:
        if how == "scripted" and request.seat == "policy":
            told["origin"] = Origin.SCRIPTED

    more: dict[str, Any] = {"entry": EntryPoint.EVALUATION} if how == "evaluation" else {}
    more |= {"as_of": datetime.now(UTC)} if how == "as of" else {}
    told = checked(reviewed(tmp_path / "test", scripted, **more))
    assert told.verdict.exit_code == 2
    assert "the record of Q-005 is TEST" in told.results[0].cause


def test_a_real_run_that_lacks_a_proof_is_a_blocker(tmp_path: Path) -> None:
    def twice(request: ModelRequest, told: dict[str, Any]) -> None:
        told["request_id"] = "req-1"

    told = checked(reviewed(tmp_path / "live", twice))
    assert told.verdict.exit_code == 1
    assert "two calls have one request id" in told.results[0].cause
    assert [gate.state for gate in told.gates] == ["FAILED"]


def test_a_record_by_other_prompts_is_none_of_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = reviewed(tmp_path / "live")
    from trustops.roster import Roster

    monkeypatch.setattr(Roster, "label", lambda self, prompt: f"{prompt.name}@9:000000000000")
    told = checked(folder)
    assert told.verdict.exit_code == 2
    assert "other prompts" in told.results[0].cause


def test_the_live_case_is_q_005_with_all_its_dates_moved() -> None:
    case, moved = load_case("Q-005"), dated_today(load_case("Q-005"), NOW)
    assert moved.as_of == NOW
    observed = moved.given.snapshots["mfa-enrolment"]["observed_at"]
    then = case.given.snapshots["mfa-enrolment"]["observed_at"]
    at = [datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (observed, then)]
    assert (NOW - at[0], moved.given.snapshots["mfa-enrolment"]["values"]) == (case.as_of - at[1], {"enrolled": 122, "eligible": 124})
    assert moved.given.documents[0].expires is not None
    assert moved.given.documents[0].expires - NOW.date() > timedelta(days=100)
    assert moved.given.question == case.given.question


def test_a_model_call_of_the_record_is_as_a_formal_run_leaves_it() -> None:
    """The stand-in above fills the fields that authenticity asks for; a new one would make it a lie."""
    assert {"origin", "provider", "model", "request_id", "tokens_in", "tokens_out", "latency_ms"} <= set(ModelCall.model_fields)
