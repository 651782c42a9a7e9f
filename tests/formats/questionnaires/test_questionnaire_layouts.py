"""Questions and answer cells are found by structure, whatever the customer calls them and wherever they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from trustops.domain.errors import UsageError
from trustops.formats.questionnaires import reading
from trustops.testing.workbook import OPEN, Book, Sheet, plain, survivable

from .conftest import DATA, book, layouts


def parsed(path: Path) -> dict[str, Any]:
    """What the child would find; tests of rules need no child."""
    return reading.parse({"path": str(path)})


def mapped(path: Path) -> dict[str, dict[str, str]]:
    return {q["cell"]: {a["part"]: a["cell"] for a in q["answers"]} for q in parsed(path)["questions"]}


@pytest.mark.parametrize("layout", layouts(), ids=lambda layout: layout["name"])
def test_a_layout_is_read_as_a_person_would(layout: dict[str, Any], tmp_path: Path) -> None:
    assert mapped(book(layout).save(tmp_path / "a.xlsx")) == layout["expect"]


def test_the_demo_questionnaire_is_mapped_cell_by_cell(demo: Path) -> None:
    expected = yaml.load((DATA / "harborview.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    found = {q["ref"]: q for q in parsed(demo)["questions"]}
    assert set(found) == set(expected)
    for ref, question in expected.items():
        answers = found[ref]["answers"]
        assert (found[ref]["sheet"], found[ref]["cell"]) == (question["sheet"], question["cell"])
        assert {a["part"]: a["cell"] for a in answers} == question["answers"]
        assert next((list(a["vocabulary"]) for a in answers if a["vocabulary"]), []) == question["choices"]


def test_a_question_in_a_hidden_row_is_reported_and_not_asked(demo: Path) -> None:
    found = parsed(demo)
    assert "2024-B7" not in {q["ref"] for q in found["questions"]}
    where = {where: why for where, _, why in found["skipped"]}
    assert where["B Access control!C12"] == "the row is hidden"
    assert {"Instructions", "Progress", "Lists", "_form"} <= set(where)


@pytest.mark.parametrize(
    ("file", "count", "first", "part"),
    [
        ("qramm_120_questions.xlsx", 120, ("F2", "M2"), "comment"),
        ("qramm_assessment_toolkit.xlsx", 120, ("E9", "G9"), "choice"),
        ("trustdeck_acme_demo.xlsx", 15, ("C2", "D2"), "text"),
        ("trustdeck_acme_demo.csv", 15, ("C2", "D2"), "text"),
        ("trustdeck_caiq_lite_124.csv", 124, ("D2", "E2"), "text"),
    ],
)
def test_public_questionnaires_lose_no_question(file: str, count: int, first: tuple[str, str], part: str) -> None:
    questions = parsed(DATA / file)["questions"]
    assert len(questions) == count
    answer = questions[0]["answers"][0]
    assert (questions[0]["cell"], answer["cell"], answer["part"]) == (*first, part)
    assert all(question["answers"] for question in questions)
    assert len({question["ref"] for question in questions}) == count


@pytest.mark.parametrize("name", survivable())
def test_an_odd_range_or_false_dimension_hides_no_question(name: str, tmp_path: Path) -> None:
    assert len(mapped(survivable()[name].save(tmp_path / "a.xlsx"))) == 5


def test_an_id_that_stands_twice_is_no_ref(tmp_path: Path) -> None:
    made = plain()
    made.sheets.append(plain(2).sheets[0])
    made.sheets[1].name = "More"
    refs = [q["ref"] for q in parsed(made.save(tmp_path / "a.xlsx"))["questions"]]
    assert refs == ["1.2", "1.3", "Q3", "Q4", "Q5", "2.2", "2.3"]


def test_prose_without_room_for_answers_is_refused_rather_than_guessed(tmp_path: Path) -> None:
    lines = [["The supplier must encrypt all data of the customer."], ["Access to production is reviewed every quarter."]]
    book = Book([Sheet("Policy").rows(1, lines), Sheet("Notes").rows(1, [["We will call you in the first week of May."]])])
    with pytest.raises(UsageError, match="No question was found") as refusal:
        parsed(book.save(tmp_path / "a.xlsx"))
    assert "--map" in refusal.value.remedy


def test_a_frequently_asked_question_list_beside_a_questionnaire_is_not_answered(tmp_path: Path) -> None:
    book = plain()
    book.sheets.append(Sheet("FAQ").rows(1, [["Who reads my answers?"], ["When must I answer them?"], ["May I attach a file?"]]))
    found = parsed(book.save(tmp_path / "a.xlsx"))
    assert {q["sheet"] for q in found["questions"]} == {"Security"}
    assert "FAQ" in {where for where, _, _ in found["skipped"]}


def test_a_locked_cell_of_a_protected_sheet_is_not_offered(tmp_path: Path) -> None:
    sheet = Sheet("Form", protected=True).rows(1, [["Ref", "Question", "Response"]])
    sheet.rows(2, [["a", "Do you encrypt our data?", ""]], {3: OPEN}).rows(3, [["b", "Do you read our data?", ""]])
    assert mapped(Book([sheet]).save(tmp_path / "a.xlsx")) == {"B2": {"text": "C2"}, "B3": {}}


def test_an_unresolvable_list_is_no_vocabulary(tmp_path: Path) -> None:
    book = plain()
    book.sheets[0].lists = [("C2:C6", 'INDIRECT("x"&A1)')]
    answers = parsed(book.save(tmp_path / "a.xlsx"))["questions"][0]["answers"]
    assert (answers[0]["part"], answers[0]["kind"], answers[0]["vocabulary"]) == ("text", "text", ())
