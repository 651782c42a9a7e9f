"""The guard that keeps tests off the network."""

from __future__ import annotations

import pytest

from tests.providers.asking import request
from tests.team.tiny import KEY
from trustops.providers.anthropic import AnthropicClient
from trustops.providers.attempts import Patience
from trustops.providers.openai import OpenAIClient
from trustops.testing import guard
from trustops.testing.guard import LiveCallRefused, no_live_calls


def test_live_calls_are_off() -> None:
    assert guard.ALLOW_LIVE_CALLS is False


@pytest.mark.parametrize("kind", [AnthropicClient, OpenAIClient])
async def test_a_real_provider_is_refused_and_no_outage(kind: type[AnthropicClient] | type[OpenAIClient]) -> None:
    client = kind("m", api_key=KEY, patience=Patience(attempts=1))
    with no_live_calls(), pytest.raises(LiveCallRefused, match="a test tried to reach api"):
        await client.complete(request())
    await client.close()
