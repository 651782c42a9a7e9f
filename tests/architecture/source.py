"""The product's source as syntax trees, parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import trustops

Kind = TypeVar("Kind", bound=ast.AST)
ROOT = Path(trustops.__file__).parent


@cache
def trees() -> dict[str, ast.Module]:
    """Every module by its path under trustops/."""
    found = sorted(path for path in ROOT.rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in found}


def nodes(kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
    """Every node of a kind with its module."""
    for name, tree in trees().items():
        yield from ((name, node) for node in ast.walk(tree) if isinstance(node, kind))


def called(node: ast.Call) -> str:
    """The last name of what is called: `a.b.Finding(...)` is Finding."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
