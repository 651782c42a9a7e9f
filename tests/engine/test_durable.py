"""Harm: the durable engine decides otherwise than the inline one, doubles what it repeats, or uses a reply that belongs elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import AT
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import Refused, UnknownName
from trustops.domain.record import TERMINAL_EVENTS
from trustops.engine.durable import DurableEngine
from trustops.engine.leases import Leases
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.reporting import report
from trustops.operations.resuming import cancel, events_of, left_behind, take_up
from trustops.ports import ModelClient, ModelReply, ModelRequest


def deaf(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


class Counted:
    """A model that counts what it is asked; at a given call it says so and hangs."""

    def __init__(self, model: ModelClient, *, stop_at: int = 0) -> None:
        self.model, self.stop_at, self.calls = model, stop_at, 0
        self.reached = asyncio.Event()

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        if self.calls == self.stop_at:
            self.reached.set()
            await asyncio.Event().wait()
        return await self.model.complete(request)


@pytest.fixture
def offices(workspace: Path) -> Iterator[list[Office]]:
    opened: list[Office] = []
    yield opened
    for office in opened:
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]


def opened(offices: list[Office], workspace: Path, *, durable: bool = True, stop_at: int = 0) -> tuple[Office, Counted]:
    office = assembly.office(workspace, entry=EntryPoint.EVALUATION, durable=durable)
    counted = Counted(office.client, stop_at=stop_at)
    offices.append(replace(office, client=counted))
    return offices[-1], counted


def run(office: Office, workspace: Path) -> dict[str, Any]:
    review = take_in(office, workspace / "questionnaire.csv")
    asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=deaf), deaf))
    return report(office, review)


def said(told: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (q["ref"], q["decision"], q["determination"], q["answers"], q["claims"], [f["code"] for f in q["findings"]])
        for q in told["questions"]
    ]


def interrupted(office: Office, workspace: Path) -> str:
    """A run that is stopped in the middle; its id."""
    review = take_in(office, workspace / "questionnaire.csv")
    prepared = prepare(office, review, as_of=AT, watch=deaf)

    async def stopped() -> None:
        working = asyncio.create_task(run_review(office, prepared, deaf))
        reached = asyncio.create_task(office.client.reached.wait())  # type: ignore[attr-defined]
        await asyncio.wait([working, reached], timeout=120, return_when=asyncio.FIRST_COMPLETED)
        assert reached.done(), "the run did not come so far"
        working.cancel()
        await working

    with pytest.raises(Refused, match="resume"):
        asyncio.run(stopped())
    return prepared.run.id


def test_both_engines_decide_the_same(workspace: Path, offices: list[Office]) -> None:
    inline = run(opened(offices, workspace, durable=False)[0], workspace)
    durable = run(opened(offices, workspace)[0], workspace)
    assert durable["engine"].startswith("durable, dbos")
    assert said(durable) == said(inline)


def test_a_run_that_goes_on_asks_only_what_was_not_answered(workspace: Path, offices: list[Office]) -> None:
    office, _ = opened(offices, workspace, stop_at=9)
    name = interrupted(office, workspace)
    assert left_behind(office, office.ledger.get_run(name))  # type: ignore[arg-type]
    kept = replies(office)
    again, second = opened(offices, workspace)
    prepared = take_up(again, None, deaf)
    asyncio.run(run_review(again, prepared, deaf))
    assert len(kept) + second.calls == len(replies(again)) == 20
    kinds = [event.kind for event in events_of(again, prepared.run)]
    assert [kind for kind in kinds if kind in TERMINAL_EVENTS] == ["run_finished"]
    assert (kinds.count("run_started"), kinds.count("evidence_read"), kinds.count("seat_started"), kinds.count("decided")) == (1, 1, 20, 4)
    assert said(report(again, prepared.review)) == said(run(opened(offices, workspace, durable=False)[0], workspace))


def replies(office: Office) -> list[Any]:
    from sqlalchemy import text

    return list(office.ledger.all(text("SELECT * FROM journal")))  # type: ignore[attr-defined]


def test_a_reply_to_another_request_is_not_used_and_blocks(workspace: Path, offices: list[Office]) -> None:
    office, _ = opened(offices, workspace)
    engine = office.engine
    assert isinstance(engine, DurableEngine)
    review = take_in(office, workspace / "questionnaire.csv")
    prepared = prepare(office, review, only=["K-1"], as_of=AT, watch=deaf)
    engine.journal.append_reply(prepared.run.id, "K-1", 1, "policy", 1, request_sha256="0" * 64, body="{}")
    asyncio.run(run_review(office, prepared, deaf))
    record = office.ledger.latest_records(review.id)["K-1"]
    assert record.result.decision.value == "BLOCK"
    task = next(task for task in record.agent_tasks if task["seat"] == "policy")
    assert task["outcome"] == "unavailable: exception"
    calls = office.ledger.calls(review.id)[prepared.run.id, "K-1"][0]
    assert "another request" in next(call.detail for call in calls if call.seat == "policy")


def test_a_repeated_step_appends_nothing(workspace: Path, offices: list[Office]) -> None:
    office, _ = opened(offices, workspace)
    engine = office.engine
    assert isinstance(engine, DurableEngine)
    engine.journal.append_reply("R.1", "Q", 1, "policy", 1, request_sha256="a", body="first")
    engine.journal.append_reply("R.1", "Q", 1, "policy", 1, request_sha256="b", body="second")
    assert engine.journal.reply("R.1", "Q", 1, "policy", 1) == ("a", "first")
    assert len(replies(office)) == 1


@pytest.mark.parametrize(
    "change", ["UPDATE journal SET body = 'x'", "DELETE FROM journal", "INSERT OR REPLACE INTO journal SELECT * FROM journal"]
)
def test_no_kept_reply_is_changed_or_deleted(workspace: Path, offices: list[Office], change: str) -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import DatabaseError

    office, _ = opened(offices, workspace)
    run(office, workspace)
    before = replies(office)
    with pytest.raises(DatabaseError, match="append-only"), office.ledger.writing():
        office.ledger.all(text(change))  # type: ignore[attr-defined]
    assert replies(office) == before


def test_a_question_that_the_engine_took_and_did_not_begin_is_begun_anew(
    workspace: Path, offices: list[Office], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Harm: the library logs that it cannot start what it took off its queue, and the run waits for ever."""
    import dbos._queue

    from trustops.engine import workflows

    begin, lost = dbos._queue.execute_dequeued_workflow, []

    def forgetful(engine: Any, status: Any, owner: str) -> Any:
        if not lost:
            lost.append(status["workflow_uuid"])
            raise OSError("the disk was away for a moment")
        return begin(engine, status, owner)

    monkeypatch.setattr(dbos._queue, "execute_dequeued_workflow", forgetful)
    monkeypatch.setattr(workflows, "LOST_S", 1.0)
    office, counted = opened(offices, workspace)
    told = run(office, workspace)
    assert len(lost) == 1
    assert [q["decision"] is not None for q in told["questions"]] == [True] * 4
    assert counted.calls == len(replies(office)) == 20


