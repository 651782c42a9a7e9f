"""The whole evidence folder at once: batches of files go to one child each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from trustops.domain.evidence import Document, Ingested, IngestionNotice, Passage
from trustops.formats.evidence.blocks import Extraction, noticed
from trustops.formats.evidence.passages import passages_of
from trustops.formats.evidence.reading import contained, figure_or_none
from trustops.formats.evidence.register import registered

_FILES, _BYTES = 40, 32 * 1024 * 1024
"""A batch is small enough for one child's memory and large enough that starting it does not matter."""


def read_folder(workspace: Path, progress: Callable[[str], None] | None = None) -> Ingested:
    """Every document, passage and notice of a workspace's evidence, in the order of paths.

    `progress` hears each path when it is read. Raises UsageError without an evidence folder and MalformedFile for a wrong register;
    a file that cannot be read is a notice, so that one bad upload stops nobody.
    """
    documents, named, notices = registered(workspace)
    found: list[Document] = []
    passages: list[Passage] = []
    more: list[IngestionNotice] = list(notices)
    for batch in _batches(workspace, documents):
        for document, extraction in zip(batch, _extractions(workspace, batch), strict=True):
            known = document if document.path in named or not extraction.title else _retitled(document, extraction.title)
            found.append(known)
            passages.extend(passages_of(extraction, known))
            more.extend(noticed(document.path, extraction.notices))
            if progress:
                progress(document.path)
    return Ingested(documents=tuple(found), passages=tuple(passages), notices=tuple(more))


def _retitled(document: Document, title: str) -> Document:
    return document.model_copy(update={"title": title[:200]})


def _batches(workspace: Path, documents: Sequence[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        bytes_of = (workspace / document.path).stat().st_size
        if batch and (len(batch) >= _FILES or size + bytes_of > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += bytes_of
    if batch:
        yield batch


def _extractions(workspace: Path, batch: Sequence[Document]) -> list[Extraction]:
    figures = [figure_or_none(workspace / document.path, document) for document in batch]
    files = [workspace / document.path for document, figure in zip(batch, figures, strict=True) if figure is None]
    texts = iter(contained(files))
    return [figure or next(texts) for figure in figures]
