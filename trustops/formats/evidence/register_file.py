"""The words of the register: which keys an entry may have, what their values must be, and where in the file a wrong one stands."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from trustops.domain.errors import MalformedFile
from trustops.domain.evidence import Classification, EvidenceKind

KEYS = ("path", "title", "kind", "effective", "expires", "classification", "owner", "products")
_NULL = "tag:yaml.org,2002:null"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Fields = dict[str, Any]
"""Checked values by key; only the keys that the file gives."""


def entries(path: Path) -> list[tuple[Fields, int]]:
    """The entries of evidence.yaml with their lines; an empty list where there is no such file. Raises MalformedFile."""
    if not path.is_file():
        return []
    try:
        root = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=_LOADER)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedFile(f"This is not YAML: {error}.", where=path.name, remedy="Correct the file.") from None
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        raise _wrong(path.name, root, "The register must be a list of entries.", "Begin every entry with '- path: ...'.")
    found = [(_entry(path.name, node), _line(node)) for node in root.value]
    _refuse_twins(path.name, found)
    return found


def _entry(file: str, node: yaml.Node) -> Fields:
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(file, node, "An entry must be a mapping.", "Write '- path: evidence/...'.")
    found = fields(file, node, KEYS)
    if "path" not in found:
        raise _wrong(file, node, "An entry without a path.", "Name the file, relative to the workspace.")
    return found


def _refuse_twins(file: str, found: list[tuple[Fields, int]]) -> None:
    lines: dict[str, int] = {}
    for entry, line in found:
        if entry["path"] in lines:
            raise MalformedFile(
                f"{entry['path']} is registered twice (first in line {lines[entry['path']]}).",
                where=f"{file}, line {line}",
                remedy="Keep one entry.",
            )
        lines[entry["path"]] = line


def fields(file: str, node: yaml.MappingNode, allowed: tuple[str, ...]) -> Fields:
    """The checked values of one mapping. Raises MalformedFile for an unknown or repeated key and for a wrong value, with the line."""
    found: Fields = {}
    for key, value in pairs(node):
        name = str(key.value)
        if name not in allowed:
            raise _wrong(file, key, f"Unknown key {name!r}.", f"Known are {', '.join(allowed)}.")
        if name in found:
            raise _wrong(file, key, f"The key {name!r} stands twice.", "Keep one.")
        if name != "path" and value.tag == _NULL:
            continue
        found[name] = _value(file, name, value)
    if "effective" in found and "expires" in found and found["expires"] < found["effective"]:
        raise _wrong(file, node, "The document expires before it takes effect.", "Correct one of the two dates.")
    return found


def pairs(node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Keys and values with their places in the file."""
    yield from node.value


def _value(file: str, name: str, node: yaml.Node) -> Any:
    if name == "products":
        names = node.value if isinstance(node, yaml.SequenceNode) else [node]
        return tuple(_text(file, name, each) for each in names)
    text = _text(file, name, node)
    if name == "kind":
        return _member(file, node, EvidenceKind, name, text)
    if name == "classification":
        return _member(file, node, Classification, name, text)
    if name in ("effective", "expires"):
        return _date(file, name, node, text)
    return _path(file, node, text) if name == "path" else text


def _text(file: str, name: str, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _wrong(file, node, f"The value of {name!r} must be plain text.", "Put it on one line, in quotes if needed.")
    return str(node.value)


def _member(file: str, node: yaml.Node, kind: type[EvidenceKind] | type[Classification], name: str, text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise _wrong(file, node, f"Unknown {name} {text!r}.", f"Known are {', '.join(kind)}.") from None


def _date(file: str, name: str, node: yaml.Node, text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise _wrong(file, node, f"The value {text!r} of {name!r} is no date.", "Write it as 2026-03-31.") from None


def _path(file: str, node: yaml.Node, text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text or not path.parts:
        raise _wrong(file, node, f"The path {text!r} does not stay in the workspace.", "Write it relative to the workspace, with /.")
    return path.as_posix()


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _wrong(file: str, node: yaml.Node, what: str, remedy: str) -> MalformedFile:
    return MalformedFile(what, where=f"{file}, line {_line(node)}", remedy=remedy)
