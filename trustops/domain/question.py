"""A customer's questionnaire as it was found: questions, their answer cells, and what was skipped and why."""

from __future__ import annotations

from collections.abc import Mapping
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
    """One cell that takes one part of an answer. `vocabulary` is the list of its drop-down, empty where it has none; `filled` is what the
    customer's file already says there, `longest` the most characters that it takes, 0 where the file sets no limit."""

    part: str
    sheet: str
    cell: str
    kind: PartKind
    vocabulary: tuple[str, ...] = ()
    filled: str = ""
    longest: int = 0


class AnswerNeeded(Noun):
    """What must stand in a cell for a branch to be taken: `value`, or anything else where `negated`. Letter case does not count.

    `meaning`: the value is a determination's name ("If no, skip to 14"), whatever words of the cell's list say it.
    """

    sheet: str
    cell: str
    value: str
    negated: bool = False
    meaning: bool = False


class Condition(Noun):
    """When the customer asks a question: in the customer's own words or formula, and as far as it can be told by what answers elsewhere.

    `needs`: one of these groups, all of its members; empty where it cannot be told.
    """

    text: str
    needs: tuple[tuple[AnswerNeeded, ...], ...] = ()

    def holds(self, values: Mapping[tuple[str, str], str], meanings: Mapping[tuple[str, str], str]) -> bool | None:
        """Whether the question is asked, given what will stand in the cells and what the answers there mean; None where it is open."""
        groups = [_all([_met(need, values, meanings) for need in group]) for group in self.needs]
        return True if True in groups else None if not groups or None in groups else False


def _met(need: AnswerNeeded, values: Mapping[tuple[str, str], str], meanings: Mapping[tuple[str, str], str]) -> bool | None:
    known = (meanings if need.meaning else values).get((need.sheet, need.cell))
    return None if known is None else (known.strip().casefold() == need.value.strip().casefold()) is not need.negated


def _all(met: list[bool | None]) -> bool | None:
    return False if False in met else None if None in met else True


class Exchange(Noun):
    """One turn of a conversation with a customer: what was asked, and what the customer was told; empty where nothing left yet."""

    asked: str
    answered: str = ""


class Follows(Noun):
    """What a follow-up belongs to: the review and question that began the conversation, and its number in it, from 1."""

    review: str
    question: str
    number: int


class Question(Noun):
    """One question as the customer wrote it. Its text is never evidence (invariant 3).

    `ref` is the customer's id where it is unique in the file, else `<sheet number>.<row>`, or `<sheet number>.<cell>` where a row asks more
    than once. `cell` is where the text stands; a point's text begins with its lead-in's. `confidence` is the mapping's, in percent.
    `conversation` is what went before a follow-up, oldest first: context for the seats, and evidence no more than the question itself.
    """

    ref: str
    text: str
    sheet: str
    cell: str
    section: str = ""
    hidden: bool = False
    answers: tuple[AnswerCell, ...] = ()
    condition: Condition | None = None
    confidence: int = 100
    conversation: tuple[Exchange, ...] = ()


class Skipped(Noun):
    """A part of the file that was not read as a question: where it is, what it is and why it was left out."""

    where: str
    what: str
    why: str


class Mapped(Noun):
    """How one list of questions was found: where its questions and answers stand, by which sign, and how sure that is, in percent."""

    sheet: str
    questions: str
    answers: str
    count: int
    by: str
    confidence: int


class Questionnaire(Noun):
    """One workbook, identified by its digest."""

    file: str
    format: str
    sha256: str
    questions: tuple[Question, ...]
    skipped: tuple[Skipped, ...] = ()
    mappings: tuple[Mapped, ...] = ()


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


class Replaced(Noun):
    """A cell in which a text of the customer's gave way to an answer, and what it was."""

    sheet: str
    cell: str
    was: str


class PartChanges(Noun):
    """What an export changed, by zip member (xlsx, docx) or by the one file (csv, json)."""

    identical: int
    changed: tuple[str, ...]
    replaced: tuple[Replaced, ...] = ()
