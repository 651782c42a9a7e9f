"""Imported once by the process that children are forked from: every room of the product, its word lists, and one small run of it."""

from __future__ import annotations

import asyncio
import gc
import importlib
import pkgutil
import tempfile
from pathlib import Path

import trustops
from tests.conftest import AT, make_workspace
from trustops import assembly
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve
from trustops.operations.exporting import export
from trustops.operations.intake import take_in
from trustops.operations.reporting import report

OTHERS = ("alembic.command", "anthropic", "dbos", "langgraph.graph", "tests.crash.child", "uvicorn")


def _everything() -> None:
    for module in pkgutil.walk_packages(trustops.__path__, "trustops."):
        if not module.name.endswith(("__main__", "migrations.env")):
            importlib.import_module(module.name)
    for name in OTHERS:
        importlib.import_module(name)


def _once(folder: Path) -> None:
    """A review from intake to export, so that what is loaded at first use is loaded."""
    make_workspace(folder)
    office = assembly.office(folder)
    review = take_in(office, folder / "questionnaire.csv")
    asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=lambda *_: None), lambda *_: None))
    approve(office, review, "K-2", 1, by="Ana")
    export(office, review, folder / "out", to="nobody")
    report(office, review)
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]


_everything()
with tempfile.TemporaryDirectory() as room:
    _once(Path(room) / "kestrel")
gc.collect()
