"""Mappings that a person stated, kept per template: next year's copy of the same template is read without asking.

A template is told by the names of the mapped sheets and the texts over and in what was mapped: the header row of a table, the
question cells of a list. Answers, dates and file names have no part in it. One YAML file a template, in the organisation's own folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping as Tables
from pathlib import Path
from typing import Any

from trustops.domain.errors import MalformedFile
from trustops.formats.questionnaires.address import position
from trustops.formats.questionnaires.grid import Grid

MAX_REMEMBERED = 500


def fingerprint(grids: list[Grid], tables: Tables[str, list[dict[str, Any]] | None]) -> str:
    """The digest of a template as a mapping sees it; empty where a sheet of the mapping is not there."""
    by_name = {grid.name: grid for grid in grids}
    if not tables or not set(tables) <= set(by_name):
        return ""
    seen = [[name, _seen(by_name[name], made)] for name, made in sorted(tables.items())]
    return hashlib.sha256(json.dumps(seen, ensure_ascii=False).encode()).hexdigest()


def _seen(grid: Grid, tables: list[dict[str, Any]] | None) -> list[Any]:
    found: list[Any] = []
    for table in tables or []:
        if "cells" in table:
            found.append([[cell["question"], grid.text(*position(cell["question"].partition(".")[0]))] for cell in table["cells"]])
        else:
            found.append([table["header"], table["question"], sorted(grid.lines.get(table["header"], {}).items())])
    return found


def recall(memory: Path | None) -> list[tuple[str, Any]]:
    """(digest, mapping) of every remembered template, newest first. A file that cannot be read is named, never skipped silently."""
    from trustops.formats.questionnaires.mapping import Mapping

    if memory is None or not memory.is_dir():
        return []
    paths = sorted(memory.glob("*.yaml"), key=lambda path: (-path.stat().st_mtime_ns, path.name))[:MAX_REMEMBERED]
    try:
        return [(path.stem, Mapping.load(path)) for path in paths]
    except MalformedFile as error:
        raise MalformedFile(error.message, where=f"{memory}/{error.where}", remedy="Correct or delete the remembered mapping.") from None


def remember(memory: Path, digest: str, text: str) -> None:
    """Keep a mapping under its template's digest; the newest statement of a template replaces the one before."""
    memory.mkdir(parents=True, exist_ok=True)
    part = memory / f".{digest}.part"
    part.write_text(text, encoding="utf-8")
    part.replace(memory / f"{digest}.yaml")
