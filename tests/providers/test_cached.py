"""Harm: the dossier is paid in full by every seat that reads it, or a seat is billed for what another one alone was sent."""

from __future__ import annotations

from tests.providers.asking import request
from tests.team.tiny import ENCRYPTION, Room, shelf, wire_client
from trustops.providers.anthropic import AnthropicClient
from trustops.testing.provider import FakeProvider
from trustops.workflow.machine import work

TOLD, DOSSIER = "What every seat is told. " * 250, "A long passage. " * 600


def client_of(provider: FakeProvider, *, shares: bool = True) -> AnthropicClient:
    client = wire_client("anthropic", provider)
    assert isinstance(client, AnthropicClient)
    client.shares = shares
    return client


async def test_the_dossier_is_paid_once_by_two_seats() -> None:
    client = client_of(FakeProvider())
    first, second = [
        await client.complete(request(seat, system=TOLD, user=DOSSIER + f"You are {seat}.", shared=len(DOSSIER)))
        for seat in ("answer", "reviewer")
    ]
    assert (first.tokens_cached, second.tokens_written) == (0, 0)
    assert second.tokens_cached == first.tokens_written == len(TOLD + DOSSIER) // 4 + 1
    assert abs(first.tokens_in - second.tokens_in) <= 1  # kept or not, it all went in


async def test_where_the_seats_have_different_models_only_what_all_are_told_is_kept() -> None:
    client = client_of(FakeProvider(), shares=False)
    for _ in range(2):
        reply = await client.complete(request("answer", system=TOLD, user=DOSSIER, shared=len(DOSSIER)))
    assert (reply.tokens_cached, reply.tokens_written) == (len(TOLD) // 4 + 1, 0)


async def test_a_dossier_with_one_letter_changed_is_not_read_from_the_cache() -> None:
    client = client_of(FakeProvider())
    await client.complete(request("answer", system=TOLD, user=DOSSIER, shared=len(DOSSIER)))
    changed = DOSSIER.replace("long", "1ong", 1)
    reply = await client.complete(request("reviewer", system=TOLD, user=changed, shared=len(changed)))
    assert reply.tokens_cached == len(TOLD) // 4 + 1


async def test_answer_and_reviewer_begin_alike_and_every_seat_is_told_the_same(tmp_path_factory: object) -> None:
    room = Room(shelf(tmp_path_factory.mktemp("tiny")))  # type: ignore[attr-defined]
    room.script()
    await work(ENCRYPTION, room.desk())
    asked = {one.seat: one for one in room.provider.asked}
    assert len(asked) == 5
    assert len({one.system for one in asked.values()}) == 1
    blocks = {seat: one.body["messages"][-1]["content"] for seat, one in asked.items()}
    assert {seat: len(content) for seat, content in blocks.items()} == {
        "commander": 1,
        "policy": 1,
        "control": 1,
        "answer": 2,
        "reviewer": 2,
    }
    assert blocks["answer"][0] == blocks["reviewer"][0]
    assert "Multi-factor" in blocks["answer"][0]["text"] or "encrypted" in blocks["answer"][0]["text"]
