"""Harm: what is done to one run is done to its neighbours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.console.conftest import make_office
from trustops.console.runs import Runs
from trustops.domain.errors import Refused
from trustops.operations import answering
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import ModelClient, ModelReply, ModelRequest

HELD, FREE = "Are backups encrypted?", "Are customers told of a breach within 72 hours?"


class Holding:
    """A model that keeps the questions about backups waiting until it is let go."""

    def __init__(self, inner: ModelClient) -> None:
        self.inner, self.go, self.asked = inner, asyncio.Event(), asyncio.Event()

    async def complete(self, request: ModelRequest) -> ModelReply:
        if HELD in request.user:
            self.asked.set()
            await self.go.wait()
        return await self.inner.complete(request)


def questionnaire(office: Office, name: str, *texts: str) -> Path:
    path = office.workspace / name
    path.write_text("ID,Question,Answer\n" + "".join(f"Q-{n},{text},\n" for n, text in enumerate(texts, start=1)), encoding="utf-8")
    return path


async def until(true: Callable[[], bool]) -> None:
    """Counts looks, not seconds."""
    for _ in range(6_000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it does not come")


async def test_a_run_that_is_paused_stops_no_other_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "HEED_S", 0.02)
    office = make_office(tmp_path / "northwind")
    holding = Holding(office.client)
    office = replace(office, client=holding)
    runs = Runs(office)
    first = take_in(office, questionnaire(office, "first.csv", *[f"{HELD} ({n})" for n in range(12)]))
    second = take_in(office, questionnaire(office, "second.csv", *[f"{FREE} ({n})" for n in range(12)]))
    paused = await runs.start(first, ())
    await holding.asked.wait()
    office.ledger.append_pause(paused, paused=True)
    brake = runs._brakes[paused]
    await until(lambda: brake.pulled)
    other = await runs.start(second, ())
    with pytest.raises(Refused, match="going on"):
        await runs.start(second, ())
    holding.go.set()
    await until(lambda: runs.settled)
    found = office.ledger.get_run(other)
    assert found is not None
    assert found.state == "FINISHED"
    assert len(office.ledger.latest_records(second.id)) == 12
    assert len(office.ledger.latest_records(first.id)) < 12
    await runs.stop()
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]
