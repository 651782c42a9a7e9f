"""Harm: a question of a customer's workbook is overlooked, a heading is answered, or an answer lands in a cell of somebody else's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from trustops.formats.questionnaires import reading, writing
from trustops.testing import workbooks
from trustops.testing.bank import Made

MAKERS = workbooks.makers()
MIXED = dict(workbooks.mixtures())


def parsed(path: Path) -> dict[str, Any]:
    return reading.parse({"path": str(path)})


def check(made: Made, path: Path) -> None:
    """Recall, primary cells, other cells, false questions, lists and mirrors, all exact."""
    path.write_bytes(made.book.bytes())
    expected, questions = made.expected, parsed(path)["questions"]
    firsts = {(q["sheet"], q["answers"][0]["cell"]): q for q in questions if q["answers"]}
    crossed = {key: q for key, q in firsts.items() if key in expected.crossed}
    assert {key: (q["text"], [a["cell"] for a in q["answers"]]) for key, q in crossed.items()} == expected.crossed
    found = {(q["sheet"], q["cell"]): q for q in questions if not any(q is one for one in crossed.values())}
    assert len(questions) == len(crossed) + len(found)
    assert len({q["ref"] for q in questions}) == len(questions)
    assert sorted(set(expected.questions) - set(found)) == []
    assert sorted(set(found) - set(expected.questions)) == []
    assert {key: [a["cell"] for a in q["answers"]] for key, q in found.items()} == expected.questions
    assert {key: q["text"] for key, q in found.items()} == expected.texts
    shown = {(q["sheet"], a["cell"]): tuple(a["vocabulary"]) for q in questions for a in q["answers"] if a["vocabulary"]}
    assert shown == expected.lists
    assert not expected.mirrors & {(q["sheet"], a["cell"]) for q in found.values() for a in q["answers"]}


@pytest.mark.parametrize("name", MAKERS)
def test_a_generated_questionnaire_is_found_to_the_last_cell(name: str, tmp_path: Path) -> None:
    check(MAKERS[name](), tmp_path / "a.xlsx")


@pytest.mark.parametrize("name", MIXED)
def test_two_questionnaires_in_one_workbook_do_not_disturb_each_other(name: str, tmp_path: Path) -> None:
    check(MIXED[name], tmp_path / "a.xlsx")


def test_a_mirror_sheet_says_why_it_was_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(MAKERS["higher education"]().book.bytes())
    reasons = {where: (what, why) for where, what, why in parsed(path)["skipped"]}
    assert reasons["Institution Evaluation"] == ("315 repeated questions", "its answers are calculated from another sheet's")
    assert reasons["Standards Crosswalk"] == ("315 repeated questions", "another sheet takes their answers")


def test_a_mirror_is_never_written_even_when_it_is_asked_for(tmp_path: Path) -> None:
    made, path = MAKERS["higher education"](), tmp_path / "a.xlsx"
    path.write_bytes(made.book.bytes())
    values = [{"sheet": sheet, "cell": cell, "value": "Yes", "kind": "text"} for sheet, cell in sorted(made.expected.mirrors)]
    refused = writing.refusals({"original": str(path), "values": values})
    assert len(refused) == len(values) > 0
    assert all("formula" in why for _, _, why, _ in refused)


@pytest.mark.skipif(not os.environ.get("TRUSTOPS_EXTRA_QUESTIONNAIRES"), reason="no folder of further questionnaires is named")
def test_further_files_of_a_folder_are_read_and_come_back(tmp_path: Path) -> None:
    """Any files that may not be shipped: each is read, answered in every primary cell, and proved; counts stand in `NAME.count`."""
    for path in sorted(Path(os.environ["TRUSTOPS_EXTRA_QUESTIONNAIRES"]).iterdir()):
        if path.suffix.lower() not in (".xlsx", ".xlsm", ".csv", ".tsv", ".docx", ".json"):
            continue
        questions = parsed(path)["questions"]
        count = path.with_name(path.name + ".count")
        assert len(questions) == (int(count.read_text()) if count.exists() else len(questions))
        values = [
            {"sheet": a["sheet"], "cell": a["cell"], "value": a["vocabulary"][0] if a["vocabulary"] else "An answer.", "kind": "text"}
            for q in questions
            for a in q["answers"][:1]
            if a["kind"] in ("text", "choice")
        ]
        refused = {(sheet, cell) for sheet, cell, _, _ in writing.refusals({"original": str(path), "values": values})}
        values = [value for value in values if (value["sheet"], value["cell"]) not in refused]
        writing.write({"original": str(path), "target": str(tmp_path / path.name), "values": values})
