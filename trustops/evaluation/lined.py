"""YAML with the line of whatever is wrong in it. A key that stands twice in one mapping is an error: of two values one would be lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from trustops.domain.errors import MalformedFile, UsageError

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The library's own reader in C where it is there: ten times as fast, the same values."""


def parsed(path: Path, loader_class: Any = LOADER) -> tuple[yaml.Node, Any]:
    """The nodes and the data of a file. Raises UsageError where it is not there, MalformedFile where it is no YAML."""
    if not path.is_file():
        raise UsageError("there is no such file", where=str(path))
    try:
        loader = loader_class(path.read_text(encoding="utf-8"))
        node = loader.get_single_node()
        repeated = next(_repeated(node), None) if node else None
        data = loader.construct_document(node) if node and repeated is None else None
    except UnicodeDecodeError as bad:
        raise MalformedFile("not UTF-8 text", where=path.name) from bad
    except (yaml.YAMLError, RecursionError) as bad:
        raise MalformedFile(f"not readable as YAML ({bad})", where=path.name) from bad
    if node is None:
        raise MalformedFile("the file is empty", where=path.name)
    if repeated is not None:
        raise MalformedFile(f"{repeated.value}: the key stands twice", where=f"{path.name}, line {repeated.start_mark.line + 1}")
    return node, data


def first_error(bad: ValidationError) -> tuple[tuple[int | str, ...], str]:
    """Where the first error stands and what it is, in plain words."""
    first = bad.errors()[0]
    told = "unknown key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
    return first["loc"], told


def line_of(node: yaml.Node, path: Sequence[int | str]) -> int:
    """The line, counted from one, of the deepest place on a path that the file has; a key's own line where the value is missing."""
    line = node.start_mark.line + 1
    for part in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        elif isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == part), None)
            if found is not None:
                node, line = found[1], found[0].start_mark.line + 1
    return line


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        yield from (value for _, value in node.value)
    if isinstance(node, yaml.SequenceNode):
        yield from node.value


def _repeated(root: yaml.Node) -> Iterator[yaml.Node]:
    open_nodes, seen = [root], set[int]()
    while open_nodes:
        node = open_nodes.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        open_nodes.extend(_children(node))
        keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
        yield from (key for at, key in enumerate(keys) if any(key.value == other.value for other in keys[:at]))