def test_a_cancelled_run_is_over_and_is_not_taken_up(workspace: Path, offices: list[Office]) -> None:
    office, _ = opened(offices, workspace, stop_at=9)
    name = interrupted(office, workspace)
    cancel(office, name, deaf)
    told = list(events_of(office, office.ledger.get_run(name)))  # type: ignore[arg-type]
    assert told[-1].kind == "run_cancelled"
    for refused in (lambda: cancel(office, name, deaf), lambda: take_up(office, name, deaf)):
        with pytest.raises(Refused, match="is over"):
            refused()
    with pytest.raises(UnknownName):
        take_up(office, None, deaf)
    assert list(events_of(office, office.ledger.get_run(name))) == told  # type: ignore[arg-type]


def test_a_run_has_one_holder(tmp_path: Path) -> None:
    mine, other = Leases(tmp_path / "leases"), Leases(tmp_path / "leases")
    assert not other.held("R.1")
    mine.take("R.1")
    assert other.held("R.1")
    assert mine.held("R.1")
    assert not other.held("R.2")
    with pytest.raises(Refused, match="a process works on this run"):
        other.take("R.1")
    mine.give_back("R.1")
    assert not other.held("R.1")


def test_watching_a_run_that_was_left_behind_ends(workspace: Path, offices: list[Office], capsys: pytest.CaptureFixture[str]) -> None:
    from trustops.cli.app import run as typed

    name = interrupted(opened(offices, workspace, stop_at=9)[0], workspace)
    for words, code, line in (("watch", name), 1, f"trustops resume {name}"), (("status",), 0, f"Run {name} is resumable"):
        with pytest.raises(SystemExit) as end:
            typed([*words, "-w", str(workspace)])
        assert end.value.code == code
        assert line in capsys.readouterr().out
