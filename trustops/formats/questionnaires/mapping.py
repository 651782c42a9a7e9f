"""A mapping file: where the questions and their answer cells are, stated by a person (`--map`, `--save-map`).

A sheet is described as a table (header row and columns) or cell by cell (`questions`); `skip: true` leaves it out; a sheet that
is not named is read by structure.

    version: 1
    sheets:
      - {sheet: Security, header_row: 6, question: B, id: A, answers: [{column: C, part: choice}, {column: D, part: comment}]}
      - {sheet: Profile, questions: [{question: B4, id: A4, answers: [{cell: C4, part: text}]}]}
      - {sheet: Read me, skip: true}
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, ValidationError, model_validator

from trustops.domain.base import Noun
from trustops.domain.errors import MalformedFile, UnknownName
from trustops.domain.question import PartKind
from trustops.formats.questionnaires.address import address, column_number, letters, position


def _column(name: str) -> str:
    if name and not column_number(name):
        raise ValueError(f"{name!r} is no column, write it as in B or AC")
    return name.upper()


def _cell(name: str) -> str:
    cell, point, control = name.partition(".")
    return address(*position(cell)) + point + control if name else name


ColumnName = Annotated[str, AfterValidator(_column)]
CellName = Annotated[str, AfterValidator(_cell)]


class AnswerColumn(Noun):
    """A column that takes one part of each answer. Without `kind` the cells decide."""

    column: ColumnName
    part: str
    kind: PartKind | None = None


class AnswerAt(Noun):
    """One answer cell."""

    cell: CellName
    part: str
    kind: PartKind | None = None


class QuestionAt(Noun):
    """One question, by the cells of its text and its id."""

    question: CellName
    id: CellName = ""
    answers: tuple[AnswerAt, ...]


class SheetMapping(Noun):
    """One list of questions of one sheet; a sheet may have several."""

    sheet: str
    skip: bool = False
    header_row: int = 0
    first_row: int = 0
    last_row: int = 0
    question: ColumnName = ""
    id: ColumnName = ""
    section: ColumnName = ""
    answers: tuple[AnswerColumn, ...] = ()
    questions: tuple[QuestionAt, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> SheetMapping:
        if not self.skip and not self.questions and not (self.question and self.answers):
            raise ValueError("give question and answers, or questions, or skip: true")
        return self


class Mapping(Noun):
    """A whole mapping file."""

    version: Literal[1] = 1
    sheets: tuple[SheetMapping, ...] = ()

    @classmethod
    def load(cls, path: Path) -> Mapping:
        """Read a mapping file. Raises MalformedFile naming file and line for an unknown key or a wrong value."""
        if not path.is_file():
            raise UnknownName("There is no such mapping file.", where=str(path), remedy="Make one with --save-map.")
        try:
            node = yaml.compose(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
            data = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise MalformedFile(f"The mapping is no YAML: {error}", where=path.name, remedy="Correct it.") from None
        try:
            return cls.model_validate(data if data is not None else {})
        except ValidationError as error:
            found = error.errors()
            first = next((known for known in found if known["type"] == "extra_forbidden"), found[0])
            key = first["loc"][-1] if first["loc"] else ""
            what = f"Unknown key {str(key)!r}." if first["type"] == "extra_forbidden" else f"{key}: {first['msg']}."
            where = f"{path.name}, line {_line(node, first['loc'])}"
            raise MalformedFile(what, where=where, remedy="See the example that --save-map writes.") from None

    @classmethod
    def of(cls, found: list[dict[str, Any]]) -> Mapping:
        """The mapping that describes what was found by structure (`reading.parse`, key `tables`)."""
        return cls(sheets=tuple(_sheet(table) for table in found))

    def dump(self) -> str:
        """The file's text."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return yaml.dump({"version": 1, **data}, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=140)

    def tables(self) -> dict[str, list[dict[str, Any]] | None]:
        """By sheet what `reading.parse` takes: None to leave it out, else its tables and lists of cells."""
        made: dict[str, list[dict[str, Any]] | None] = {}
        for sheet in self.sheets:
            if sheet.skip:
                made[sheet.sheet] = None
            else:
                made[sheet.sheet] = [*(made.get(sheet.sheet) or []), _table(sheet)]
        return made


def _table(sheet: SheetMapping) -> dict[str, Any]:
    if sheet.questions:
        return {"cells": [question.model_dump(mode="json") for question in sheet.questions]}
    return {
        "header": sheet.header_row,
        "first": sheet.first_row or sheet.header_row + 1,
        "last": sheet.last_row,
        "question": column_number(sheet.question),
        "id": column_number(sheet.id),
        "section": column_number(sheet.section),
        "confidence": 1.0,
        "answers": [
            {"column": column_number(answer.column), "part": answer.part, "kind": answer.kind or "", "fixed": bool(answer.kind)}
            for answer in sheet.answers
        ],
    }


def _sheet(found: dict[str, Any]) -> SheetMapping:
    if found.get("cells"):
        return SheetMapping.model_validate({"sheet": found["sheet"], "questions": found["cells"]})
    answers = [AnswerColumn(column=letters(answer["column"]), part=answer["part"] or "text") for answer in found["answers"]]
    return SheetMapping(
        sheet=found["sheet"], header_row=found["header"], first_row=found["first"], last_row=found["last"],
        question=letters(found["question"]), id=letters(found["id"]), section=letters(found["section"]), answers=tuple(answers),
    )  # fmt: skip


def _line(node: yaml.Node | None, place: tuple[int | str, ...]) -> int:
    """The line of the deepest node on the way to a place."""
    line = node.start_mark.line + 1 if node else 1
    for step in place:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == str(step)), None)
            if pair is None:
                return line
            node, line = pair[1], pair[0].start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1 if node else line
    return line
