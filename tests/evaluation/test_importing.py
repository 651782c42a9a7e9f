"""Harm: labels of people are taken in as something else than they said, or some of them are lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops.domain.errors import MalformedFile, UnknownName, UsageError
from trustops.evaluation.case import load_cases
from trustops.evaluation.importing import as_yaml, imported
from trustops.evaluation.suites.organisations import ORGANISATIONS, truth_cases
from trustops.evaluation.truth import load_truth
from trustops.roster import shipped

HEAD = '"QuestionID","Category","Domain","Question","Vendor Response","Confidence"\n'


def labelled(folder: Path, *rows: str) -> Path:
    path = folder / "completed.csv"
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_trustdeck_s_labels_become_cases_and_go_through_the_case_model_again(tmp_path: Path) -> None:
    rows = ('"C-1","x","A","Do you log?","Yes. (Policy)","🟢 evidenced"', '"C-2","x","A","Escrow?","","🔴 needs owner input"')
    path = labelled(tmp_path, *rows)
    cases = imported("trustdeck", path)
    assert [(case.case_id, case.expect["evidenced"]) for case in cases] == [("C-1", True), ("C-2", False)]
    again = tmp_path / "cases.yaml"
    again.write_text(as_yaml(cases), encoding="utf-8")
    assert load_cases(again) == cases


@pytest.mark.parametrize(
    ("row", "told"),
    [('"C-1","x","A","Do you log?","","🟡 perhaps"', "unknown label"), ('"C-1","x","A","","","🟢 evidenced"', "Question is missing")],
)
def test_a_row_that_says_nothing_known_is_refused_with_its_line(tmp_path: Path, row: str, told: str) -> None:
    with pytest.raises(MalformedFile, match=told) as refusal:
        imported("trustdeck", labelled(tmp_path, row))
    assert refusal.value.where == "completed.csv, line 2"


@pytest.mark.parametrize("name", ORGANISATIONS)
def test_every_drill_of_a_truth_file_is_a_case(name: str) -> None:
    truth = load_truth(shipped("golden") / name / "truth.yaml")
    cases = truth_cases(shipped("golden") / name)
    drills = [case for case in cases if case.case_id.split("/")[1] not in ("honest", "recheck", "answers")]
    assert len(drills) == sum(len(question.drills) for question in truth.questions)
    assert imported("truth", shipped("golden") / name) == cases


def test_another_form_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no form 'csv'"):
        imported("csv", tmp_path)
    with pytest.raises(UsageError):
        imported("trustdeck", tmp_path / "none.csv")
