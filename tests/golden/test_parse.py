"""Harm: a question of the demo workbook is overlooked, or its answer lands in a cell that the customer did not mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from trustops.cli.app import app
from trustops.roster import shipped

FOLDERS = [shipped("golden") / name for name in ("acme", "brightwell")]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_question_is_found_with_its_first_answer_cell(folder: Path) -> None:
    truth = yaml.safe_load((folder / "truth.yaml").read_text(encoding="utf-8"))["questions"]
    done = CliRunner().invoke(app, ["parse", str(folder / "questionnaire.xlsx"), "--json"])
    found = {(q["sheet"], q["cell"]): [a["cell"] for a in q["answers"]] for q in json.loads(done.stdout)["questions"]}
    missed = [q["ref"] for q in truth if (q["sheet"], q["question_cell"]) not in found]
    misplaced = [q["ref"] for q in truth if q["answers"] and q["answers"][0]["cell"] not in found.get((q["sheet"], q["question_cell"]), [])]
    assert (missed, misplaced, len(found)) == ([], [], len(truth))
