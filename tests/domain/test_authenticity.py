"""Harm: scripted or recorded is shown as live (invariant 9)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.domain.authenticity import SEATS, Authenticity, EntryPoint, ExecutionMode, Origin, authenticity, execution_mode, real_model
from trustops.domain.record import ModelCall, SkillInvocation

LIVE, SCRIPTED, RECORDED = Origin
PRODUCT, EVALUATION = EntryPoint
TABLE = [
    pytest.param([LIVE] * 5, PRODUCT, False, "LIVE_AI", id="five live calls through the product, now"),
    pytest.param([LIVE], PRODUCT, False, "LIVE_AI", id="one live call"),
    pytest.param([], PRODUCT, False, "TEST", id="no call at all"),
    pytest.param([SCRIPTED] * 5, PRODUCT, False, "TEST", id="scripted"),
    pytest.param([RECORDED] * 5, PRODUCT, False, "TEST", id="recorded"),
    pytest.param([LIVE] * 4 + [SCRIPTED], PRODUCT, False, "TEST", id="one scripted among live"),
    pytest.param([RECORDED] + [LIVE] * 4, PRODUCT, False, "TEST", id="one recorded among live"),
    pytest.param([LIVE] * 5, PRODUCT, True, "TEST", id="live at a given instant"),
    pytest.param([LIVE] * 5, EVALUATION, False, "TEST", id="live in an evaluation"),
    pytest.param([LIVE] * 5, EVALUATION, True, "TEST", id="live in an evaluation at a given instant"),
]


@pytest.mark.parametrize(("origins", "entry", "as_of", "mode"), TABLE)
def test_the_mode_of_a_run_is_derived(origins: list[Origin], entry: EntryPoint, as_of: bool, mode: str) -> None:
    assert execution_mode(origins, entry=entry, as_of_given=as_of).value == mode
    assert execution_mode(iter(origins), entry=entry, as_of_given=as_of).value == mode


@given(st.lists(st.sampled_from(list(Origin))), st.sampled_from(list(EntryPoint)), st.booleans())
def test_nothing_but_live_calls_is_ever_live(origins: list[Origin], entry: EntryPoint, as_of: bool) -> None:
    live = execution_mode(origins, entry=entry, as_of_given=as_of) is ExecutionMode.LIVE_AI
    assert live is (bool(origins) and set(origins) == {LIVE} and entry is PRODUCT and not as_of)
    assert real_model(origins) is (bool(origins) and set(origins) == {LIVE})


def call(seat: str, origin: Origin = LIVE, **changes: Any) -> ModelCall:
    """A call as a provider that gives everything leaves it on record."""
    task = f"R.1:Q-005:1:{seat}"
    whole = {
        "id": f"{task}:call", "task": task, "trace_id": "R.1", "seat": seat, "origin": origin, "provider": "anthropic", "model": "m",
        "prompt": "p", "request_sha256": "0" * 64, "request_id": f"req-{seat}", "tokens_in": 10, "tokens_out": 5, "latency_ms": 7,
        "outcome": "ok",
    }  # fmt: skip
    return ModelCall.model_validate({**whole, **changes})


def skill(seat: str = "policy", **changes: Any) -> SkillInvocation:
    task = f"R.1:Q-005:1:{seat}"
    whole = {
        "id": f"{task}:skill:1",
        "task": task,
        "trace_id": "R.1",
        "skill": "search-evidence",
        "version": "1",
        "seat": seat,
        "outcome": "ok",
    }
    return SkillInvocation.model_validate({**whole, **changes})


FIVE = [call(seat) for seat in SEATS]
TASKS = [each.task for each in FIVE]


def proved(
    calls: list[ModelCall], skills: list[SkillInvocation] | None = None, *, entry: EntryPoint = PRODUCT, as_of: bool = False
) -> Authenticity:
    return authenticity(calls, [skill()] if skills is None else skills, TASKS, entry=entry, as_of_given=as_of)


def test_five_live_calls_with_everything_on_record_are_authentic() -> None:
    proof = proved(FIVE)
    assert (proof.authentic, proof.missing, proof.not_live) == (True, (), ())
    assert (proof.seats, proof.ids, proof.request_ids, proof.tokens_in, proof.tokens_out, proof.latency_ms) == (5, 5, 5, 50, 25, 35)
    assert proof.trace == "R.1"


def without(seat: str) -> list[ModelCall]:
    return [each for each in FIVE if each.seat != seat]


LACKS = {
    "no seat at all": ([], "the commander seat has no call"),
    "a seat that nobody asked": (without("reviewer"), "the reviewer seat has no call"),
    "a seat that was asked twice": ([*FIVE, call("policy", id="another", request_id="r9")], "the policy seat has 2 calls"),
    "one call that counts for two seats": ([*without("answer"), call("answer", id=FIVE[0].id)], "5 calls have 4 different ids"),
    "one reply for two seats": ([*without("answer"), call("answer", request_id="req-policy")], "two calls have one request id"),
    "a call of nobody": ([*FIVE, call("secretary")], "a call is of no seat (secretary)"),
    "tokens that nobody counted": ([*without("answer"), call("answer", tokens_out=0)], "the answer seat has no record of tokens"),
    "no latency": ([*without("answer"), call("answer", latency_ms=0)], "no record of a latency"),
    "no model": ([*without("answer"), call("answer", model="")], "no record of a model"),
    "a provider that gives an id, and gave none": ([*without("control"), call("control", request_id="")], "a request id of anthropic"),
    "a seat that failed": ([*without("control"), call("control", outcome="unavailable: timeout")], "no record of a usable reply"),
    "another trace": ([*without("policy"), call("policy", trace_id="R.2")], "do not share one trace"),
    "no trace": ([call(seat, trace_id="") for seat in SEATS], "do not share one trace"),
    "a call of another task": ([*without("policy"), call("policy", task="R.9:Q-1:1:policy")], "belongs to no agent task"),
}  # fmt: skip


@pytest.mark.parametrize("name", LACKS)
def test_a_live_run_that_lacks_a_proof_is_not_authentic_and_says_which(name: str) -> None:
    calls, said = LACKS[name]
    proof = proved(calls)
    assert not proof.authentic
    assert any(said in each for each in proof.missing), proof.missing
    assert proof.mode is (ExecutionMode.LIVE_AI if calls else ExecutionMode.TEST)  # the claim stands, and is not believed


@pytest.mark.parametrize(
    ("skills", "said"),
    [
        ([], "no skill invocation is on record"),
        ([skill(trace_id="R.2")], "do not share one trace"),
        ([skill(), skill("control", task="R.9:Q-1:1:control")], "what the control seat did belongs to no agent task"),
    ],
)
def test_skills_are_part_of_the_proof(skills: list[SkillInvocation], said: str) -> None:
    proof = proved(FIVE, skills)
    assert not proof.authentic
    assert any(said in each for each in proof.missing)


def test_of_a_provider_that_gives_no_id_none_is_asked() -> None:
    assert proved([call(seat, provider="ollama", request_id="") for seat in SEATS]).authentic


@pytest.mark.parametrize("entry", EntryPoint)
@pytest.mark.parametrize("as_of", [False, True])
def test_of_all_mixtures_of_origins_one_is_live(entry: EntryPoint, as_of: bool) -> None:
    for mixture in product(Origin, repeat=5):
        proof = proved([call(seat, origin) for seat, origin in zip(SEATS, mixture, strict=True)], entry=entry, as_of=as_of)
        assert proof.authentic is (set(mixture) == {LIVE} and entry is PRODUCT and not as_of)
        assert (proof.mode is ExecutionMode.LIVE_AI) is proof.authentic is (proof.not_live == ())


CALLS = st.lists(
    st.builds(
        call,
        st.sampled_from([*SEATS, "secretary"]),
        st.sampled_from(list(Origin)),
        id=st.sampled_from("abcdef"),
        trace_id=st.sampled_from(["R.1", "R.2", ""]),
        request_id=st.sampled_from(["", "r1", "r2", "r3", "r4", "r5"]),
        tokens_out=st.integers(0, 1),
        latency_ms=st.integers(0, 1),
        outcome=st.sampled_from(["ok", "unavailable: timeout"]),
    ),
    max_size=7,
)


@given(CALLS, st.sampled_from(list(EntryPoint)), st.booleans())
def test_whatever_is_on_record_only_five_live_calls_are_authentic(calls: list[ModelCall], entry: EntryPoint, as_of: bool) -> None:
    proof = proved(calls, entry=entry, as_of=as_of)
    if proof.authentic:
        assert sorted(each.seat for each in calls) == sorted(SEATS)
        assert {each.origin for each in calls} == {LIVE}
        assert len({each.id for each in calls}) == len({each.request_id for each in calls}) == 5
        assert (entry, as_of) == (PRODUCT, False)
    assert (proof.mode is ExecutionMode.LIVE_AI) is (proof.not_live == ())
