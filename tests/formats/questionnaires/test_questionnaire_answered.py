"""Harm: a file that was answered, ours or last year's, is not read any more, or what stands in it is overwritten and nobody hears of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trustops.formats.questionnaires import reading, writing
from trustops.testing import workbooks

from .conftest import DATA

SAMPLE = {"text": "Yes. An answer that is a whole sentence of several words.", "number": "4", "date": "2026-05-31", "tick": "x"}
SHIPPED = (
    "harborview.xlsx", "trustdeck_acme_demo.csv", "trustdeck_acme_demo.xlsx", "openchain_1.0_questionnaire.docx",
    "openchain_iso5230_v2.docx", "vsaq_physical_and_datacenter.json", "mvsp_v3.0_oscal.json",
)  # fmt: skip
GENERATED = ("cloud, ticks", "labelled rows", "points", "matrix", "matrix of lists", "sections", "one column", "transposed", "hebrew")


def shape(questions: list[dict[str, Any]], but: str = "") -> set[Any]:
    """What is asked and where it is answered."""
    cells = {(q["ref"], q["sheet"], q["cell"], q["text"], tuple(a["cell"] for a in q["answers"])) for q in questions}
    assert len(cells) == len(questions)
    return {cell for cell in cells if cell[0] != but}


def round_trip(path: Path, but: str = "") -> None:
    """`but` names a question whose last point has no mark in the document, so that it cannot be told from an answer."""
    found = reading.parse({"path": str(path)})
    values = [
        {key: a[key] for key in ("sheet", "cell", "kind")} | {"value": a["vocabulary"][-1] if a["kind"] == "choice" else SAMPLE[a["kind"]]}
        for q in found["questions"]
        for a in [*(one for one in q["answers"] if one["kind"] != "tick"), *[one for one in q["answers"] if one["kind"] == "tick"][:1]]
    ]
    target = path.with_name(f"answered{path.suffix}")
    writing.write({"original": str(path), "target": str(target), "values": values})
    again = reading.parse({"path": str(target)})
    assert shape(again["questions"], but) == shape(found["questions"], but)
    assert len(again["questions"]) == len(found["questions"])
    if found["format"] in ("xlsx", "csv"):
        filled = {(a["sheet"], a["cell"]): a["filled"] for q in again["questions"] for a in q["answers"] if a["filled"]}
        assert set(filled) == {(v["sheet"], v["cell"]) for v in values}
        assert any("pre-filled" in what for _, what, _ in again["skipped"])


@pytest.mark.parametrize("name", SHIPPED)
def test_an_answered_file_is_read_as_the_open_one_was(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes((DATA / name).read_bytes())
    round_trip(path, but="1.64" if name.startswith("openchain_iso") else "")


def generated(make: Callable[[], Any], folder: Path) -> None:
    """As a spreadsheet program would have saved it: with shared strings."""
    book = make().book
    for sheet in book.sheets:
        sheet.shared = True
    round_trip(book.save(folder / "a.xlsx"))


@pytest.mark.parametrize("name", GENERATED)
def test_an_answered_workbook_is_read_as_the_open_one_was(name: str, tmp_path: Path) -> None:
    generated(workbooks.makers()[name], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", workbooks.makers())
def test_every_answered_workbook_is_read_as_the_open_one_was(name: str, tmp_path: Path) -> None:
    generated(workbooks.makers()[name], tmp_path)


def test_an_earlier_answer_is_replaced_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = ["Ref,Question,Answer", "1,Do you encrypt our data?,Yes since May.", "2,Who reads our data?,", "3,Who audits you?,"]
    path.write_text("\n".join(rows), encoding="utf-8")
    found = reading.parse({"path": str(path)})
    assert [a["filled"] for q in found["questions"] for a in q["answers"]] == ["Yes since May.", "", ""]
    values = [{"sheet": "csv", "cell": cell, "kind": "text", "value": "Yes."} for cell in ("C2", "C3")]
    made = writing.write({"original": str(path), "target": str(tmp_path / "b.csv"), "values": values})
    assert made["replaced"] == [{"sheet": "csv", "cell": "C2", "was": "Yes since May."}]
