"""Harm: a bill that is not what the provider charges, or a money limit that is passed unseen."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.providers.asking import request
from tests.team.tiny import wire_client
from trustops.domain.errors import ProviderFailed
from trustops.providers.gateway import Fallback, Gateway
from trustops.providers.prices import Listed, Stated, Usage, about, known
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Fault, Script

CHEAP = Stated(Decimal(1), Decimal(10))


@pytest.mark.parametrize(
    ("usage", "dollars"),
    [
        (Usage(100_000, 0), "0.3"),
        (Usage(0, 100_000), "1.5"),
        (Usage(150_000, 1_000, cached=100_000), "0.195"),  # 50,000 x 3 + 100,000 x 0.3 + 1,000 x 15, a million each
        (Usage(150_000, 1_000, written=100_000), "0.54"),  # a token written into the cache costs a quarter more
    ],
)
def test_the_shipped_table_knows_cached_tokens(usage: Usage, dollars: str) -> None:
    """By the published prices of claude-sonnet-4-5: 3 and 15 dollars, 0.30 for a read and 3.75 for a written token, a million each."""
    assert Listed("anthropic", "claude-sonnet-4-5").cost(usage) == Decimal(dollars)


def test_a_model_that_nobody_knows_has_no_price() -> None:
    assert not known(Listed("openai", "a-model-of-our-own"))
    assert known(Listed("openai", "gpt-5.2"))
    assert known(CHEAP)


def test_a_sum_is_rounded_up() -> None:
    assert Stated(Decimal("0.1"), Decimal(0)).cost(Usage(1, 0)) == Decimal("0.000001")


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("a" * 400, 101), ("是" * 100, 101), ("aaaa是", 3)])
def test_the_estimate_knows_that_chinese_is_dearer(text: str, tokens: int) -> None:
    assert about(text) == tokens


@pytest.mark.parametrize("wire", ["anthropic", "responses", "chat"])
async def test_a_reply_costs_what_its_tokens_cost_and_never_more_than_was_quoted(wire: str) -> None:
    gateway = Gateway(wire_client(wire, FakeProvider()), price=CHEAP)
    asked = request(max_tokens=500)
    reply = await gateway.complete(asked)
    assert reply.cost_usd is not None
    assert Decimal(reply.cost_usd) == CHEAP.cost(Usage(reply.tokens_in, reply.tokens_out))
    quoted = gateway.quote(asked)
    assert quoted is not None
    assert Decimal(reply.cost_usd) <= quoted


async def test_without_a_price_there_is_no_cost_and_no_quote() -> None:
    gateway = Gateway(wire_client("anthropic", FakeProvider()), price=Listed("anthropic", "test-model"))
    assert gateway.quote(request()) is None
    assert (await gateway.complete(request())).cost_usd is None


async def test_the_next_profile_answers_where_one_fails_and_nothing_is_retried_twice() -> None:
    broken, sound = FakeProvider(Script({"commander": [Fault.HTTP_500] * 9})), FakeProvider()
    both = Fallback([Gateway(wire_client("anthropic", broken)), Gateway(wire_client("chat", sound))])
    reply = await both.complete(request())
    assert (broken.calls, sound.calls, reply.attempts, reply.provider) == (2, 1, 3, "openai")


async def test_where_none_answers_each_is_named() -> None:
    broken = [FakeProvider(Script({"commander": [Fault.HTTP_401] * 9})), FakeProvider(Script({"commander": [Fault.HTTP_400] * 9}))]
    clients = [wire_client("anthropic", broken[0]), wire_client("chat", broken[1])]
    clients[0].profile = "careful"
    with pytest.raises(
        ProviderFailed, match=r"profile careful \(anthropic test-model\): HTTP 401.*; then openai test-model: HTTP 400"
    ) as f:
        await Fallback(clients).complete(request())
    assert f.value.attempts == 2


async def test_a_fallback_is_quoted_with_the_dearest() -> None:
    dear = Stated(Decimal(100), Decimal(100))
    both = Fallback([Gateway(wire_client("chat", FakeProvider()), price=price) for price in (CHEAP, dear)])
    assert both.quote(request()) == Gateway(wire_client("chat", FakeProvider()), price=dear).quote(request())
    unknown = Gateway(wire_client("chat", FakeProvider()))
    assert Fallback([both, unknown]).quote(request()) is None
