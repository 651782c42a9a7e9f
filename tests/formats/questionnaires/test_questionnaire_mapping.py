"""A person's mapping outranks what was found, and a slip in it is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops.domain.errors import MalformedFile, UnknownName, UsageError
from trustops.domain.question import Questionnaire
from trustops.formats import questionnaires
from trustops.formats.questionnaires import Mapping
from trustops.testing.workbook import Book, Sheet, plain

from .conftest import book, layouts


def mapping(folder: Path, text: str) -> Mapping:
    path = folder / "map.yaml"
    path.write_text(text, encoding="utf-8")
    return Mapping.load(path)


def cells(found: Questionnaire) -> dict[str, dict[str, str]]:
    return {question.cell: {answer.part: answer.cell for answer in question.answers} for question in found.questions}


def test_a_table_can_be_stated_by_hand(tmp_path: Path) -> None:
    lines = [["Alpha", "Beta", "Gamma"], ["Encryption at rest", "", ""], ["Backups", "", ""]]
    path = Book([Sheet("Odd").rows(3, lines)]).save(tmp_path / "a.xlsx")
    with pytest.raises(UsageError, match="No question"):
        questionnaires.read(path)
    stated = mapping(tmp_path, "sheets:\n- {sheet: Odd, header_row: 3, question: A, answers: [{column: C, part: comment}]}\n")
    assert cells(questionnaires.read(path, stated)) == {"A4": {"comment": "C4"}, "A5": {"comment": "C5"}}


def test_cells_can_be_stated_one_by_one(tmp_path: Path) -> None:
    path = Book([Sheet("Odd").rows(1, [["Encryption", "", "Backups", ""]])]).save(tmp_path / "a.xlsx")
    stated = mapping(tmp_path, "sheets:\n- sheet: Odd\n  questions:\n  - {question: C1, answers: [{cell: D1, part: number}]}\n")
    found = questionnaires.read(path, stated)
    assert cells(found) == {"C1": {"number": "D1"}}
    assert found.questions[0].answers[0].kind == "number"


def test_a_sheet_can_be_left_out(tmp_path: Path) -> None:
    made = plain()
    made.sheets.append(Sheet("More").rows(1, [["Ref", "Question", "Answer"], ["z", "Do you encrypt our data?", ""]]))
    path = made.save(tmp_path / "a.xlsx")
    found = questionnaires.read(path, mapping(tmp_path, "sheets: [{sheet: Security, skip: true}]"))
    assert {question.sheet for question in found.questions} == {"More"}
    assert "Security" in {skip.where for skip in found.skipped}


@pytest.mark.parametrize("name", ["plain english", "transposed", "blocks with labels", "repeated header", "merged answers"])
def test_what_is_saved_reads_the_same(name: str, tmp_path: Path) -> None:
    path = book(next(layout for layout in layouts() if layout["name"] == name)).save(tmp_path / "a.xlsx")
    saved = mapping(tmp_path, questionnaires.propose(path).dump())
    assert cells(questionnaires.read(path, saved)) == cells(questionnaires.read(path))


def test_an_unknown_key_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(MalformedFile, match="Unknown key 'colunm'") as refusal:
        mapping(tmp_path, "version: 1\nsheets:\n- sheet: A\n  question: B\n  answers:\n  - part: text\n    colunm: C\n")
    assert refusal.value.where == "map.yaml, line 7"


@pytest.mark.parametrize(
    "text", ["sheets: [{sheet: A}]", "sheets: [{sheet: A, question: 7, answers: []}]", "version: 2", "sheets: [", "- 1"]
)
def test_an_incomplete_mapping_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedFile):
        mapping(tmp_path, text)


def test_a_mapping_for_another_file_is_refused(tmp_path: Path) -> None:
    path = plain().save(tmp_path / "a.xlsx")
    with pytest.raises(UsageError, match="Nowhere"):
        questionnaires.read(path, mapping(tmp_path, "sheets: [{sheet: Nowhere, skip: true}]"))
    with pytest.raises(UnknownName):
        Mapping.load(tmp_path / "none.yaml")
