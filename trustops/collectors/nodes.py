"""Reading controls.yaml node by node, so that an error names file, control, key and line, and no number becomes a float."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from trustops.domain.control import Exact
from trustops.domain.errors import MalformedFile

LARGEST = 2**53 - 1
"""The largest integer that canonical JSON holds exactly (RFC 8785)."""

_WHOLE = re.compile(r"[-+]?(?:0|[1-9]\d{0,16})")
_INTEGER, _FLAG, _FLOAT, _NULL = (f"tag:yaml.org,2002:{name}" for name in ("int", "bool", "float", "null"))


@dataclass(frozen=True)
class Place:
    """Where we are: the file's name, the control's id (empty before it is known) and the key."""

    file: str
    control: str = ""
    key: str = ""

    def at(self, key: str) -> Place:
        return Place(self.file, self.control, f"{self.key}.{key}" if self.key else key)

    def wrong(self, node: yaml.Node, what: str, remedy: str) -> MalformedFile:
        parts = [self.file, f"control {self.control}" if self.control else "", f"key {self.key}" if self.key else ""]
        where = ", ".join(filter(None, [*parts, f"line {int(node.start_mark.line) + 1}"]))
        return MalformedFile(what, where=where, remedy=remedy)


def compose(text: str, file: str) -> yaml.Node | None:
    """The document's node; raises MalformedFile where it is no YAML."""
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise MalformedFile(f"This is not YAML: {error}.", where=file, remedy="Correct the file.") from None


def mapping(node: yaml.Node, place: Place, allowed: tuple[str, ...]) -> dict[str, yaml.Node]:
    """The values of a mapping by key; refuses another shape, an unknown key and a key that stands twice."""
    if not isinstance(node, yaml.MappingNode):
        raise place.wrong(node, "Here a mapping is expected.", f"Write it with the keys {', '.join(allowed)}.")
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = str(key.value)
        if name not in allowed:
            raise place.at(name).wrong(key, f"Unknown key {name!r}.", f"Known are {', '.join(allowed)}.")
        if name in found:
            raise place.at(name).wrong(key, f"The key {name!r} stands twice.", "Keep one.")
        found[name] = value
    return found


def text(node: yaml.Node, place: Place) -> str:
    """A scalar as it is written, never empty."""
    if not isinstance(node, yaml.ScalarNode) or node.tag == _NULL or not str(node.value).strip():
        raise place.wrong(node, "Here plain text is expected.", "Write a value, in quotes if needed.")
    return str(node.value)


def texts(node: yaml.Node, place: Place) -> tuple[str, ...]:
    """A list of texts with at least one member."""
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise place.wrong(node, "Here a list is expected.", "Write it as [one, two].")
    return tuple(text(each, place) for each in node.value)


def exact(node: yaml.Node, place: Place) -> Exact:
    """An integer, a flag or a text. A float is refused: 0.95 has no exact value, "0.95" has."""
    written = text(node, place)
    if node.tag == _FLOAT:
        raise place.wrong(node, f"{written} is a float, which has no exact value.", f'Write it in quotes: "{written}".')
    if node.tag == _FLAG:
        return written.lower() in ("true", "yes", "on")
    if node.tag == _INTEGER:
        if not _WHOLE.fullmatch(written) or abs(int(written)) > LARGEST:
            raise place.wrong(node, f"{written} is no plain whole number below 2^53.", "Write it with digits only, or in quotes.")
        return int(written)
    return written


def exacts(node: yaml.Node, place: Place) -> tuple[Exact, ...]:
    """A list of exact values with at least one member."""
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise place.wrong(node, "Here a list is expected.", "Write it as [one, two].")
    return tuple(exact(each, place) for each in node.value)
