"""Evidence documents, their passages, and earlier answers."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from trustops.domain.base import Noun


class EvidenceKind(StrEnum):
    POLICY = "policy"
    STANDARD = "standard"
    PROCEDURE = "procedure"
    AUDIT_REPORT = "audit_report"
    PEN_TEST = "pen_test"
    CERTIFICATE = "certificate"
    CONTRACT = "contract"
    DIAGRAM = "diagram"
    RECORD = "record"


class Classification(StrEnum):
    """shareable may be quoted; internal supports but is not quoted; restricted is sent to no model."""

    SHAREABLE = "shareable"
    INTERNAL = "internal"
    RESTRICTED = "restricted"


AUTHORITY: dict[EvidenceKind, int] = {
    EvidenceKind.CERTIFICATE: 5,
    EvidenceKind.AUDIT_REPORT: 5,
    EvidenceKind.PEN_TEST: 5,
    EvidenceKind.POLICY: 4,
    EvidenceKind.CONTRACT: 4,
    EvidenceKind.STANDARD: 3,
    EvidenceKind.PROCEDURE: 2,
    EvidenceKind.RECORD: 1,
    EvidenceKind.DIAGRAM: 1,
}
"""Higher is preferred in a draft; a conflict blocks all the same. A prior answer has 0 (product.md, "Workspace")."""

ATTESTED = frozenset({EvidenceKind.AUDIT_REPORT, EvidenceKind.PEN_TEST, EvidenceKind.CERTIFICATE, EvidenceKind.CONTRACT})
"""Kinds whose missing date reads as expired; any other kind without a date is only undated."""


class Document(Noun):
    """One evidence file with its register entry. `path` is relative to the workspace, with forward slashes."""

    path: str
    title: str
    kind: EvidenceKind = EvidenceKind.RECORD
    effective: date | None = None
    expires: date | None = None
    classification: Classification = Classification.INTERNAL
    owner: str = ""
    products: tuple[str, ...] = ()
    sha256: str = ""

    @property
    def authority(self) -> int:
        return AUTHORITY[self.kind]

    def in_force(self, today: date) -> bool:
        """False when expired, not yet effective, or an undated attestation; other undated kinds count, with a warning."""
        if self.effective is None and self.expires is None:
            return self.kind not in ATTESTED
        started = self.effective is None or self.effective <= today
        return started and (self.expires is None or self.expires >= today)


class Passage(Noun):
    """Heading path and text of one stretch of a document.

    Each line of `text` is one block: a paragraph, a bullet or a table row (cells joined by " | "). `concealed` marks text that a
    reader of the document does not see (an HTML comment, hidden runs). `start` and `end` are character offsets into the document's
    extracted text; `sha256` is over `text`, `id` derives from document path and text, so both survive re-indexing.
    """

    id: str
    document: Document
    heading: tuple[str, ...] = ()
    text: str
    locator: str
    start: int = 0
    end: int = 0
    concealed: bool = False
    sha256: str


class PriorAnswer(Noun):
    """An answer given earlier to some customer. `remark` is the colleague's note beside it, never quoted; `source` the review it was
    exported from, where it was one of ours."""

    id: str
    file: str
    locator: str
    question: str
    answer: str
    remark: str = ""
    customer: str = ""
    answered_on: date | None = None
    owner: str = ""
    review_by: date | None = None
    source: str = ""
    withdrawn: bool = False
    sha256: str


class IngestionNotice(Noun):
    """Something about a file that a person should know: a page without text, a flagged macro, an unknown format."""

    file: str
    where: str = ""
    what: str
    remedy: str = ""


class Ingested(Noun):
    """All passages of a folder or file, with what could not be read."""

    documents: tuple[Document, ...] = ()
    passages: tuple[Passage, ...] = ()
    notices: tuple[IngestionNotice, ...] = ()
