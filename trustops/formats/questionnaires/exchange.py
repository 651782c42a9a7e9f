"""Read, write and compare a questionnaire file, each in a limited child process; what `trustops.formats.questionnaires` offers."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trustops import confine
from trustops.disk import settle
from trustops.domain.errors import UsageError
from trustops.domain.question import AnswerCell, CellValue, Mapped, PartChanges, Question, Questionnaire, RefusedCell, Replaced, Skipped
from trustops.formats.questionnaires import opendocument
from trustops.formats.questionnaires.mapping import Mapping
from trustops.formats.questionnaires.memory import recall, remember

HERE = "trustops.formats.questionnaires"
CPU_S, PDF_CPU_S = 20, 3


def read(path: Path, mapping: Mapping | None = None, *, memory: Path | None = None, guess: bool = False) -> Questionnaire:
    """The questions of a questionnaire file with their answer cells, and what was skipped and why.

    A mapping is kept in `memory` for its template and used for the next file of the same template. `guess` takes layouts that are not
    clear, for a person who then looks at what was found. Raises UnknownName, MalformedFile or HostileFile for a file that is not
    admitted, UsageError where no question is found.
    """
    known = recall(memory) if mapping is None else []
    argument = {
        "path": str(path),
        "mapping": mapping.tables() if mapping else None,
        "remembered": [[digest, one.tables()] for digest, one in known],
        "guess": guess,
    }
    with opendocument.readable(path) as book:
        found = _call(book, f"{HERE}.reading:parse", argument | {"path": str(book)})
    if book != path:
        found["format"], found["sha256"] = "ods", hashlib.sha256(path.read_bytes()).hexdigest()
        found["skipped"].append((path.name, "OpenDocument", opendocument.TOLD))
    if mapping and memory and found["fingerprint"]:
        remember(memory, found["fingerprint"], mapping.dump())
    questions = tuple(_question(question) for question in found["questions"])
    skipped = tuple(Skipped(where=where, what=what, why=why) for where, what, why in found["skipped"])
    mappings = tuple(Mapped.model_validate(mapping) for mapping in found["mappings"])
    return Questionnaire(
        file=path.name, format=found["format"], sha256=found["sha256"], questions=questions, skipped=skipped, mappings=mappings
    )


def propose(path: Path) -> Mapping:
    """The mapping that `read` would use, for `trustops parse --save-map`; an unclear layout is guessed, since a person corrects it."""
    with opendocument.readable(path) as book:
        try:
            found = _call(book, f"{HERE}.reading:parse", {"path": str(book), "mapping": None})
        except UsageError:
            found = _call(book, f"{HERE}.reading:parse", {"path": str(book), "mapping": None, "guess": True})
    return Mapping.of(found["tables"])


def write(original: Path, target: Path, values: Sequence[CellValue]) -> PartChanges:
    """Write the answers into a copy of the original at `target`; the original is only read.

    The copy is proved to differ from the original in the given cells alone, and appears at `target` whole or not at all.
    Raises Refused for any value that `refusals` names, for two values for one cell, and for a signed file.
    """
    if target.exists() and target.resolve() == original.resolve():
        raise UsageError("The export would overwrite the original.", where=str(target), remedy="Choose another name.")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=carried(original.name))
    os.close(handle)
    part = Path(name)
    try:
        with opendocument.readable(original) as book:
            made = _call(book, f"{HERE}.writing:write", {"original": str(book), "target": name, "values": _given(values)})
        shutil.copymode(original, part)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    settle(target.parent)
    return _changes(made)


def refusals(original: Path, values: Sequence[CellValue]) -> tuple[RefusedCell, ...]:
    """The values that may not stand in their cells, each with its reason; nothing is written.

    Refused are: a formula, a value outside the cell's list or limits, a text that is too long or holds what the file cannot, a number or
    date that is none. Raises what `read` raises for a file that is not admitted.
    """
    with opendocument.readable(original) as book:
        found = _call(book, f"{HERE}.writing:refusals", {"original": str(book), "values": _given(values)})
    return tuple(RefusedCell(sheet=sheet, cell=cell, why=why, remedy=remedy) for sheet, cell, why, remedy in found)


def _call(path: Path, target: str, argument: dict[str, Any]) -> Any:
    """The limited child. Reading the text of an honest PDF takes a fraction of a second, so a PDF gets less time."""
    return confine.call(target, argument, cpu_s=PDF_CPU_S if path.suffix.lower() == ".pdf" else CPU_S)


def _given(values: Sequence[CellValue]) -> list[dict[str, str]]:
    return [{"sheet": value.sheet, "cell": value.cell, "value": value.value, "kind": value.kind.value} for value in values]


def _changes(made: dict[str, Any]) -> PartChanges:
    return PartChanges(
        identical=made["identical"], changed=tuple(made["changed"]), replaced=tuple(Replaced(**cell) for cell in made["replaced"])
    )


def compare(original: Path, exported: Path, answer_cells: Sequence[AnswerCell | CellValue]) -> PartChanges:
    """Prove that the exported file is the original but for the answer cells. Raises Refused naming the part that is not."""
    cells = [[cell.sheet, cell.cell] for cell in answer_cells]
    with opendocument.readable(original) as book:
        made = _call(book, f"{HERE}.writing:compare", {"original": str(book), "exported": str(exported), "cells": cells})
    return _changes(made)


def carried(file: str) -> str:
    """The extension of the answered file: the original's, and a workbook's for what is read only."""
    suffix = Path(file).suffix.lower()
    return ".xlsx" if suffix in (".pdf", opendocument.SUFFIX) else suffix


def _question(found: dict[str, object]) -> Question:
    return Question.model_validate(found)
