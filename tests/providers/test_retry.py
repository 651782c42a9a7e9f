"""What is tried again, how often, and after how long."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests.providers.asking import request
from tests.team.tiny import WIRES, wire_client
from trustops.domain.errors import ProviderFailed
from trustops.providers.attempts import Patience, retry_after
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Fault, Script

SWIFT = Patience(attempts=3, first_wait_s=0.005, longest_wait_s=0.2)
TRANSIENT = [Fault.HTTP_500, Fault.HTTP_529, Fault.HTTP_429, Fault.EXCEPTION]
FINAL = [Fault.HTTP_400, Fault.HTTP_401, Fault.NO_JSON]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", TRANSIENT)
async def test_a_passing_failure_is_tried_again_and_counted(wire: str, fault: Fault) -> None:
    provider = FakeProvider(Script({"commander": [fault, fault, {"any": "thing"}]}))
    reply = await wire_client(wire, provider, patience=SWIFT).complete(request())
    assert reply.attempts == provider.calls == 3


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("fault", "kind"), [(Fault.HTTP_500, "http"), (Fault.HTTP_429, "limit"), (Fault.EXCEPTION, "http")])
async def test_patience_ends(wire: str, fault: Fault, kind: str) -> None:
    provider = FakeProvider(Script({"commander": [fault]}))
    with pytest.raises(ProviderFailed, match="after 3 attempts") as failed:
        await wire_client(wire, provider, patience=SWIFT).complete(request())
    assert failed.value.kind == kind
    assert failed.value.attempts == provider.calls == 3


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", FINAL)
async def test_a_wrong_request_is_not_sent_twice(wire: str, fault: Fault) -> None:
    provider = FakeProvider(Script({"commander": [fault]}))
    with pytest.raises(ProviderFailed) as failed:
        await wire_client(wire, provider, patience=SWIFT).complete(request())
    assert failed.value.attempts == provider.calls == 1


@pytest.mark.parametrize("wire", WIRES)
async def test_a_hanging_attempt_is_given_up_and_tried_again(wire: str) -> None:
    provider = FakeProvider(Script({"commander": [Fault.TIMEOUT, {"any": "thing"}]}))
    reply = await wire_client(wire, provider, patience=SWIFT).complete(request(timeout_s=0.1))
    assert reply.attempts == 2
    assert provider.in_flight == 0


@pytest.mark.parametrize("wire", WIRES)
async def test_retry_after_is_waited_for(wire: str) -> None:
    provider = FakeProvider(Script({"commander": [Fault.HTTP_429, {"any": "thing"}]}), headers={"retry-after": "0.15"})
    started = time.perf_counter()
    reply = await wire_client(wire, provider, patience=SWIFT).complete(request())
    assert reply.attempts == 2
    assert time.perf_counter() - started >= 0.15


@pytest.mark.parametrize("wire", WIRES)
async def test_a_provider_that_asks_for_too_long_gets_no_second_request(wire: str) -> None:
    provider = FakeProvider(Script({"commander": [Fault.HTTP_429]}), headers={"retry-after": "60"})
    started = time.perf_counter()
    with pytest.raises(ProviderFailed, match="60 s") as failed:
        await wire_client(wire, provider, patience=SWIFT).complete(request())
    assert (failed.value.kind, provider.calls) == ("limit", 1)
    assert time.perf_counter() - started < 1


def test_a_spent_account_is_not_asked_again() -> None:
    from trustops.providers.attempts import of_status

    assert not of_status(429, "quota", {}, code="insufficient_quota").retry


def test_retry_after_in_every_form() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=10), usegmt=True)
    assert retry_after({"retry-after": "2"}) == 2
    assert retry_after({"retry-after-ms": "150"}) == 0.15
    assert 8 < (retry_after({"retry-after": soon}) or 0) <= 10
    assert retry_after({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_waits_double_and_are_bounded() -> None:
    patience = Patience(attempts=9, first_wait_s=1.0, longest_wait_s=5.0)
    for retry, most in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (8, 5.0)):
        waits = [patience.wait(retry, {}) or 0 for _ in range(200)]
        assert most / 2 <= min(waits) <= max(waits) <= most
        assert max(waits) > min(waits)
