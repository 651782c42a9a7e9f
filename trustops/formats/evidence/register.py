"""The register of evidence: evidence.yaml, front matter and the defaults, merged into one document noun for each file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from trustops.domain.chain import sha256
from trustops.domain.errors import MalformedFile, UsageError
from trustops.domain.evidence import Document, EvidenceKind, IngestionNotice
from trustops.formats.evidence import figure, front_matter, intake
from trustops.formats.evidence.reading import SUFFIXES
from trustops.formats.evidence.register_file import KEYS, Fields, entries, fields, pairs
from trustops.formats.evidence.text import decoded

FOLDER, REGISTER = "evidence", "evidence.yaml"


def load_register(workspace: Path) -> tuple[Document, ...]:
    """One document for each readable file of the evidence folder, sorted by path.

    evidence.yaml comes before front matter, and both before the defaults (kind record, a figure's diagram; classification
    internal). A title that nobody gave is the file's name in words; `read_folder` prefers the first heading. Raises MalformedFile
    with file and line, and UsageError where the folder is missing.
    """
    return registered(workspace)[0]


def registered(workspace: Path) -> tuple[tuple[Document, ...], frozenset[str], tuple[IngestionNotice, ...]]:
    """The documents, the paths whose title somebody gave, and what a person should know (unread formats, entries without a file)."""
    given = {str(entry["path"]): (entry, line) for entry, line in entries(workspace / REGISTER)}
    notices: list[IngestionNotice] = []
    documents: list[Document] = []
    named: set[str] = set()
    for path in _files(workspace, notices):
        relative = path.relative_to(workspace).as_posix()
        own, more = _front_matter(path, relative)
        notices.extend(more)
        merged = own | given.pop(relative, ({}, 0))[0]
        named.update([relative] if merged.get("title") else [])
        documents.append(_document(path, relative, merged))
    notices.extend(_without_file(path, line) for path, (_, line) in given.items())
    return tuple(documents), frozenset(named), tuple(notices)


def _document(path: Path, relative: str, merged: Fields) -> Document:
    values = {key: value for key, value in merged.items() if key != "path" and value != ""}
    values.setdefault("title", figure.words_of(relative))
    if path.suffix.lower() in figure.SUFFIXES:
        values.setdefault("kind", EvidenceKind.DIAGRAM)
    size = path.stat().st_size
    return Document(path=relative, sha256=sha256(path.read_bytes()) if size <= intake.LARGEST else "", **values)


def _files(workspace: Path, notices: list[IngestionNotice]) -> Iterator[Path]:
    folder = workspace / FOLDER
    if not folder.is_dir():
        raise UsageError(
            "The workspace has no evidence folder.", where=str(folder), remedy="Create it and put policies, reports and records there."
        )
    root = folder.resolve()
    for path in sorted(folder.rglob("*"), key=lambda each: each.relative_to(workspace).as_posix()):
        relative = path.relative_to(workspace)
        if any(part.startswith((".", "~$")) for part in relative.parts) or not path.is_file():
            continue
        if not path.resolve().is_relative_to(root):
            notices.append(_notice(relative, "The link leads out of the evidence folder and was not followed.", "Copy the file here."))
        elif path.suffix.lower() not in SUFFIXES:
            notices.append(_notice(relative, f"Files of the form {path.suffix or 'without extension'} are not read.", "Save it as PDF."))
        else:
            yield path


def _front_matter(path: Path, relative: str) -> tuple[Fields, list[IngestionNotice]]:
    """The known keys of a Markdown file's front matter. An unknown key is only noticed: other programs keep theirs there too."""
    if path.suffix.lower() not in (".md", ".markdown") or path.stat().st_size > intake.LARGEST:
        return {}, []
    try:
        node, _, _ = front_matter.split(decoded(path)[0])
    except MalformedFile:
        return {}, []
    if node is None:
        return {}, []
    allowed = tuple(key for key in KEYS if key != "path")
    known = [(key, value) for key, value in pairs(node) if key.value in allowed]
    strange = [key for key, _ in pairs(node) if key.value not in allowed]
    notices = [_strange(relative, key) for key in strange]
    return fields(relative, yaml.MappingNode(node.tag, known, node.start_mark, node.end_mark), allowed), notices


def _strange(relative: str, key: yaml.Node) -> IngestionNotice:
    where = f"line {int(key.start_mark.line) + 1}"
    return IngestionNotice(file=relative, where=where, what=f"The key {key.value!r} of the front matter is not used.", remedy="")


def _without_file(path: str, line: int) -> IngestionNotice:
    remedy = "Add the file or remove the entry."
    return IngestionNotice(file=REGISTER, where=f"line {line}", what=f"{path} is registered, but there is no such evidence.", remedy=remedy)


def _notice(relative: Path, what: str, remedy: str) -> IngestionNotice:
    return IngestionNotice(file=relative.as_posix(), what=what, remedy=remedy)
