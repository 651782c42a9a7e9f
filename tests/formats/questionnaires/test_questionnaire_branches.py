"""Harm: a question that the customer's file switches off is answered, or one that it switches on is never seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trustops.domain.question import Condition
from trustops.formats import questionnaires
from trustops.formats.questionnaires import conditions, formulas, reading, wording
from trustops.testing import branches
from trustops.testing.bank import Made
from trustops.testing.workbook import Book, Formula, Sheet

from .conftest import DATA
from .test_generated import check


def parsed(made: Made, folder: Path) -> dict[str, Any]:
    path = folder / "a.xlsx"
    path.write_bytes(made.book.bytes())
    return reading.parse({"path": str(path)})


def holds(question: dict[str, Any], values: dict[str, str], *, meant: bool = False) -> bool | None:
    condition = Condition.model_validate(question["condition"])
    keyed = {(question["sheet"], cell): value for cell, value in values.items()}
    return condition.holds({} if meant else keyed, keyed if meant else {})


@pytest.mark.parametrize("make", [branches.by_formula, branches.by_words])
def test_every_question_is_found_whether_its_branch_is_on_or_off(make: Any, tmp_path: Path) -> None:
    check(make(), tmp_path / "a.xlsx")


def test_a_formula_says_when_its_question_is_asked(tmp_path: Path) -> None:
    asked = {q["cell"]: q for q in parsed(branches.by_formula(), tmp_path)["questions"]}
    assert {cell for cell, q in asked.items() if q["condition"]} == {"B3", "B4", "B5", "B7"}
    assert asked["B3"]["condition"]["text"].startswith('=IF($C$2="Yes"')
    for cell, answers, on in (
        ("B3", {"C2": "yes"}, True), ("B3", {"C2": "No"}, False), ("B3", {"C2": ""}, False), ("B3", {}, None),
        ("B4", {"C2": ""}, True), ("B4", {"C2": "No"}, False),
        ("B5", {"C2": "Yes", "C4": "Yes"}, True), ("B5", {"C2": "Yes", "C4": "No"}, False), ("B5", {"C2": "No"}, False),
        ("B5", {"C2": "Yes"}, None), ("B7", {"C6": "Yes"}, True), ("B7", {"C6": "No"}, False),
    ):  # fmt: skip
        assert holds(asked[cell], answers) is on, (cell, answers)


def test_words_say_when_a_question_is_asked(tmp_path: Path) -> None:
    found = parsed(branches.by_words(), tmp_path)
    asked = {q["ref"]: q for q in found["questions"]}
    assert {ref for ref, q in asked.items() if q["condition"]} == {"2", "3", "4", "6", "7"}
    assert holds(asked["2"], {"C2": "NO"}, meant=True) is False
    assert holds(asked["2"], {"C2": "PARTIAL"}, meant=True) is True
    assert holds(asked["2"], {}, meant=True) is None
    assert holds(asked["3"], {"C2": "NO"}, meant=True) is False
    assert holds(asked["6"], {"C6": "NO"}, meant=True) is False
    assert "1 branch row (7)" in {what for _, what, _ in found["skipped"]}


def test_a_branch_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    sheet = Sheet("Form").rows(1, [["Ref", "Question", "Answer"], ["1", "Do you keep backups? If no, skip to question 99.", ""]])
    sheet.rows(3, [["2", "Where do you keep the backups?", ""], ["3", "Who may read the backups?", ""]])
    found = parsed(Made(Book([sheet])), tmp_path)
    assert not any(q["condition"] for q in found["questions"])
    assert [why for _, what, why in found["skipped"] if what.startswith("branch")] == [
        "where it leads was not found; nothing is conditional on it"
    ]


def test_what_is_off_for_good_and_what_cannot_be_told_is_reported(tmp_path: Path) -> None:
    sheet, setup = Sheet("Form"), Sheet("Setup").rows(1, [["Edition", "small"]])
    sheet.rows(1, [["Ref", "Question", "Answer"], ["1", "Do you keep backups of all data?", ""], ["2", "Who may read the backups?", ""]])
    sheet.put("A4", "3").put("B4", Formula('IF(Setup!B1="large","Do you keep them for ten years?","")', "")).put("C4", "")
    sheet.put("A5", "4").put("B5", Formula('IF(C2="Yes",INDEX(Setup!A:A,MATCH(A5,Setup!A:A)),"")', "")).put("C5", "")
    found = parsed(Made(Book([sheet, setup])), tmp_path)
    assert [q["ref"] for q in found["questions"]] == ["1", "2"]
    told = {where: (what, why) for where, what, why in found["skipped"]}
    assert told["Form!B4"] == (
        "question 'Do you keep them for ten years?'",
        'switched off by =IF(Setup!B1="large","Do you keep them for ten years?","")',
    )
    assert told["Form!B5"][0] == "conditional question"
    assert "calculated" in told["Form!B5"][1]


def test_every_condition_of_a_public_questionnaire_is_understood() -> None:
    found = questionnaires.read(DATA / "vsaq_webapp.json")
    conditional = [q for q in found.questions if q.condition]
    assert len(conditional) > 50
    assert all(q.condition and q.condition.needs for q in conditional)
    question = next(q for q in conditional if q.condition and q.condition.text == "application_ssl_mixed || application_ssl_exclusively")
    assert question.condition
    needs = [group[0] for group in question.condition.needs]
    assert question.condition.holds({(n.sheet, n.cell): "" for n in needs}, {}) is False
    assert question.condition.holds({(needs[1].sheet, needs[1].cell): needs[1].value}, {}) is True


def test_a_block_lends_its_condition_to_all_in_it(tmp_path: Path) -> None:
    box = {"type": "box", "id": "how", "text": "How do you encrypt the data?"}
    choice = {"type": "radiogroup", "id": "data", "text": "Do you keep data?", "choices": [{"d_yes": "Yes"}, {"d_no": "No"}]}
    tree = [
        choice,
        {"type": "block", "text": "Data", "cond": "d_yes && !(d_no || missing)", "items": [box]},
        {"type": "block", "cond": "!d_no", "items": [{**box, "id": "who"}]},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"questionnaire": tree}), encoding="utf-8")
    asked = {q["ref"]: q for q in reading.parse({"path": str(path)})["questions"]}
    assert asked["how"]["condition"]["text"] == "d_yes && !(d_no || missing)"
    assert asked["how"]["condition"]["needs"] == []  # `missing` is no id of the file, so nothing is assumed
    assert [need["negated"] for group in asked["who"]["condition"]["needs"] for need in group] == [True]


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ('IF(A1="x","q","")', [[("A1", "x", False)]]),
        ('IF(A1<>"x","","q")', [[("A1", "x", False)]]),
        ('IF(NOT(OR(A1="x",B1=2)),"q","")', [[("A1", "x", True), ("B1", "2", True)]]),
        ('IF(ISBLANK($A$1),"","q")', [[("A1", "", True)]]),
        ('IF(A1="x",IF(B1="y","q",""),"")', [[("A1", "x", False), ("B1", "y", False)]]),
        ('IF("x"=A1,"a, ""b"" (c)","")', [[("A1", "x", False)]]),
        ('IF(A1="x","q","r")', None),
        ('IF(LEN(A1)>3,"q","")', None),
        ('IF(A1="x","q"', None),
        ("VLOOKUP(A1,B:C,2,FALSE)", None),
    ],
)
def test_what_a_formula_tests(text: str, groups: Any, tmp_path: Path) -> None:
    from trustops.formats.questionnaires import grid, workbook

    path = Book([Sheet("S").put("A1", "x")]).save(tmp_path / "a.xlsx")
    book = workbook.load(path)
    found, _ = formulas.Formulas(grid.of_sheet(book, book.sheets[0])).condition(text)
    assert (None if found is None else [[(n.cell, n.value, n.negated) for n in group] for group in found]) == groups


def test_a_test_with_endless_alternatives_is_told_in_words_only(tmp_path: Path) -> None:
    from trustops.formats.questionnaires import grid, workbook

    pairs = ",".join(f'OR(A{n}="x",B{n}="y")' for n in range(1, 30))
    path = Book([Sheet("S").put("A1", "x")]).save(tmp_path / "a.xlsx")
    book = workbook.load(path)
    assert formulas.Formulas(grid.of_sheet(book, book.sheets[0])).condition(f'IF(AND({pairs}),"q","")')[0] is None
    with pytest.raises(LookupError):
        conditions._Reader(["(", "a"], {"a": ("/a", "", True)}).whole()


def test_a_shared_formula_is_read_as_it_stands_in_its_own_row(tmp_path: Path) -> None:
    from trustops.formats.questionnaires import grid, workbook

    made = Book([Sheet("S").put("A1", "x").put("B2", Formula('IF(A2="x",$A$1,"A2")', "")).put("B3", Formula("b", ""))])
    part = "xl/worksheets/sheet1.xml"
    members = made.members()
    data = members[part].replace(b"<f>IF", b'<f t="shared" si="0" ref="B2:B3">IF').replace(b"<f>b</f>", b'<f t="shared" si="0"/>')
    made.extra = {part: data}
    book = workbook.load(made.save(tmp_path / "a.xlsx"))
    assert formulas.Formulas(grid.of_sheet(book, book.sheets[0])).text(3, 2) == 'IF(A3="x",$A$1,"A2")'


@pytest.mark.parametrize(
    ("text", "answer", "target"),
    [
        ("If no, skip to question 14.", "NO", "14"),
        ("If 'No', please go to 4.2", "NO", "4.2"),
        ("(If not, proceed to section C)", "NO", "C"),
        ("If yes, continue with 3.", "YES", "3"),
        ("Falls nein, weiter mit Frage 7.", "NO", "7"),
        ("Si non, passez à la question 9", "NO", "9"),
        ("En caso negativo, pase a la pregunta 5.", "NO", "5"),
        ("如果否，跳至问题 8。", "NO", "8"),
    ],
)
def test_where_words_lead(text: str, answer: str, target: str) -> None:
    assert [(skip.answer, skip.target) for skip in wording.skips(text)] == [(answer, target)]


@pytest.mark.parametrize("text", ["Do you go to court?", "If no policy exists, who decides?", "Skip tests are run.", "If yes, how often?"])
def test_other_words_lead_nowhere(text: str) -> None:
    assert wording.skips(text) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("If yes, how often?", ("YES", "", "how often?")),
        ("If so please describe it.", ("YES", "", "please describe it.")),
        ("If not, why?", ("NO", "", "why?")),
        ("If yes to 4.2, who decides?", ("YES", "4.2", "who decides?")),
        ("Wenn ja: wie oft?", ("YES", "", "wie oft?")),
        ("如果是，请说明频率。", ("YES", "", "请说明频率。")),
        ("If no policy exists, who decides?", ("", "", "")),
        ("If so required by law, data is deleted.", ("", "", "")),
        ("Do you, if yes, often?", ("", "", "")),
    ],
)
def test_what_depends_on_the_question_before(text: str, parts: tuple[str, str, str]) -> None:
    assert wording.depends(text) == parts
