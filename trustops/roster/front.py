"""The block between two --- lines at the head of a Markdown file. An unknown or missing key is a refusal."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Any

import yaml

from trustops.domain.errors import MalformedFile


def front(path: Path, wanted: Set[str], optional: Set[str] = frozenset(), *, where: str = "") -> tuple[dict[str, Any], str]:
    """The keys and what stands beneath them; raises MalformedFile with the file and what to do."""
    where = where or path.name
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as bad:
        raise MalformedFile("the file is not UTF-8", where=where) from bad
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        raise MalformedFile("no front matter", where=where, remedy="Begin the file with a block between two --- lines.")
    head, body = text[4:].split("\n---\n", 1)
    try:
        data = yaml.safe_load(head) or {}
    except yaml.YAMLError as bad:
        raise MalformedFile(f"the front matter is no YAML ({bad})", where=where) from bad
    if not isinstance(data, dict):
        raise MalformedFile("the front matter is no mapping", where=where)
    if unknown := set(data) - wanted - optional:
        raise MalformedFile(f"unknown keys {sorted(unknown)}", where=where, remedy=f"Allowed are {sorted(wanted | optional)}.")
    if missing := wanted - set(data):
        raise MalformedFile(f"the keys {sorted(missing)} are missing", where=where)
    return data, body
