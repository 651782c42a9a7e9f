"""The three organisations, built once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.histories.world import confine, here
from tests.isolation.organisations import Organisation, build


@pytest.fixture(scope="session")
def organisations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Organisation]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confine, "call", here)
        made = build(tmp_path_factory.mktemp("organisations"), patch)
        yield made
        for org in made.values():
            org.office.ledger.close()  # type: ignore[attr-defined]
            org.office.index.close()  # type: ignore[attr-defined]
