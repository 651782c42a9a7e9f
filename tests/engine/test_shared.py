"""Harm: a process that others took for dead ends the run that they go on with; who waits for a long run costs more than who answers it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests import postgresql
from tests.conftest import AT
from tests.engine.test_durable import deaf
from trustops import assembly
from trustops.domain.errors import Overtaken
from trustops.engine import shared
from trustops.engine.shared import LATER_S, LOOKING, SOON_S, SharedEngine
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.resuming import take_up
from trustops.ports import ModelReply, ModelRequest
from trustops.storage.postgres import close_engines


class Waiting:
    """A model that never replies."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError(request)


def test_a_run_that_another_process_took_over_is_left_to_it(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = postgresql.fresh_database()
    monkeypatch.setenv("TRUSTOPS_DATABASE", postgresql.address(database, postgresql.ROLE))
    first = assembly.office(workspace, durable=True)
    engine = first.engine
    assert isinstance(engine, SharedEngine)
    office = replace(first, client=Waiting())
    prepared = prepare(office, take_in(office, workspace / "questionnaire.csv"), as_of=AT, watch=deaf)
    run = prepared.run.id

    async def lost() -> None:
        working = asyncio.create_task(run_review(office, prepared, deaf))
        await asyncio.sleep(0)
        postgresql.write(database, "DELETE FROM trustops_engine.holds")
        postgresql.write(database, "INSERT INTO trustops_engine.workers VALUES ('other', 'other', '1', now(), 'infinity', 60, false)")
        postgresql.write(database, "INSERT INTO trustops_engine.holds VALUES (%s, %s, 'other')", office.organisation, run)
        engine.presence.lost += 1
        await asyncio.wait_for(working, 120)

    with pytest.raises(Overtaken, match="another process took the run over"):
        asyncio.run(lost())
    kept = office.ledger.get_run(run)
    assert kept is not None
    assert kept.state == "RUNNING"
    assert [event.kind for event in office.ledger.events(run) if event.kind.startswith("run_")] == ["run_started"]
    postgresql.write(database, "DELETE FROM trustops_engine.workers WHERE id = 'other'")
    postgresql.write(database, "DELETE FROM trustops_engine.holds")
    asyncio.run(run_review(first, take_up(first, run, deaf), deaf))
    ended = office.ledger.get_run(run)
    assert ended is not None
    assert (ended.state, len(office.ledger.latest_records(prepared.review.id))) == ("FINISHED", 4)
    close_engines()


@pytest.mark.parametrize(("took_s", "least_s"), [(0.0, SOON_S), (0.01, 0.01 / LOOKING), (0.1, LATER_S)])
def test_who_waits_looks_for_a_small_share_of_its_time(monkeypatch: pytest.MonkeyPatch, took_s: float, least_s: float) -> None:
    """A look at five thousand questions takes twenty milliseconds of the database and the program, and must not be repeated at once."""
    waits: list[float] = []

    class Slow:
        def left(self, *_: object) -> tuple[int, int]:
            time.sleep(took_s)
            return 9 - len(waits), 0  # something happens between any two looks

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    board: Any = Slow()
    engine = SharedEngine(cast(Any, SimpleNamespace(board=board, lost=0)), "kestrel", cast(Any, None), "edition")
    monkeypatch.setattr(shared, "asyncio", SimpleNamespace(sleep=sleep, to_thread=asyncio.to_thread))
    asyncio.run(engine._settled("R-1.1", {}, 0))
    assert len(waits) == 9
    assert all(least_s <= each <= LATER_S for each in waits)
