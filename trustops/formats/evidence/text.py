"""Plain text and JSON, and the decoding that all text formats share."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trustops.domain.errors import MalformedFile
from trustops.formats.evidence.blocks import Block, Extraction, Notice, line_of, titled

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s+\S")


def decoded(path: Path) -> tuple[str, list[Notice]]:
    """The file's text with "\\n" line ends. Raises MalformedFile on bytes that no text has; says so where it had to guess the encoding."""
    data = path.read_bytes()
    named = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return _unix(data.decode(named)), []
    except UnicodeDecodeError:
        if b"\x00" in data:
            raise MalformedFile("This is not a text file.", where=path.name, remedy="Save it as UTF-8 text.") from None
    guess = _guessed(data)
    return _unix(data.decode(guess, "replace")), [("", f"The file is not UTF-8; it was read as {guess}.", "Save it as UTF-8.")]


def _guessed(data: bytes) -> str:
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return "cp1252"
    foreign = [char for char in text if ord(char) > 127]
    return "gb18030" if len(_HAN.findall(text)) * 2 > len(foreign) else "cp1252"


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: Path) -> Extraction:
    """Paragraphs are separated by an empty line; an item of a list begins a block of its own. Locator: lines."""
    text, notices = decoded(path)
    blocks: list[Block] = []
    held: list[tuple[int, str]] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if held and (not line.strip() or _ITEM.match(line)):
            blocks.append(Block(text=line_of(" ".join(part for _, part in held)), first=held[0][0], last=held[-1][0]))
            held = []
        if line.strip():
            held.append((number, line))
    return titled(blocks, notices)


def read_json(path: Path) -> Extraction:
    """One line "path.to.key: value" for each value. Raises MalformedFile where the text is no JSON. Locator: entries in file order."""
    text, notices = decoded(path)
    try:
        value = json.loads(text)
    except ValueError as error:
        raise MalformedFile(f"This is not JSON: {error}.", where=path.name, remedy="Correct the file.") from None
    except RecursionError:
        raise MalformedFile("The JSON is nested too deeply.", where=path.name, remedy="Export it flatter.") from None
    lines = enumerate(_leaves(value), start=1)
    return titled([Block(text=line_of(line), unit="entry", first=number, last=number) for number, line in lines], notices)


def _leaves(value: Any) -> Iterator[str]:
    """Without recursion: the depth of the file is the sender's choice."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        path, here = waiting.pop()
        if isinstance(here, dict):
            waiting.extend((f"{path}.{key}" if path else str(key), inner) for key, inner in reversed(here.items()))
        elif isinstance(here, list):
            waiting.extend((f"{path}[{index + 1}]", inner) for index, inner in reversed(list(enumerate(here))))
        else:
            shown = here if isinstance(here, str) else json.dumps(here)
            yield f"{path}: {shown}" if path else shown
