"""Harm: one organisation reads, numbers by or writes over another one's rows (invariant 10)."""

from __future__ import annotations

import ast
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import Engine

import trustops.storage
from tests.isolation.storage_doors import READS, SILENT, UNSCOPED, WRITES, fill, seen
from trustops.storage.journal import Replies
from trustops.storage.ledger import OrganisationLedger, open_ledger
from trustops.storage.sqlite import open_engine

ALDER, BIRCH = "canary-of-alder", "canary-of-birch"
CANARIES = {"alder": ALDER, "birch": BIRCH}
SOURCES = Path(trustops.storage.__file__).parent
ORDER = (
    "book",
    "reviews",
    "answers",
    "library",
    "people",
    "sessions",
    "audit",
    "redacting",
    "events",
    "snapshots",
    "ratings",
    "requests",
    "scores",
    "journal",
    "ledger",
)
"""Modules that hold queries, each after those it is built on."""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("isolation") / "empty.db"
    open_ledger(path, "nobody").close()
    return path


def ledger_class(ledger: type[Any], replies: type[Any]) -> type[Any]:
    """Both books of an organisation as one, opened as the product opens them: with an engine and a name."""
    made: type[Any] = type("Books", (ledger, replies), {"others": (), "before_any_run": ""})
    return made


@cache
def engine_on(path: Path) -> Engine:
    """One engine a path, whatever file stands there: what it compiled is kept, which is most of the time of these tests."""
    return open_engine(path)


def told(books: type[Any], path: Path, *orgs: str) -> dict[str, dict[str, str]]:
    """What each of these organisations sees, when all of them stand in one file."""
    engine = engine_on(path)
    try:
        opened = {org: books(engine, org) for org in orgs}
        for org, ledger in opened.items():
            ledger.others = [other for other in CANARIES.values() if other != CANARIES[org]]
            with ledger.writing():
                fill(ledger, CANARIES[org])
        return {org: seen(ledger, CANARIES[org]) for org, ledger in opened.items()}
    finally:
        engine.dispose()


def leaks(books: type[Any], empty: Path, folder: Path, alone: dict[str, dict[str, str]] | None = None) -> list[str]:
    """What an organisation sees otherwise when it is not alone, and every foreign canary it sees."""
    shared = told(books, _copied(empty, folder / "shared.db"), "alder", "birch")
    alone = alone or {org: told(books, _copied(empty, folder / f"{org}.db"), org)[org] for org in CANARIES}
    found = []
    for org, other in (("alder", BIRCH), ("birch", ALDER)):
        found += [f"{org} sees {other} through {door}" for door, said in shared[org].items() if other in said]
        found += [f"{org} sees through {door} that it is not alone" for door, said in shared[org].items() if said != alone[org].get(door)]
        found += [f"{org} does not see itself through {door}" for door in READS if CANARIES[org] not in shared[org][door]]
    return found


def _copied(empty: Path, path: Path) -> Path:
    for part in ("", "-wal", "-shm"):
        path.with_name(path.name + part).unlink(missing_ok=True)
    shutil.copyfile(empty, path)
    return path


def test_no_door_of_the_ledger_shows_another_organisation(empty: Path, tmp_path: Path) -> None:
    assert leaks(ledger_class(OrganisationLedger, Replies), empty, tmp_path) == []


def test_every_method_of_the_ledger_has_a_declared_scope() -> None:
    books = ledger_class(OrganisationLedger, Replies)
    methods = {name for name in dir(books) if not name.startswith("_") and callable(getattr(books, name))}
    declared = {*READS, *SILENT, *WRITES, *UNSCOPED} - {name for name in SILENT if " " in name}
    assert methods - declared == set(), "say what binds it to the organisation, and look through it"
    assert declared - methods == set(), "declared and not there any more"


def test_every_write_is_tried(empty: Path, tmp_path: Path) -> None:
    called: set[str] = set()

    class Counted(ledger_class(OrganisationLedger, Replies)):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            called.add(name)
            return super().__getattribute__(name)

    told(Counted, _copied(empty, tmp_path / "counted.db"), "alder")
    assert called >= WRITES


# -- every mention of the organisation is needed -----------------------------------------------------------------------------


class Forgetful(ast.NodeTransformer):
    """Forgets the organisation at its nth mention: a comparison becomes always true, a value becomes another organisation's name."""

    def __init__(self, nth: int) -> None:
        self.left, self.what = nth, ""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if ast.unparse(node.left).endswith(".c.org"):
            return self._at(node, ast.Compare(node.left, node.ops, [node.left]))
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if ast.unparse(node) == "self.org" and isinstance(node.ctx, ast.Load):
            return self._at(node, ast.Constant("alder"))
        return self.generic_visit(node)

    def _at(self, node: ast.expr, other: ast.expr) -> ast.AST:
        self.left -= 1
        if self.left != -1:
            return node
        self.what = f"line {node.lineno}: {ast.unparse(node)} became {ast.unparse(other)}"
        return other


def forgetful() -> Iterator[tuple[str, str, ast.Module]]:
    """Each module with one mention forgotten: its name, what was changed, and the tree."""
    for name in ORDER:
        source = (SOURCES / f"{name}.py").read_text(encoding="utf-8")
        nth = 0
        while True:
            forgets = Forgetful(nth)
            tree = forgets.visit(ast.parse(source))
            if not forgets.what:
                break
            yield name, f"{name}.py {forgets.what}", ast.fix_missing_locations(tree)
            nth += 1


@contextmanager
def rebuilt(changed: str, tree: ast.Module) -> Iterator[type[Any]]:
    """The ledger made anew from its sources with one module changed; the product's own modules are untouched."""
    kept = {name: module for name, module in sys.modules.items() if name.startswith("trustops.storage")}
    try:
        for name in ORDER:
            module = ModuleType(f"trustops.storage.{name}")
            source = tree if name == changed else ast.parse((SOURCES / f"{name}.py").read_text(encoding="utf-8"))
            sys.modules[module.__name__] = module
            exec(compile(source, f"<{name} that forgets>", "exec"), vars(module))
        yield ledger_class(sys.modules["trustops.storage.ledger"].OrganisationLedger, sys.modules["trustops.storage.journal"].Replies)
    finally:
        sys.modules.update(kept)


def noticed(changed: str, tree: ast.Module, empty: Path, folder: Path, alone: dict[str, dict[str, str]]) -> bool:
    with rebuilt(changed, tree) as books:
        try:
            return bool(leaks(books, empty, folder, alone))
        except Exception:  # noqa: BLE001  a query that forgets may fail in any way
            return True


def test_a_query_that_forgets_the_organisation_is_noticed(empty: Path, tmp_path: Path) -> None:
    books = ledger_class(OrganisationLedger, Replies)
    alone = {org: told(books, _copied(empty, tmp_path / f"{org}.db"), org)[org] for org in CANARIES}
    tried = [(what, noticed(name, tree, empty, tmp_path, alone)) for name, what, tree in forgetful()]
    assert [what for what, killed in tried if not killed] == []
    print(f"mentions of the organisation forgotten: {len(tried)}, noticed: {sum(killed for _, killed in tried)}")
    assert len(tried) >= 25


def test_the_rebuilt_ledger_without_a_change_is_the_same(empty: Path, tmp_path: Path) -> None:
    with rebuilt("", ast.Module([], [])) as books:
        assert leaks(books, empty, tmp_path) == []


def test_no_module_with_a_query_is_left_out() -> None:
    mentioning = {path.stem for path in SOURCES.glob("*.py") if ".c.org" in path.read_text(encoding="utf-8")}
    assert mentioning - {"tables"} <= set(ORDER)
