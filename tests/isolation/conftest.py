"""The three organisations, built once. What their building changes in the process is undone at once: a session outlives this folder."""

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


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read here rather than in limited children: what is looked for is text that crosses over, not how it is read."""
    monkeypatch.setattr(confine, "call", here)
