"""Indexing: the evidence folder and the earlier answers become searchable; what was indexed when is on record."""

from __future__ import annotations

from collections.abc import Callable

from trustops.domain.chain import digest
from trustops.domain.evidence import Ingested, PriorAnswer
from trustops.operations.office import Office


def index_evidence(office: Office, progress: Callable[[str], None] | None = None) -> tuple[Ingested, tuple[PriorAnswer, ...]]:
    """Reads everything and rebuilds the index in one transaction; equal content changes nothing. Withdrawn answers stay listed, marked."""
    read = office.reader.read_folder(office.workspace, progress)
    withdrawn = office.ledger.withdrawals()
    answers = tuple(a.model_copy(update={"withdrawn": a.id in withdrawn}) for a in office.reader.read_answers(office.workspace))
    office.index.rebuild(read.passages, answers)
    marks = sorted([f"{p.id}:{p.sha256}" for p in read.passages] + [f"{a.id}:{a.sha256}:{a.withdrawn}" for a in answers])
    office.ledger.append_index(digest(marks), at=office.clock.now(), passages=len(read.passages))
    return read, answers
