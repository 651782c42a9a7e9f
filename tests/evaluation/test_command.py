"""Harm: the command says that all is well, with an exit code that a build server believes, when it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trustops.cli.app import app
from trustops.evaluation.document import load_report

ROWS = ("eval", "run", "--suite", "control", "--case", "drift", "--jobs", "1")


def typed(*words: str) -> Any:
    return CliRunner().invoke(app, list(words), standalone_mode=False)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    done = typed(*ROWS, "-o", str(folder), "--json")
    assert done.return_value == 2, "gates of the suite that these cases do not measure are missing"
    return Path(json.loads(done.stdout)["folder"])


def test_a_report_in_all_its_forms_is_written(report: Path) -> None:
    assert {path.name for path in report.iterdir()} == {"report.json", "report.html", "junit.xml"}
    told = load_report(report)
    assert (told["passed"], told["failed"], told["suites"]) == (24, 0, ["control"])
    assert told["commands"] == ["trustops eval run --suite control --case drift"]
    assert told["model_profiles"] == {"judged": "extractive"}


def test_a_comparison_with_itself_is_nothing_worse(report: Path) -> None:
    done = typed("eval", "compare", str(report), str(report))
    assert done.return_value == 0
    assert "every case and figure is as before" in done.stdout


def test_a_case_that_broke_makes_the_comparison_exit_1(report: Path, tmp_path: Path) -> None:
    told = load_report(report)
    told["cases"][3] |= {"outcome": "FAILED", "cause": "evaluation: PASS, expected DRIFT"}
    (tmp_path / "report.json").write_text(json.dumps(told), encoding="utf-8")
    done = typed("eval", "compare", str(report), str(tmp_path), "--json")
    assert done.return_value == 1
    assert [case["case_id"] for case in json.loads(done.stdout)["broken"]] == [told["cases"][3]["case_id"]]


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "run", "--suite", "contol"),
        ("eval", "run", "--case", "G-099"),
        ("eval", "run", "--baseline", "nowhere"),
        ("eval", "run", "questionnaire.xlsx"),
        ("eval", "run", "--changed-skills", "-w", "nowhere"),
        ("eval", "compare", "a", "b"),
        ("eval", "import", "sheets", "x", "-o", "y"),
    ],
)
def test_what_cannot_run_says_why_and_leaves_nothing(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = typed(*words)
    assert getattr(done.exception, "exit_code", None) == 2, done.exception
    assert str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_changed_skills_choose_the_cases_that_they_make_stale(report: Path, tmp_path: Path) -> None:
    same = typed("eval", "run", "--changed-skills", "--baseline", str(report), "-o", str(tmp_path))
    assert "no skill has changed" in str(same.exception)
    told = load_report(report)
    told["skill_versions"]["search-evidence"] = "0.0.1:000000000000"
    (tmp_path / "report.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        seen: list[str] = []
        patch.setattr("trustops.cli.evaluating._evaluate", lambda picked, *_, **__: seen.extend(suite.name for suite, _ in picked) or 0)
        typed("eval", "run", "--changed-skills", "--baseline", str(tmp_path))
    assert {"golden", "organisations", "adversarial"} <= set(seen)
    assert "questionnaire" not in seen, "no skill is used where a workbook is read"


def test_the_list_names_suites_metrics_and_kept_reports(report: Path) -> None:
    told = json.loads(typed("eval", "list", "--json", "-w", str(report.parent)).stdout)
    assert len(told["suites"]) >= 11
    assert {"question_recall", "critical_false_pass"} <= {metric["name"] for metric in told["metrics"]}
    assert told["reports"] == []


def test_the_live_case_is_written_once(tmp_path: Path) -> None:
    assert typed("eval", "live-case", str(tmp_path / "live")).exception is None
    assert (tmp_path / "live" / "trustops.toml").is_file()
    assert "stands there already" in str(typed("eval", "live-case", str(tmp_path / "live")).exception)
