"""Harm: two different things have one digest, or one thing has two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from trustops.domain.chain import canonical, digest, genesis, link, sha256
from trustops.domain.claim import Citation

LINK: dict[str, Any] = {
    "chain": "audit",
    "seq": 7,
    "prev": "ab" * 32,
    "at": "2031-06-15T09:30:00Z",
    "kind": "approved",
    "actor": "Ana",
    "payload_sha256": "cd" * 32,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def test_digests_are_those_of_rfc_8785_and_stay_so() -> None:
    value = {"b": [1, True, None], "a": "é\u2028", "c": {"z": "", "y": -5}}
    assert canonical(value) == '{"a":"é\u2028","b":[1,true,null],"c":{"y":-5,"z":""}}'.encode()
    assert digest(value) == sha256(canonical(value)) == "2ed0b0940f3a2fb15e0629085fc00134e67d3df8c8e44b9ddffc71bcd07bec7f"


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=6))
def test_the_order_of_keys_changes_no_digest(value: dict[str, Any]) -> None:
    assert digest(value) == digest(dict(reversed(list(value.items()))))


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=())), inner, max_size=4),
    max_leaves=12,
)


@given(ANY)
@example({"\ue000": 1, "\U0001f600": 2, "a": 3})
@example({"a": "12,1.5", "b": [1.0, -0.0, 1e21]})
@example([2**53, -(2**53), 2**53 - 1])
def test_the_quick_way_gives_the_bytes_of_the_library_or_its_refusal(value: Any) -> None:
    def outcome(dump: Callable[[], bytes]) -> bytes | str:
        try:
            return dump()
        except ValueError:
            return "refused"

    class Holding(BaseModel):
        held: Any

    noun = Holding.model_construct(held=value)
    assert outcome(lambda: canonical(noun)) == outcome(lambda: rfc8785.dumps(noun.model_dump(mode="json")))


@given(JSON, JSON)
def test_different_values_have_different_canonical_bytes(left: Any, right: Any) -> None:
    same = repr(left) == repr(right) or _typed(left) == _typed(right)
    assert (canonical(left) == canonical(right)) is same


def _typed(value: Any) -> Any:
    """The value with its types, since True == 1 in Python."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    return [_typed(item) for item in value] if isinstance(value, list) else (type(value).__name__, value)


def test_a_noun_has_the_digest_of_its_fields() -> None:
    assert digest(Citation(exhibit="P-1", quote="q")) == digest({"quote": "q", "exhibit": "P-1"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**60, {1: 2}, b"bytes", {"a": set()}], ids=repr)
def test_what_json_cannot_hold_exactly_is_refused_not_rounded(value: Any) -> None:
    with pytest.raises(Exception):  # noqa: B017 - rfc8785 has one error tree, Python's own beneath it
        digest(value)


@pytest.mark.parametrize("field", list(LINK))
def test_a_link_changes_with_every_field(field: str) -> None:
    changed = {**LINK, field: LINK[field] + 1 if field == "seq" else LINK[field] + "x"}
    assert link(**changed) != link(**LINK)


@given(st.text(max_size=6), st.text(max_size=6), st.text(max_size=6), st.text(max_size=6))
def test_no_two_chains_begin_alike(org: str, chain: str, other_org: str, other_chain: str) -> None:
    assert (genesis(org, chain) == genesis(other_org, other_chain)) is ((org, chain) == (other_org, other_chain))
