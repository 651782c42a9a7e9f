"""Mutants of a function, made from its syntax tree: one small change each."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

SWAPPED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed function and what was changed."""

    what: str
    tree: ast.FunctionDef

    def within(self, module: ModuleType) -> Mapping[str, Any]:
        """The module's names with all its functions made anew, the changed one among them, so that they call each other."""
        space = dict(vars(module))
        others = [n for n in ast.parse(inspect.getsource(module)).body if isinstance(n, ast.FunctionDef) and n.name != self.tree.name]
        code = ast.fix_missing_locations(ast.Module(body=[*others, self.tree], type_ignores=[]))
        exec(compile(code, f"<mutant of {self.tree.name}>", "exec"), space)
        return space


def function(source: str, name: str) -> ast.FunctionDef:
    """The function of that name in a module's source."""
    return next(n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == name)


def mutants(tree: ast.FunctionDef) -> Iterator[Mutant]:
    """Every mutant of one function: each condition removed, negated, weakened or folded to a constant, each comparison swapped."""
    for at, node in enumerate(ast.walk(tree)):
        for what, change in _changes(node):
            mutated = copy.deepcopy(tree)
            target = list(ast.walk(mutated))[at]
            before = ast.unparse(target)
            changed = _replaced(mutated, target, change(target))
            yield Mutant(f"{tree.name} line {getattr(node, 'lineno', 0)}: {what}: {before[:90]}", changed)


Change = Callable[[Any], ast.AST | None]


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.BoolOp):
        yield from _of_bool(node)
    if isinstance(node, ast.Compare):
        yield from _of_compare(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "negation removed", lambda n: n.operand
    if isinstance(node, ast.If | ast.IfExp):
        yield from _of_test()
    if isinstance(node, ast.IfExp):
        yield "branches exchanged", lambda n: ast.IfExp(n.test, n.orelse, n.body)
    if isinstance(node, ast.If):
        yield "whole condition removed", lambda n: None
    if isinstance(node, ast.Tuple) and _rows(node):
        yield from ((f"row {at} removed", _without(at)) for at in range(len(node.elts)))
    if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.elts[0], ast.Constant):
        yield from _of_row()
    if isinstance(node, ast.comprehension) and node.ifs:
        yield "filter removed", lambda n: ast.comprehension(n.target, n.iter, [], n.is_async)
        yield "filter negated", lambda n: ast.comprehension(n.target, n.iter, [_not(n.ifs[0])], n.is_async)


def _rows(node: ast.Tuple) -> bool:
    return bool(node.elts) and all(isinstance(e, ast.Tuple) for e in node.elts)


def _of_bool(node: ast.BoolOp) -> Iterator[tuple[str, Change]]:
    other = ast.Or if isinstance(node.op, ast.And) else ast.And
    yield "and for or", lambda n: ast.BoolOp(other(), n.values)
    for at in range(len(node.values)):
        yield f"term {at} removed", _without_term(at)
        yield f"term {at} negated", _term_negated(at)


def _of_compare(node: ast.Compare) -> Iterator[tuple[str, Change]]:
    for new in SWAPPED.get(type(node.ops[0]), ()):
        if new in (ast.Lt, ast.Gt) and not (isinstance(node.comparators[0], ast.Constant) and isinstance(node.comparators[0].value, int)):
            continue
        yield f"{type(node.ops[0]).__name__} to {new.__name__}", _operator(new)
    if isinstance(node.comparators[0], ast.Tuple):
        for at in range(len(node.comparators[0].elts)):
            yield f"member {at} removed", _without_member(at)
    for folded in (True, False):
        yield f"folded to {folded}", _constant(folded)


def _of_test() -> Iterator[tuple[str, Change]]:
    yield "test negated", lambda n: _with_test(n, _not(n.test))
    for folded in (True, False):
        yield f"test folded to {folded}", _test_folded(folded)


def _of_row() -> Iterator[tuple[str, Change]]:
    yield "condition negated", lambda n: ast.Tuple([n.elts[0], _not(n.elts[1])], n.ctx)
    for folded in (True, False):
        yield f"condition folded to {folded}", _row_folded(folded)


def _without(at: int) -> Change:
    return lambda n: ast.Tuple([e for place, e in enumerate(n.elts) if place != at], n.ctx)


def _without_term(at: int) -> Change:
    def change(node: ast.BoolOp) -> ast.AST:
        kept = [v for place, v in enumerate(node.values) if place != at]
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)

    return change


def _term_negated(at: int) -> Change:
    return lambda n: ast.BoolOp(n.op, [_not(v) if place == at else v for place, v in enumerate(n.values)])


def _without_member(at: int) -> Change:
    return lambda n: ast.Compare(n.left, n.ops, [_without(at)(n.comparators[0])])


def _operator(new: type[ast.cmpop]) -> Change:
    return lambda n: ast.Compare(n.left, [new()], n.comparators)


def _constant(value: bool) -> Change:
    return lambda n: ast.Constant(value)


def _test_folded(value: bool) -> Change:
    return lambda n: _with_test(n, ast.Constant(value))


def _row_folded(value: bool) -> Change:
    return lambda n: ast.Tuple([n.elts[0], ast.Constant(value)], n.ctx)


def _with_test(node: Any, test: ast.expr) -> ast.AST:
    return type(node)(test, node.body, node.orelse)


def _not(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), node)


def _replaced(tree: ast.FunctionDef, old: ast.AST, new: ast.AST | None) -> ast.FunctionDef:
    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return new if node is old else self.generic_visit(node)

    changed: ast.FunctionDef = Swap().visit(tree)
    return changed
