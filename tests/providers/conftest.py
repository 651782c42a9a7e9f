"""No test of this folder reaches a real provider."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trustops.testing.guard import no_live_calls


@pytest.fixture(autouse=True)
def _no_live_calls() -> Iterator[None]:
    with no_live_calls():
        yield
