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


ODD = [["Alpha", "Beta", "Gamma"], ["Encryption at rest", "", ""], ["Backups", "", ""]]
STATED = "sheets:\n- {sheet: Odd, header_row: 3, question: A, answers: [{column: C, part: comment}]}\n"


def test_next_years_copy_of_a_template_needs_no_asking(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    first = Book([Sheet("Odd").rows(3, ODD)]).save(tmp_path / "2026.xlsx")
    questionnaires.read(first, mapping(tmp_path, STATED), memory=memory)
    second = Book([Sheet("Odd").rows(3, [*ODD, ["Passwords", "", ""]])]).save(tmp_path / "2027.xlsx")
    found = questionnaires.read(second, memory=memory)
    assert cells(found) == {f"A{row}": {"comment": f"C{row}"} for row in (4, 5, 6)}
    assert any(skip.what == "mapping" and "same template" in skip.why for skip in found.skipped)


def test_another_template_does_not_borrow_the_mapping(tmp_path: Path) -> None:
    """Harm: a layout that only has a sheet of the same name is answered in the cells of another customer's."""
    memory = tmp_path / "memory"
    first = Book([Sheet("Odd").rows(3, ODD)]).save(tmp_path / "2026.xlsx")
    questionnaires.read(first, mapping(tmp_path, STATED), memory=memory)
    other = Book([Sheet("Odd").rows(3, [["Alpha", "Gamma", "Beta"], *ODD[1:]])]).save(tmp_path / "other.xlsx")
    with pytest.raises(UsageError, match="No question"):
        questionnaires.read(other, memory=memory)


def test_a_remembered_mapping_that_somebody_broke_is_named(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "abc.yaml").write_text("version: 7\n", encoding="utf-8")
    with pytest.raises(MalformedFile) as refusal:
        questionnaires.read(plain().save(tmp_path / "a.xlsx"), memory=memory)
    assert "abc.yaml" in refusal.value.where


def test_an_unclear_layout_is_guessed_only_for_a_person(tmp_path: Path) -> None:
    lines = [
        ["The supplier encrypts all data of the customer."],
        ["Access is reviewed every quarter by managers."],
        ["Logs are kept for at least a year."],
    ]
    book = Book([Sheet("Policy").rows(1, lines), Sheet("Notes").rows(1, [["We will call you in the first week of May."]])])
    path = book.save(tmp_path / "a.xlsx")
    with pytest.raises(UsageError, match="No question"):
        questionnaires.read(path)
    assert cells(questionnaires.read(path, guess=True)) == {f"A{row}": {"text": f"B{row}"} for row in (1, 2, 3)}
    assert "Policy" in questionnaires.propose(path).dump()
