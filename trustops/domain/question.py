"""A customer's questionnaire as it was found: questions, their answer cells, and what was skipped and why."""

from __future__ import annotations

from enum import StrEnum

from trustops.domain.base import Noun


class PartKind(StrEnum):
    """What an answer cell takes (product.md, "Machine-readable contracts")."""

    CHOICE = "choice"
    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    TICK = "tick"


class AnswerCell(Noun):
    """One cell that takes one part of an answer. `vocabulary` is the list of its drop-down, empty where it has none."""

    part: str
    sheet: str
    cell: str
    kind: PartKind
    vocabulary: tuple[str, ...] = ()


class Question(Noun):
    """One question as the customer wrote it. Its text is never evidence (invariant 3).

    `ref` is the customer's id where it is unique in the file, else `<sheet number>.<row>`. `cell` is where the text stands.
    """

    ref: str
    text: str
    sheet: str
    cell: str
    section: str = ""
    hidden: bool = False
    answers: tuple[AnswerCell, ...] = ()


class Skipped(Noun):
    """A part of the file that was not read as a question: where it is, what it is and why it was left out."""

    where: str
    what: str
    why: str


class Questionnaire(Noun):
    """One workbook, identified by its digest."""

    file: str
    format: str
    sha256: str
    questions: tuple[Question, ...]
    skipped: tuple[Skipped, ...] = ()


class CellValue(Noun):
    """A value for one answer cell: text as typed; numbers and dates as text in ISO form."""

    part: str
    sheet: str
    cell: str
    value: str
    kind: PartKind = PartKind.TEXT

    @property
    def cell_key(self) -> tuple[str, str]:
        return self.sheet, self.cell


class RefusedCell(Noun):
    """A value that may not stand in its cell: why, and what to do. The answer that it belongs to stays behind as a whole."""

    sheet: str
    cell: str
    why: str
    remedy: str = ""

    @property
    def cell_key(self) -> tuple[str, str]:
        return self.sheet, self.cell


class PartChanges(Noun):
    """What an export changed, by zip member (xlsx, docx) or by the one file (csv, json).

    `replaced` names the cells in which a text of the customer's gave way to an answer.
    """

    identical: int
    changed: tuple[str, ...]
    replaced: tuple[str, ...] = ()
