"""A value that its cell cannot take is refused by itself, with the reason, before anything is written; the others are free to go."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops.checks.form import form_findings
from trustops.domain.answer import Determination
from trustops.domain.errors import Refused
from trustops.domain.finding import FindingCode
from trustops.domain.question import CellValue, PartKind, Replaced
from trustops.formats import questionnaires
from trustops.formats.questionnaires import writing
from trustops.testing.workbook import Book, Formula, Sheet, plain


def value(cell: str, text: str, kind: str = "text", sheet: str = "Security") -> dict[str, str]:
    return {"sheet": sheet, "cell": cell, "value": text, "kind": kind}


def refusals(made: Book, folder: Path, *values: dict[str, str]) -> dict[str, str]:
    path = made.save(folder / "a.xlsx")
    before = path.read_bytes()
    found = writing.refusals({"original": str(path), "values": list(values)})
    assert path.read_bytes() == before
    assert list(folder.iterdir()) == [path]
    return {cell: why for _, cell, why, _ in found}


def limited() -> Book:
    made = plain()
    sheet = made.sheets[0].put("E2", Formula("C2", "")).merge("F2:G2")
    sheet.limit("D2:D3", "textLength", "lessThanOrEqual", "10").limit("D4", "textLength", "between", "5", "8")
    sheet.limit("D5", "whole", "greaterThanOrEqual", "0").limit("D6", "decimal", "between", "0", "100").limit(
        "H2", "custom", "between", "LEN(H2)=3"
    )
    return made


@pytest.mark.parametrize(
    ("cell", "text", "kind", "why"),
    [
        ("C2", "Perhaps", "choice", "not in the cell's list"),
        ("D2", "eleven characters", "text", "at most 10 characters"),
        ("D4", "four", "text", "from 5 to 8 characters"),
        ("D5", "-1", "number", "at least 0 as a whole number"),
        ("D5", "1.5", "number", "as a whole number"),
        ("D6", "101", "number", "from 0 to 100"),
        ("D6", "many", "text", "as a number"),
        ("E2", "Yes", "text", "holds a formula"),
        ("F3", "x" * 32_768, "text", "a cell takes 32,767"),
        ("F4", "soon", "date", "is no date"),
        ("F5", "few", "number", "is no number"),
    ],
)
def test_a_value_that_breaks_its_cell_is_named(cell: str, text: str, kind: str, why: str, tmp_path: Path) -> None:
    found = refusals(limited(), tmp_path, value(cell, text, kind), value("C3", "Yes", "choice"))
    assert list(found) == [cell]
    assert why in found[cell]


@pytest.mark.parametrize(
    ("cell", "text", "kind"),
    [
        ("D2", "ten chars.", "text"),
        ("D4", "five.", "text"),
        ("D5", "0", "number"),
        ("D6", "99.9", "number"),
        ("H2", "any", "text"),
        ("C2", "N/A", "choice"),
    ],
)
def test_a_value_within_the_limits_is_free_to_go(cell: str, text: str, kind: str, tmp_path: Path) -> None:
    assert refusals(limited(), tmp_path, value(cell, text, kind)) == {}


def test_the_second_of_two_answers_for_one_cell_is_refused(tmp_path: Path) -> None:
    assert list(refusals(limited(), tmp_path, value("F2", "one"), value("G2", "two"))) == ["G2"]


def test_an_unknown_sheet_or_cell_is_refused_by_itself(tmp_path: Path) -> None:
    assert list(refusals(limited(), tmp_path, value("A1", "x", sheet="Nowhere"), value("0", "x"), value("C2", "Yes"))) == ["A1", "0"]


def test_a_signed_workbook_refuses_all(tmp_path: Path) -> None:
    made = plain()
    made.extra["_xmlsignatures/sig1.xml"] = b"<Signature/>"
    assert set(refusals(made, tmp_path, value("C2", "Yes"), value("D2", "x"))) == {"C2", "D2"}


def test_what_was_not_refused_is_written_and_what_was_is_not(tmp_path: Path) -> None:
    path = plain().save(tmp_path / "a.xlsx")
    texts = {"C2": "Yes", "C3": "Perhaps"}
    values = [CellValue(part="choice", sheet="Security", cell=cell, value=text, kind=PartKind.CHOICE) for cell, text in texts.items()]
    refused = questionnaires.refusals(path, values)
    assert [(one.cell, bool(one.why), bool(one.remedy)) for one in refused] == [("C3", True, True)]
    with pytest.raises(Refused):
        questionnaires.write(path, tmp_path / "b.xlsx", values)
    assert questionnaires.write(path, tmp_path / "b.xlsx", values[:1]).replaced == ()


def test_a_default_of_the_customer_is_replaced_and_the_report_says_so(tmp_path: Path) -> None:
    """Harm: a pre-filled answer gives way to ours and nobody hears of it."""
    sheet = Sheet("Form").rows(1, [["Ref", "Question", "Response", "Comment"]]).choose("C2:C4", '"Please select,Yes,No"')
    for row, default in ((2, "No"), (3, "Please select"), (4, "")):
        sheet.rows(row, [[f"Q{row}", f"Do you protect our data in way number {row}?", default, ""]])
    path = Book([sheet]).save(tmp_path / "a.xlsx")
    found = questionnaires.read(path)
    assert [(skip.where, skip.what) for skip in found.skipped if "pre-filled" in skip.what] == [("Form!C2", "pre-filled answer 'No'")]
    values = [CellValue(part="choice", sheet="Form", cell=f"C{row}", value="Yes", kind=PartKind.CHOICE) for row in (2, 3, 4)]
    assert questionnaires.write(path, tmp_path / "b.xlsx", values).replaced == (Replaced(sheet="Form", cell="C2", was="No"),)


def test_how_much_a_cell_takes_is_known_before_anything_is_drafted(tmp_path: Path) -> None:
    """Harm: an answer is drafted, reviewed and approved, and only the export finds that its cell cannot hold it."""
    found = questionnaires.read(limited().save(tmp_path / "a.xlsx"))
    comments = {answer.cell: answer for question in found.questions for answer in question.answers if answer.cell.startswith("D")}
    assert {cell: answer.longest for cell, answer in comments.items()} == {"D2": 10, "D3": 10, "D4": 8, "D5": 0, "D6": 0}
    cell = comments["D2"]
    for text, codes in (("ten chars.", []), ("eleven char", [FindingCode.ANSWER_FORM])):
        value = CellValue(part=cell.part, sheet=cell.sheet, cell=cell.cell, value=text)
        assert [finding.code for finding in form_findings(Determination.YES, [cell], [value])] == codes
