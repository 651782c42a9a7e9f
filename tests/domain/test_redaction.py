"""Harm: a key stands in a log, a finding or a recording, as it is or in another coat."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.domain.redaction import BLOT, Redactor

SECRET = "sk-canary/7f3a+9=x"


@given(st.binary(max_size=7), st.binary(max_size=7), st.text(min_size=8, max_size=40).filter(lambda text: text.isprintable()))
def test_no_coat_hides_it(before: bytes, after: bytes, secret: str) -> None:
    blot = Redactor((secret,))
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        coded = encode(before + secret.encode() + after).decode()
        assert BLOT in blot(coded)
    for coat in (secret, quote(secret), quote(secret, safe="")):
        assert secret not in blot(f"said {coat} twice: {coat}") or secret in BLOT


@pytest.mark.parametrize("text", ["", "nothing to see", "sk-other-key", base64.b64encode(b"something else entirely").decode()])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert Redactor((SECRET,))(text) is text


def test_a_short_value_blots_nothing_out() -> None:
    assert Redactor(("none", ""))("none of it, none") == "none of it, none"
