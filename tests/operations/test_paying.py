"""Harm: a review costs more than its limit, stops without a word, or pays twice when it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import AT
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import ProviderFailed, Refused, UsageError
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.paying import Paying, Purse
from trustops.operations.resuming import events_of, take_up
from trustops.ports import ModelClient, ModelReply, ModelRequest, StoredReview

COST, MOST = Decimal("0.01"), Decimal("0.02")


def deaf(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


class Billed:
    """The offline model with a bill: every reply costs the same, and may cost twice that."""

    def __init__(self, model: ModelClient) -> None:
        self.model, self.calls, self.in_work, self.most_in_work = model, 0, 0, 0

    def quote(self, request: ModelRequest) -> Decimal | None:
        return MOST

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.calls, self.in_work = self.calls + 1, self.in_work + 1
        self.most_in_work = max(self.most_in_work, self.in_work)
        await asyncio.sleep(0)
        self.in_work -= 1
        return (await self.model.complete(request)).model_copy(update={"cost_usd": str(COST)})


@contextmanager
def opened(workspace: Path, limit: str, *, durable: bool = True) -> Iterator[tuple[Office, Billed]]:
    office = assembly.office(workspace, entry=EntryPoint.EVALUATION, durable=durable)
    billed = Billed(office.client)
    try:
        yield replace(office, client=billed, usd_per_review=Decimal(limit)), billed
    finally:
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]


def begun(office: Office, workspace: Path) -> StoredReview:
    review = take_in(office, workspace / "questionnaire.csv")
    asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=deaf), deaf))
    return review


def test_a_review_stops_before_its_limit_and_goes_on_without_paying_again(workspace: Path) -> None:
    with opened(workspace, "0.12") as (office, billed):
        with pytest.raises(Refused, match=r"money is spent: \$0\.1\d00 of the review's \$0\.12 are spent") as stopped:
            begun(office, workspace)
        assert "usd_per_review" in stopped.value.remedy
        run = office.ledger.get_run(stopped.value.where)
        assert run is not None
        assert (run.state, run.paused) == ("RUNNING", True)
        paid = office.ledger.spent(run.review)
        assert paid == billed.calls * COST
        assert Decimal("0.10") <= paid <= Decimal("0.12")
        assert events_of_kind(office, run.id, "run_paused") == 1
    with opened(workspace, "5") as (office, again):
        asyncio.run(run_review(office, take_up(office, None, deaf), deaf))
        assert (billed.calls + again.calls, office.ledger.spent(run.review)) == (20, 20 * COST)
        assert len(office.ledger.latest_records(run.review)) == 4
        assert events_of_kind(office, run.id, "run_finished") == 1


def events_of_kind(office: Office, run: str, kind: str) -> int:
    found = office.ledger.get_run(run)
    assert found is not None
    return sum(event.kind == kind for event in events_of(office, found))


def test_a_limit_that_is_not_raised_stops_at_once_again_and_pays_nothing(workspace: Path) -> None:
    with opened(workspace, "0.12") as (office, _), pytest.raises(Refused):
        begun(office, workspace)
    with opened(workspace, "0.12") as (office, billed):
        with pytest.raises(Refused, match="money is spent"):
            asyncio.run(run_review(office, take_up(office, None, deaf), deaf))
        assert billed.calls == 0


def test_without_a_journal_the_run_is_over_and_says_so(workspace: Path) -> None:
    with opened(workspace, "0.12", durable=False) as (office, _):
        with pytest.raises(Refused, match="money is spent") as stopped:
            begun(office, workspace)
        run = office.ledger.get_run(stopped.value.where)
        assert run is not None
        assert run.state == "CANCELLED"


async def test_calls_in_work_never_hold_more_than_is_left(workspace: Path) -> None:
    class Offline:
        async def complete(self, request: ModelRequest) -> ModelReply:
            raise ProviderFailed("no", kind="http")

    purse = Purse(Decimal("0.07"), Decimal(0))
    billed = Billed(Offline())
    request = ModelRequest(seat="policy", prompt="p", system="", user="", shape_name="X", shape={}, payload={})
    told = await asyncio.gather(*(Paying(billed, purse).complete(request) for _ in range(9)), return_exceptions=True)
    assert all(isinstance(each, ProviderFailed) and each.kind == "http" for each in told)  # each waited for room and got it
    assert (billed.calls, billed.most_in_work, purse.held, purse.spent) == (9, 3, Decimal(0), Decimal(0))


def test_a_model_without_a_known_price_is_refused_before_anything_is_sent(workspace: Path) -> None:
    profile = (
        '\n[models]\ndefault = "own"\n[models.profiles.own]\nprovider = "openai"\nmodel = "ours"\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    config = workspace / "trustops.toml"
    config.write_text(config.read_text(encoding="utf-8") + profile + "\n[limits]\nusd_per_review = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="the price of 'ours' is not known") as refused:
        assembly.office(workspace)
    assert (refused.value.where, "usd_per_million_in" in refused.value.remedy) == ("profile own", True)
