"""Names of an invented organisation, and the short way to read with them."""

from __future__ import annotations

import pytest

from trustops.facts import Names

NAMES = Names(
    own=("Brightwater", "明澈科技"),
    products=("Brightwater Vault",),
    other_products=("Brightwater Lite",),
    affiliates=("Brightwater Asia Pte",),
    subcontractors=("Nimbuscore",),
)


@pytest.fixture
def names() -> Names:
    return NAMES
