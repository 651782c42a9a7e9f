"""A PDF questionnaire is read and never written: a companion workbook carries the answers, and everybody is told so."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from trustops.domain.errors import HostileFile, Refused, UnknownName, UsageError
from trustops.domain.question import CellValue
from trustops.formats import questionnaires
from trustops.formats.questionnaires import reading, writing
from trustops.testing.documents import pdf

PAGES = (
    ["Supplier security questionnaire", "Please answer every question below.", "1. Encryption", "1.1 Do you encrypt all customer data",
     "at rest, in every environment?", "1.2 The supplier reviews access to production every quarter."],
    ["2. Logging", "2.1 How long do you keep security logs?", "2.2 Name the person who reads them, and how often."],
)  # fmt: skip


def saved(folder: Path) -> Path:
    path = folder / "form.pdf"
    path.write_bytes(pdf(*PAGES))
    return path


def test_questions_are_found_and_the_companion_is_announced(tmp_path: Path) -> None:
    found = questionnaires.read(saved(tmp_path))
    assert [(q.ref, q.text) for q in found.questions] == [
        ("1.1", "Do you encrypt all customer data at rest, in every environment?"),
        ("1.2", "The supplier reviews access to production every quarter."),
        ("2.1", "How long do you keep security logs?"),
        ("2.2", "Name the person who reads them, and how often."),
    ]
    assert [q.answers[0].cell for q in found.questions] == ["D2", "D3", "D4", "D5"]
    assert any("companion workbook" in skip.why for skip in found.skipped)


def test_the_companion_holds_every_question_and_the_answers(tmp_path: Path) -> None:
    path = saved(tmp_path)
    before = path.read_bytes()
    values = [CellValue(part="text", sheet="answers", cell="D3", value="=Yes & no")]
    questionnaires.write(path, tmp_path / "answered.xlsx", values)
    assert path.read_bytes() == before
    rows = list(openpyxl.load_workbook(tmp_path / "answered.xlsx")["answers"].iter_rows(values_only=True))
    assert [row[0] for row in rows] == ["Ref", "1.1", "1.2", "2.1", "2.2"]
    assert [row[3] if len(row) > 3 else None for row in rows] == ["Answer", None, "=Yes & no", None, None]


def test_a_companion_that_was_changed_is_found(tmp_path: Path) -> None:
    path = saved(tmp_path)
    questionnaires.write(path, tmp_path / "answered.xlsx", [CellValue(part="text", sheet="answers", cell="D3", value="Yes.")])
    arguments = {"original": str(path), "exported": str(tmp_path / "answered.xlsx")}
    assert writing.compare(arguments | {"cells": [["answers", "D3"]]})["changed"] == ["answered.xlsx"]
    with pytest.raises(Refused, match="differs outside"):
        writing.compare(arguments | {"cells": [["answers", "D2"]]})


def test_a_place_that_is_no_answer_cell_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        questionnaires.write(saved(tmp_path), tmp_path / "b.xlsx", [CellValue(part="text", sheet="answers", cell="C2", value="x")])
    assert not (tmp_path / "b.xlsx").exists()


@pytest.mark.parametrize("data", [b"%PDF-1.4\nnothing", pdf([]), b"no pdf at all", pdf(["Invoice 7", "Thank you."])])
def test_a_pdf_without_questions_is_refused_in_one_sentence(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "form.pdf"
    path.write_bytes(data)
    with pytest.raises(UsageError) as refusal:
        questionnaires.read(path)
    assert "\n" not in str(refusal.value)
    assert refusal.value.remedy


def test_too_many_pages_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "form.pdf"
    path.write_bytes(pdf(*([["Do you encrypt our data?"]] * 501)))
    with pytest.raises(HostileFile, match="500 pages"):
        reading.parse({"path": str(path)})
