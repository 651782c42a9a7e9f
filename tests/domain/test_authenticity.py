"""Harm: scripted or recorded is shown as live (invariant 9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.domain.authenticity import EntryPoint, ExecutionMode, Origin, execution_mode, real_model

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
