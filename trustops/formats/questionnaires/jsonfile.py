"""JSON read with the place of every value, so that answers can be spliced in and every other byte stays.

Tolerant where people write by hand: comments (`//`, `/* */`), a comma too many and texts joined by `+` are read. The rest is
RFC 8259; a key that stands twice in one object is refused, since programs differ in which of the two they believe.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from trustops.domain.errors import HostileFile, MalformedFile

MAX_VALUES = 100_000
MAX_DEPTH = 100
ANEW = "Check the file with the program that made it."
BLANK = re.compile(r"[ \t\r\n]*")
PLAIN = re.compile(r"[+\-.0-9a-zA-Z]*")


@dataclass(slots=True)
class Node:
    """A value: `start` to `end` in the text. `inner` is where the last member ends, `comma` whether one follows it."""

    start: int
    end: int = 0
    kind: str = "plain"
    value: object = None
    members: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    inner: int = 0
    comma: bool = False

    def get(self, *keys: str) -> Node | None:
        node: Node | None = self
        for key in keys:
            node = node.members.get(key) if node else None
        return node

    def text(self, key: str) -> str:
        """The string of a member; empty where there is none."""
        node = self.members.get(key)
        return node.value if node and isinstance(node.value, str) else ""

    def list(self, key: str) -> list[Node]:
        """The elements of a member that is an array."""
        node = self.members.get(key)
        return node.items if node else []


@dataclass(slots=True)
class Document:
    """A decoded file."""

    file: str
    mark: bytes
    text: str
    root: Node

    def bytes(self, text: str) -> bytes:
        return self.mark + text.encode("utf-8")


def load(path: Path) -> Document:
    """Read a JSON file. Raises MalformedFile with the line where it is none, HostileFile above the limits."""
    data = path.read_bytes()
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    try:
        text = data[len(mark) :].decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedFile("The file is not UTF-8.", where=path.name, remedy="Save it as UTF-8 and try again.") from None
    return Document(path.name, mark, text, _Reader(text, path.name).whole())


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file, self.place, self.count = text, file, 0, 0
        self.escape = text.find("\\")

    def whole(self) -> Node:
        node = self._value(0)
        self._blank()
        if self.place < len(self.text):
            raise self._fail("Something follows the end of the JSON value")
        return node

    def _fail(self, what: str) -> MalformedFile:
        line = self.text.count("\n", 0, self.place) + 1
        return MalformedFile(f"{what}.", where=f"{self.file}, line {line}", remedy=ANEW)

    def _blank(self) -> None:
        text = self.text
        while True:
            self.place = BLANK.match(text, self.place).end()  # type: ignore[union-attr]  # it matches nothing at least
            if not text.startswith("/", self.place):
                return
            if text.startswith("//", self.place):
                end = text.find("\n", self.place)
                self.place = len(text) if end < 0 else end + 1
            elif text.startswith("/*", self.place):
                end = text.find("*/", self.place + 2)
                if end < 0:
                    raise self._fail("A comment has no end")
                self.place = end + 2
            else:
                return

    def _value(self, depth: int) -> Node:
        self._blank()
        self.count += 1
        if self.count > MAX_VALUES or depth > MAX_DEPTH:
            raise HostileFile("The JSON holds more values than a questionnaire can.", where=self.file, remedy=ANEW)
        sign = self.text[self.place : self.place + 1]
        node = Node(self.place)
        if sign == "{":
            self._object(node, depth)
        elif sign == "[":
            self._array(node, depth)
        elif sign == '"':
            node.kind, node.value = "string", self._joined()
        else:
            self._plain(node)
        node.end = self.place
        return node

    def _object(self, node: Node, depth: int) -> None:
        node.kind = "object"
        for _ in self._elements(node, "}"):
            if self.text[self.place : self.place + 1] != '"':
                raise self._fail("A name in quotes is expected")
            key = self._string()
            self._blank()
            if self.text[self.place : self.place + 1] != ":":
                raise self._fail(f"A colon is expected after {key[:40]!r}")
            self.place += 1
            if key in node.members:
                raise self._fail(f"{key[:40]!r} stands twice in one object")
            node.members[key] = self._value(depth + 1)

    def _array(self, node: Node, depth: int) -> None:
        node.kind = "array"
        for _ in self._elements(node, "]"):
            node.items.append(self._value(depth + 1))

    def _elements(self, node: Node, closing: str) -> Iterator[None]:
        """Stands at the beginning of each element; notes where the last one ends."""
        self.place += 1
        node.inner = self.place
        while True:
            self._blank()
            if self.text[self.place : self.place + 1] == closing:
                self.place += 1
                return
            yield
            node.inner, node.comma = self.place, False
            self._blank()
            sign = self.text[self.place : self.place + 1]
            if sign == ",":
                self.place += 1
                node.inner, node.comma = self.place, True
            elif sign != closing:
                raise self._fail(f"A comma or {closing} is expected")

    def _joined(self) -> str:
        """A text, or several that a `+` joins."""
        text = self._string()
        while True:
            end = self.place
            self._blank()
            if self.text[self.place : self.place + 1] != "+":
                self.place = end
                return text
            self.place += 1
            self._blank()
            if self.text[self.place : self.place + 1] != '"':
                raise self._fail("A text is expected after +")
            text += self._string()

    def _string(self) -> str:
        start = self.place
        self.place += 1
        while True:
            end, escaped = self.text.find('"', self.place), self._next_escape()
            if end < 0:
                raise self._fail("A text has no end")
            if 0 <= escaped < end:
                self.place = escaped + 2
                continue
            self.place = end + 1
            break
        try:
            return str(json.loads(self.text[start : self.place], strict=False))
        except ValueError:
            raise self._fail("A text holds an escape that JSON does not have") from None

    def _next_escape(self) -> int:
        """The next backslash; looked for once, not at every text that has none."""
        if self.escape < self.place and self.escape >= 0:
            self.escape = self.text.find("\\", self.place)
        return self.escape

    def _plain(self, node: Node) -> None:
        start = self.place
        self.place = PLAIN.match(self.text, self.place).end()  # type: ignore[union-attr]
        try:
            node.value = json.loads(self.text[start : self.place], parse_int=str, parse_float=str)
        except ValueError:
            raise self._fail("A value is expected") from None


def inserted(node: Node, new: str) -> tuple[int, int, str]:
    """The edit that puts a further member or element at the end of an object or array."""
    filled = bool(node.members or node.items)
    return node.inner, node.inner, (", " if filled and not node.comma else " " if node.comma else "") + new


def applied(text: str, edits: list[tuple[int, int, str]]) -> str:
    """The text with all edits made."""
    pieces, place = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [text[place:start], new]
        place = end
    return "".join([*pieces, text[place:]])
