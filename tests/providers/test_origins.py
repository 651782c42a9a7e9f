"""Harm: somewhere on the way from who served a call to the badge on the screen, scripted or recorded becomes live (invariant 9)."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from trustops import roster
from trustops.domain.authenticity import SEATS, EntryPoint, Origin, authenticity
from trustops.domain.errors import ProviderFailed
from trustops.domain.opinion import AnswerDraft, CommanderOpinion, ControlOpinion, PolicyOpinion, ReviewerOpinion
from trustops.domain.record import ModelCall, SkillInvocation
from trustops.operations.paying import Paying, Purse
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.providers.gateway import Fallback, Gateway
from trustops.providers.recorded import RecordedClient
from trustops.providers.seats import BySeat
from trustops.team.seat import Table, sit
from trustops.testing.scripts import smallest

SHAPES = dict(zip(SEATS, (CommanderOpinion, PolicyOpinion, ControlOpinion, AnswerDraft, ReviewerOpinion), strict=True))
TOLD = {"skills": "none"}
ROSTER = roster.load()


class Leaf:
    """Who serves in the end: of one origin, and perhaps down."""

    def __init__(self, origin: Origin, down: bool) -> None:
        self.origin, self.down = origin, down

    async def complete(self, request: ModelRequest) -> ModelReply:
        if self.down:
            raise ProviderFailed("HTTP 500", kind="http")
        text = json.dumps(smallest(request.shape, request.shape))
        return ModelReply(
            text=text,
            stop_reason="complete",
            origin=self.origin,
            provider="p",
            model=self.origin.value,
            tokens_in=9,
            tokens_out=3,
            latency_ms=4,
        )


class Unsaying(Leaf):
    """A client that declares nothing of itself."""

    origin: ClassVar[Origin]  # type: ignore[misc]

    def __init__(self) -> None:
        self.down = False

    async def complete(self, request: ModelRequest) -> ModelReply:
        return (await Leaf(Origin.SCRIPTED, False).complete(request)).model_copy(update={"model": "SCRIPTED"})


LEAVES = st.one_of(st.builds(Leaf, st.sampled_from(list(Origin)), st.booleans()), st.builds(Unsaying))


def wrapped(inner: st.SearchStrategy[ModelClient]) -> st.SearchStrategy[ModelClient]:
    """Everything that assembly puts around a client."""
    return st.one_of(
        st.builds(Gateway, inner),
        st.builds(Fallback, st.lists(inner, min_size=1, max_size=3)),
        st.builds(BySeat, inner, st.dictionaries(st.sampled_from(SEATS), inner, max_size=5)),
        st.builds(lambda client: Paying(client, Purse(Decimal(1), Decimal(0))), inner),
    )


async def seated(client: ModelClient) -> list[ModelCall]:
    table = Table(client, ROSTER, "R.1", "R.1:Q:1")
    return [
        (await sit(table, seat, SHAPES[seat], {"question": {"text": "?"}}, **(TOLD if seat == "commander" else {}))).calls[0]
        for seat in SEATS
    ]


def proved(calls: list[ModelCall]) -> bool:
    skill = SkillInvocation(id="s", task=calls[1].task, trace_id="R.1", skill="x", version="1", seat="policy", outcome="ok")
    return authenticity(calls, [skill], [call.task for call in calls], entry=EntryPoint.PRODUCT, as_of_given=False).authentic


@given(st.recursive(LEAVES, wrapped, max_leaves=8))
def test_a_call_has_the_origin_of_who_served_it_through_every_wrapper(client: ModelClient) -> None:
    calls = asyncio.run(seated(client))
    for call in calls:
        if call.outcome == "ok":
            assert call.origin.value == call.model
    assert proved(calls) <= all(call.model == "LIVE" for call in calls)
    again = asyncio.run(seated(RecordedClient(calls)))
    assert {call.origin for call in again} == {Origin.RECORDED}
    assert not proved(again)


@given(st.lists(st.sampled_from(list(Origin)), min_size=5, max_size=5))
def test_every_mixture_of_five_seats_is_live_only_where_all_are(origins: list[Origin]) -> None:
    clients = {seat: Leaf(origin, False) for seat, origin in zip(SEATS, origins, strict=True)}
    calls = asyncio.run(seated(BySeat(Leaf(Origin.LIVE, False), clients)))
    assert [call.origin for call in calls] == origins
    assert proved(calls) is (set(origins) == {Origin.LIVE})
