"""A ledger in a file of its own; the migration is paid once and copied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from trustops.storage.ledger import OrganisationLedger, open_ledger


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty ledger of the newest schema."""
    path = tmp_path_factory.mktemp("ledger") / "empty.db"
    open_ledger(path, "lanternhall").close()
    return path


@pytest.fixture
def ledger(migrated: Path, tmp_path: Path) -> Iterator[OrganisationLedger]:
    path = tmp_path / "lanternhall.db"
    shutil.copyfile(migrated, path)
    made = open_ledger(path, "lanternhall")
    yield made
    made.close()
