"""Harm: a person meets a code, a command, a key or an event that no page explains."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from tests.architecture.source import called, nodes, trees
from trustops.cli import commands
from trustops.collectors import catalogue
from trustops.domain.finding import FindingCode
from trustops.domain.record import TERMINAL_EVENTS
from trustops.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"
NOT_KEYS = {"workspace", "environment", "style"}
"""Fields of Settings that do not stand in trustops.toml."""
NAMED_BY_PEOPLE = {"people", "models.profiles"}
"""Mappings whose keys people choose."""


@cache
def told() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md")))


def mentioned(word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", told()) is not None


@pytest.mark.parametrize("code", [code.value for code in FindingCode])
def test_every_code_of_a_finding_is_explained(code: str) -> None:
    assert mentioned(code)


COMMANDS = [*commands.ROOT, *(f"{group} {verb}" for group, (_, verbs) in commands.GROUPS.items() for verb in verbs)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_explained(command: str) -> None:
    assert f"trustops {command}" in told()


def keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The keys that may stand in trustops.toml, with dots."""
    for name, field in model.model_fields.items():
        if not prefix and name in NOT_KEYS:
            continue
        kinds = [kind for kind in (field.annotation, *get_args(field.annotation)) if isinstance(kind, type) and get_origin(kind) is None]
        inner = next((kind for kind in kinds if issubclass(kind, BaseModel)), None)
        if inner is None:
            yield f"{prefix}{name}"
        else:
            yield from keys(inner, "models.profiles." if f"{prefix}{name}" in NAMED_BY_PEOPLE else f"{prefix}{name}.")


@pytest.mark.parametrize("key", sorted(set(keys(Settings))))
def test_every_setting_is_explained(key: str) -> None:
    """By its last name, beside its table: `concurrency` on a page that has `[limits]`."""
    table, _, name = key.rpartition(".")
    assert mentioned(name), key
    assert not table or mentioned(table) or f"[{table}" in told(), key


@pytest.mark.parametrize("key", [*catalogue.KEYS, *catalogue.MEASURES, *catalogue.EXPECTATIONS, *catalogue.KNOWN_COLLECTORS])
def test_every_key_of_a_control_is_explained(key: str) -> None:
    assert mentioned(key)


def kinds() -> set[str]:
    """Every kind of event: what is appended or watched as a constant, and the run's ends."""
    found: set[Any] = set(TERMINAL_EVENTS)
    for _, node in nodes(ast.Call):
        if called(node) == "append_event" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            found.add(node.args[1].value)
        if called(node) == "watch" and node.args and isinstance(node.args[0], ast.Constant):
            found.add(node.args[0].value)
    return {kind for kind in found if isinstance(kind, str)}


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_every_kind_of_event_is_explained(kind: str) -> None:
    assert mentioned(kind)


def test_the_events_that_the_ledger_is_given_are_all_seen_here() -> None:
    assert {"run_started", "evidence_read", "decided", "exported", "run_finished", "seat_started", "finding"} <= kinds()


def undocumented() -> Iterator[str]:
    """Public functions and classes without a docstring; methods override or implement, so only what a module offers is asked."""
    for module, tree in trees().items():
        for node in tree.body:
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                continue
            if ast.get_docstring(node) is None and not speaks_for_itself(node):
                yield f"{module}:{node.lineno} {node.name}"


def speaks_for_itself(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """A class that only names fields or members (a noun, an enum, an error), or that implements a protocol."""
    if not isinstance(node, ast.ClassDef):
        return False
    bases = {base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else "" for base in node.bases}
    return bool(bases & {"Protocol"}) or not any(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) for part in node.body)


def test_every_public_function_and_class_says_what_it_is_for() -> None:
    assert list(undocumented()) == []


def test_every_module_says_what_it_is_for() -> None:
    assert [module for module, tree in trees().items() if tree.body and ast.get_docstring(tree) is None] == []
