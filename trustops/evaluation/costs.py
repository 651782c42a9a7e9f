"""What questions took: calls, tokens, retries, money and time, read off the model calls of a report. Recorded, never a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from trustops.evaluation.score import Authority, Score


def costs(case_id: str, entries: Sequence[Mapping[str, Any]], *, review: bool = False) -> Iterator[Score]:
    """The scores of the areas performance and cost. Money is scored only where every call of a question has a price."""

    def score(metric: str, amount: Decimal | int, at: str = "", epoch: int = 1) -> Score:
        return Score(metric=metric, case_id=case_id, amount=Decimal(amount), authority=Authority.DETERMINISTIC, at=at, epoch=epoch)

    calls = [call for entry in entries for call in entry["model_calls"]]
    yield score("model_calls", len(calls))
    yield score("tokens", sum(call["tokens_in"] + call["tokens_out"] for call in calls))
    yield score("retries", sum(max(0, call["attempts"] - 1) for call in calls))
    for number, call in enumerate(calls, start=1):
        yield score("latency_per_agent", call["latency_ms"], at=call["seat"], epoch=number)
    prices = [_price(entry["model_calls"]) for entry in entries]
    for number, price in enumerate(prices, start=1):
        if price is not None:
            yield score("cost_per_question", price, epoch=number)
    if review and prices and all(price is not None for price in prices):
        yield score("cost_per_review", sum((price for price in prices if price is not None), Decimal(0)))


def _price(calls: Sequence[Mapping[str, Any]]) -> Decimal | None:
    known = [call["cost_usd"] for call in calls]
    return sum((Decimal(price) for price in known), Decimal(0)) if known and all(price is not None for price in known) else None
