"""From a file to its extraction: one reader for each extension, and the child process that all of them run in."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from trustops import confine
from trustops.domain.errors import TrustOpsError
from trustops.domain.evidence import Document, IngestionNotice, Passage
from trustops.formats.evidence import figure, intake
from trustops.formats.evidence.blocks import Extraction, noticed
from trustops.formats.evidence.memory import Memory
from trustops.formats.evidence.passages import passages_of

READERS: dict[str, tuple[str, str]] = {
    ".md": ("markdown", "read_markdown"),
    ".markdown": ("markdown", "read_markdown"),
    ".txt": ("text", "read_text"),
    ".html": ("html", "read_html"),
    ".htm": ("html", "read_html"),
    ".pdf": ("pdf", "read_pdf"),
    ".docx": ("word", "read_word"),
    ".xlsx": ("sheet", "read_sheets"),
    ".csv": ("table", "read_csv"),
    ".json": ("text", "read_json"),
}
"""Module of this package and function by extension. Imported on use: only the child needs the parsers, and only those of its files."""

SUFFIXES = frozenset(READERS) | figure.SUFFIXES

_MEMORY_MB = 1024
_ALONE = (20, 30.0)
_TOGETHER = (60, 90.0)
"""Seconds of processor and of wall time for one file, and for a batch of them."""


def extract(path: Path) -> Extraction:
    """Reads one file in this process. Raises HostileFile or MalformedFile with what to do. Foreign files belong in `contained`."""
    intake.check(path)
    module, name = READERS[path.suffix.lower()]
    extraction: Extraction = getattr(import_module(f"{__package__}.{module}"), name)(path)
    if extraction.blocks or extraction.notices:
        return extraction
    return extraction.model_copy(update={"notices": (("", "The file has no text.", "Check that it is the right file."),)})


def extract_batch(argument: dict[str, Any]) -> list[dict[str, Any]]:
    """What the child runs: {"paths": [...]} to one JSON value a file, an extraction or a refusal. One bad file refuses only itself."""
    return [_json_of(Path(path)) for path in argument["paths"]]


def _json_of(path: Path) -> dict[str, Any]:
    try:
        return extract(path).model_dump(mode="json")
    except TrustOpsError as error:
        return _refusal(error)


def _refusal(error: TrustOpsError) -> dict[str, Any]:
    return Extraction(notices=(("", f"The file was not read. {error.message}", error.remedy),)).model_dump(mode="json")


def contained(paths: Sequence[Path]) -> list[Extraction]:
    """The extractions of many files, read in a limited child; a file that cannot be read gives no blocks and a notice.

    Files whose bytes this process has read before are not read again.
    """
    return _known.read(paths, _contained)


_known: Memory[Extraction] = Memory(worth=lambda extraction: bool(extraction.blocks))


def forget() -> None:
    """Reads everything anew from now on."""
    _known.forget()


def _contained(paths: Sequence[Path]) -> list[Extraction]:
    """A batch whose child dies is repeated file by file, so that the one that killed it is named and the others are still read."""
    if not paths:
        return []
    try:
        found = _call(paths, _TOGETHER if len(paths) > 1 else _ALONE)
    except TrustOpsError as error:
        if len(paths) > 1:
            return [extraction for path in paths for extraction in _contained([path])]
        found = [_refusal(error)]
    return [Extraction.model_validate(value) for value in found]


def _call(paths: Sequence[Path], seconds: tuple[int, float]) -> list[dict[str, Any]]:
    argument = {"paths": [str(path) for path in paths]}
    cpu, wall = seconds
    found: list[dict[str, Any]] = confine.call(
        "trustops.formats.evidence.reading:extract_batch", argument, memory_mb=_MEMORY_MB, cpu_s=cpu, wall_s=wall
    )
    return found


def read(path: Path, document: Document) -> tuple[tuple[Passage, ...], tuple[IngestionNotice, ...]]:
    """The passages of one file and what a person should know about it. Never raises for a bad file: that is a notice."""
    extraction = figure_or_none(path, document) or contained([path])[0]
    return passages_of(extraction, document), noticed(document.path, extraction.notices)


def figure_or_none(path: Path, document: Document) -> Extraction | None:
    """The extraction of a figure, which is made of words of the register and opens no picture; None for any other file."""
    if path.suffix.lower() not in figure.SUFFIXES:
        return None
    try:
        intake.check(path)
    except TrustOpsError as error:
        return Extraction.model_validate(_refusal(error))
    return figure.read_figure(document)
