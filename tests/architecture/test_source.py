"""Harm: the promise is kept in one place and broken in another. What may be built, caught, opened and printed where."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source import ROOT, called, nodes, trees

LONGEST_FILE, LONGEST_FUNCTION = 400, 50


def users(name: str) -> set[str]:
    return {module for module, node in nodes(ast.Call) if called(node) == name}


def test_findings_are_built_only_by_rules_the_domain_and_the_reviewer() -> None:
    strangers = {m for m in users("Finding") if not m.startswith(("checks/", "domain/")) and m != "team/reviewer.py"}
    assert strangers == set()


def test_no_finding_is_built_past_its_constructor_outside_those_rooms() -> None:
    sidedoors = {
        module
        for module, node in nodes(ast.Call)
        if called(node) in ("model_validate", "model_validate_json", "model_construct")
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("Finding", "ClearedAnswer")
    }
    assert sidedoors <= {"domain/record.py"}


def test_a_cleared_answer_comes_from_the_gate_alone() -> None:
    assert users("ClearedAnswer") == {"domain/export.py"}


def broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is None or (isinstance(each, ast.Name) and each.id in ("Exception", "BaseException")) for each in caught)


def passes_on(handler: ast.ExceptHandler) -> bool:
    """It tidies up and raises again, so that nothing is caught."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_whatever_goes_wrong_is_caught_in_at_most_three_files() -> None:
    assert len({module for module, node in nodes(ast.ExceptHandler) if broad(node) and not passes_on(node)}) <= 3


def test_no_exception_is_swallowed_whatever_it_is() -> None:
    silent = [
        f"{module}:{node.lineno}"
        for module, node in nodes(ast.ExceptHandler)
        if broad(node) and all(isinstance(s, ast.Pass) for s in node.body)
    ]
    suppressed = [
        f"{module}:{node.lineno}"
        for module, node in nodes(ast.Call)
        if called(node) == "suppress" and any(isinstance(a, ast.Name) and a.id in ("Exception", "BaseException") for a in node.args)
    ]
    assert (silent, suppressed) == ([], [])


def test_no_file_is_longer_than_a_person_reads() -> None:
    lengths = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in trees()}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{module}:{node.name} {length}"
        for kind in (ast.FunctionDef, ast.AsyncFunctionDef)
        for module, node in nodes(kind)
        if (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert long == []


def test_no_module_is_named_after_nothing() -> None:
    empty = re.compile(r"(^|_)(utils?|helpers?|common|managers?|services?|misc)(_|$)")
    names = {part for path in trees() for part in path.removesuffix(".py").split("/")}
    assert [name for name in names if empty.search(name)] == []


def test_only_the_evaluation_knows_the_truth() -> None:
    named = {
        module
        for module, node in nodes(ast.AST)
        if (isinstance(node, ast.Name) and node.id in ("load_truth", "Truth"))
        or (isinstance(node, ast.Attribute) and node.attr in ("load_truth", "Truth"))
        or (isinstance(node, (ast.ImportFrom, ast.Import)) and "evaluation.truth" in ast.unparse(node))
        or (isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"truth[\w.-]*\.(?:ya?ml|json)\b", node.value))
    }
    assert {module for module in named if not module.startswith("evaluation/")} == set()


def test_the_option_truth_is_taken_by_the_evaluation_command_alone() -> None:
    taking = {module for module, node in nodes(ast.arg) if node.arg == "truth"}
    assert {module for module in taking if not module.startswith("evaluation/")} <= {"cli/evaluating.py"}


def imported(module: str) -> set[str]:
    """Modules whose import of a module is seen in their own source."""
    found = set()
    for name, node in nodes(ast.Import):
        found |= {name for alias in node.names if alias.name.split(".")[0] == module}
    return found | {name for name, node in nodes(ast.ImportFrom) if (node.module or "").split(".")[0] == module and not node.level}


ADAPTERS = ("storage/", "providers/", "formats/", "retrieval/", "collectors/", "signing/", "telemetry/")


def test_the_operating_system_is_reached_from_settings_confinement_and_adapters_only() -> None:
    assert {
        name for name in imported("os") if name not in ("settings.py", "confine.py", "disk.py") and not name.startswith(ADAPTERS)
    } == set()


def test_the_environment_is_read_once() -> None:
    reading = {
        module
        for module, node in nodes(ast.Attribute)
        if node.attr in ("environ", "getenv", "putenv") and isinstance(node.value, ast.Name) and node.value.id == "os"
    }
    assert reading <= {"settings.py", "confine.py"}


def test_nothing_is_printed_past_the_screen() -> None:
    """The drawing prints itself where it is run as a program, to be kept in docs/."""
    printing = {module for module, node in nodes(ast.Call) if isinstance(node.func, ast.Name) and node.func.id == "print"}
    assert printing <= {"workflow/drawing.py"}


@pytest.mark.parametrize("name", ["eval", "exec", "compile", "__import__"])
def test_no_text_is_run_as_a_program(name: str) -> None:
    assert [f"{m}:{n.lineno}" for m, n in nodes(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == name] == []


def test_nothing_is_unpickled() -> None:
    assert imported("pickle") | imported("marshal") | imported("shelve") == set()


def test_every_finder_blocks_by_a_code_of_the_vocabulary() -> None:
    """A finder names its codes as members of FindingCode, never as text."""
    typed = [
        f"{module}:{node.lineno}"
        for module, node in nodes(ast.Call)
        if called(node) == "Finding"
        for word in node.keywords
        if word.arg in ("code", "severity", "source") and isinstance(word.value, ast.Constant)
    ]
    assert typed == []


LOWEST = ("domain/", "facts/", "checks/")


def test_the_lowest_floors_have_no_clock_and_draw_no_ids() -> None:
    drawn = {
        f"{module}:{node.lineno}"
        for module, node in nodes(ast.Call)
        if module.startswith(LOWEST)
        and called(node) in ("now", "today", "utcnow", "uuid4", "uuid7", "time", "monotonic", "token_hex", "open")
    }
    assert drawn == set()


def test_no_finder_knows_a_float() -> None:
    floats = {
        f"{module}:{node.lineno}"
        for module, node in nodes(ast.Constant)
        if module.startswith(("checks/", "domain/")) and isinstance(node.value, float)
    }
    assert floats == set()
