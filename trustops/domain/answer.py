"""Answer versions: what would be said to the customer, bound by digest to everything it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from trustops.domain.base import Noun
from trustops.domain.chain import digest
from trustops.domain.claim import Claim
from trustops.domain.finding import Finding
from trustops.domain.question import CellValue


class Determination(StrEnum):
    """What an answer says to its ask."""

    YES = "YES"
    NO = "NO"
    PARTIAL = "PARTIAL"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    UNKNOWN = "UNKNOWN"

    @property
    def affirmative(self) -> bool:
        """Any determination but UNKNOWN commits us: a "no" can be the overclaim (product.md, "Vocabulary")."""
        return self is not Determination.UNKNOWN


def combine(parts: Iterable[Determination]) -> Determination:
    """Several asks in one cell: any UNKNOWN makes UNKNOWN, one value all through is that value, a mix is PARTIAL."""
    values = set(parts)
    if not values or Determination.UNKNOWN in values:
        return Determination.UNKNOWN
    return values.pop() if len(values) == 1 else Determination.PARTIAL


class AskAnswer(Noun):
    """The determination of one ask of a question."""

    ask: str
    determination: Determination


class BoundReading(Noun):
    """A control reading that the answer rests on, by value: what must still be so at export (invariant 1)."""

    control: str
    evaluation: str
    scope: str
    values: dict[str, bool | int | str]
    source_mode: str

    @property
    def in_words(self) -> str:
        """For people: "PASS (enrolled 124, eligible 124)"."""
        return f"{self.evaluation} ({', '.join(f'{name} {value}' for name, value in sorted(self.values.items())) or 'no value'})"


class BoundPassage(Noun):
    """A cited passage or earlier answer, by hash of its text."""

    exhibit: str
    file: str
    locator: str
    sha256: str


NOT_COVERED = frozenset({"version", "created_at", "author", "digest"})
"""Fields of a version that its digest leaves out."""


class AnswerVersion(Noun):
    """One version of an answer. Append-only; an edit is a new version, so an old approval goes stale by arithmetic."""

    question: str
    version: int
    author: str
    created_at: datetime
    determination: Determination
    asks: tuple[AskAnswer, ...]
    text: str
    pivot: str = ""
    cells: tuple[CellValue, ...] = ()
    attachments: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    passages: tuple[BoundPassage, ...] = ()
    readings: tuple[BoundReading, ...] = ()
    findings: tuple[Finding, ...] = ()
    gate_version: str
    digest: str = ""

    def computed_digest(self) -> str:
        """Over all that an approval covers: everything but the number, author and time of the version (invariant 1)."""
        return digest(self, exclude=NOT_COVERED)

    def sealed(self) -> AnswerVersion:
        """The version with its digest filled in."""
        return self.model_copy(update={"digest": self.computed_digest()})
