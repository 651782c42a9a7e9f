"""A ledger of its own for each test, in both databases: one conformance suite (test_ledger.py) runs on SQLite and on PostgreSQL.

On SQLite it is a file, copied from one that was migrated once. On PostgreSQL it is an organisation of its own in the test file's database,
opened with the restricted role that the product uses.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests import postgresql
from tests.storage.bench import fill, keep_reply
from trustops.storage.ledger import OrganisationLedger, open_ledger, open_shared
from trustops.storage.postgres import close_engines

Reopen = Callable[[], OrganisationLedger]
NUMBER = count(1)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty ledger of the newest schema."""
    path = tmp_path_factory.mktemp("ledger") / "empty.db"
    open_ledger(path, "lanternhall").close()
    return path


@pytest.fixture(scope="module")
def database() -> str:
    """A database of PostgreSQL for this file of tests."""
    return postgresql.fresh_database()


@pytest.fixture(scope="module", autouse=True)
def hung_up() -> Iterator[None]:
    """No file of tests leaves connections open."""
    yield
    close_engines()


@pytest.fixture(params=["sqlite", "postgresql"])
def reopen(request: pytest.FixtureRequest, migrated: Path, tmp_path: Path) -> Reopen:
    """Opens the books of one organisation, again and again the same ones."""
    if request.param == "postgresql":
        name = request.getfixturevalue("database")
        org = f"lanternhall-{next(NUMBER)}"
        return lambda: open_shared(postgresql.address(name, postgresql.ROLE), org)
    path = tmp_path / "lanternhall.db"
    shutil.copyfile(migrated, path)
    return lambda: open_ledger(path, "lanternhall")


@pytest.fixture
def ledger(reopen: Reopen) -> Iterator[OrganisationLedger]:
    made = reopen()
    yield made
    made.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def filled(request: pytest.FixtureRequest, migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OrganisationLedger]:
    """A ledger with a row in every table, for tests after which it is as it was."""
    path = tmp_path_factory.mktemp("filled") / "lanternhall.db"
    if request.param == "postgresql":
        made = open_shared(postgresql.address(request.getfixturevalue("database"), postgresql.ROLE), "lanternhall-filled")
    else:
        shutil.copyfile(migrated, path)
        made = open_ledger(path, "lanternhall")
    fill(made)
    keep_reply(made)
    yield made
    made.close()


@pytest.fixture
def file_ledger(migrated: Path, tmp_path: Path) -> Iterator[OrganisationLedger]:
    """For what only a file has: pragmas, triggers, a schema that others can read."""
    path = tmp_path / "lanternhall.db"
    shutil.copyfile(migrated, path)
    made = open_ledger(path, "lanternhall")
    yield made
    made.close()
