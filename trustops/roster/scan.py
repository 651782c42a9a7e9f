"""What a skill must not ask for: to approve, to pass over findings, to say yes whatever is true, to read outside its contract, to send
something away, to hide. A flag is no proof and its absence is none either: a person reads every skill before it is admitted.

Words are looked at in every text of the folder, line by line and across one line break; a program's tree besides, since what it imports
says what it can do. The patterns stand in catalogue/skill_scan.yaml.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import yaml

from trustops.facts.hidden import invisible

RULES = Path(__file__).resolve().parent.parent / "catalogue" / "skill_scan.yaml"
ENCODED = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{80,}={0,2}(?![A-Za-z0-9+/])|(?:\\x[0-9a-fA-F]{2}){12,}")
HIDDEN = re.compile(r"<!--|\[//\]:|display:\s*none", re.IGNORECASE)
PLAIN_DUNDERS = frozenset({"__init__", "__name__", "__doc__"})
TEXTS = frozenset({".md", ".txt", ".py", ".json", ".yaml", ".yml", ".toml", ".csv", ""})


@dataclass(frozen=True, slots=True)
class Flag:
    """One place that a person must look at: a code, `file:line`, and what is asked there, with the words."""

    code: str
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class _Kind:
    code: str
    what: str
    pattern: re.Pattern[str]
    denied: re.Pattern[str]

    def asked(self, text: str, *, across: int = 0) -> str | None:
        """The words that ask for it and are not denied; with `across`, only words that begin before and end after that place."""
        for found in self.pattern.finditer(text):
            if across and not found.start() < across < found.end() - 1:
                continue
            if not self.denied.search(text[: found.start()]):
                return found.group()
        return None


@dataclass(frozen=True, slots=True)
class _Rules:
    kinds: tuple[_Kind, ...]
    modules: frozenset[str]
    calls: frozenset[str]


@cache
def _rules() -> _Rules:
    data = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    denied = re.compile(data["denied"], re.IGNORECASE)
    kinds = tuple(
        _Kind(kind["code"], kind["what"], re.compile("|".join(kind["patterns"]).replace("{near}", data["near"]), re.IGNORECASE), denied)
        for kind in data["kinds"]
    )
    return _Rules(kinds, frozenset(data["modules"].split()), frozenset(data["calls"].split()))


def scan(folder: Path) -> tuple[Flag, ...]:
    """All flags of a skill's folder, by file and line."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return tuple(flag for path in files for flag in _file(folder, path))


def _file(folder: Path, path: Path) -> Iterator[Flag]:
    name = path.relative_to(folder).as_posix()
    try:
        text = path.read_text(encoding="utf-8") if path.suffix.lower() in TEXTS else None
    except UnicodeDecodeError:
        text = None
    if text is None:
        yield Flag("OPAQUE", name, "is no text that can be read")
        return
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        yield from (Flag(code, f"{name}:{number}", what) for code, what in _line(line))
    for number, (first, second) in enumerate(pairwise(lines), start=1):
        yield from (Flag(code, f"{name}:{number}", what) for code, what in _asked(f"{first} {second}", across=len(first)))
    if path.suffix == ".py":
        yield from _program(name, text)


def _line(line: str) -> Iterator[tuple[str, str]]:
    yield from _asked(line)
    if invisible(line):
        yield "HIDES", "holds characters that a reader does not see"
    if ENCODED.search(line):
        yield "HIDES", "holds a long encoded text"
    if HIDDEN.search(line):
        yield "HIDES", "holds a comment that a reader does not see"


def _asked(text: str, *, across: int = 0) -> Iterator[tuple[str, str]]:
    for kind in _rules().kinds:
        if (found := kind.asked(text, across=across)) is not None:
            yield kind.code, f"{kind.what}: {found[:80]!r}"


def _program(name: str, text: str) -> Iterator[Flag]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as bad:
        yield Flag("OPAQUE", f"{name}:{getattr(bad, 'lineno', None) or 1}", "is no Python that can be read")
        return
    for node in ast.walk(tree):
        for what in _reaches(node):
            yield Flag("READS", f"{name}:{getattr(node, 'lineno', 1)}", what)


def _reaches(node: ast.AST) -> Iterator[str]:
    rules = _rules()
    if isinstance(node, ast.Import):
        yield from (f"imports {alias.name}" for alias in node.names if alias.name.split(".")[0] in rules.modules)
    elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in rules.modules:
        yield f"imports {node.module}"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in rules.calls:
        yield f"calls {node.func.id}"
    elif isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr not in PLAIN_DUNDERS:
        yield f"reaches for {node.attr}"
