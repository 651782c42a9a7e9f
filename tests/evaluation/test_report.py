"""Harm: a report hides what failed, fetches something, says more than it may, or is half written and believed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.evaluation.cases import a_case, suite
from tests.evaluation.test_running import RECALL, WIRING
from trustops import assembly
from trustops.domain.chain import sha256
from trustops.domain.errors import MalformedFile, UnknownName, UsageError
from trustops.evaluation import keeping
from trustops.evaluation.about import about, git_commit
from trustops.evaluation.document import compared, document, load_report
from trustops.evaluation.keeping import ATTESTATION, HTML, JUNIT, PREDICATE, files, keep
from trustops.evaluation.metric import METRICS
from trustops.evaluation.page import page
from trustops.evaluation.running import run_suites
from trustops.operations.evaluations import REPORT, REPORTS, kept_report, kept_reports
from trustops.roster import shipped

ASKED = [
    "evaluation_run_id",
    "date",
    "git_commit",
    "dataset_version",
    "prompt_versions",
    "skill_versions",
    "model_profiles",
    "commands",
    "passed",
    "failed",
    "skipped",
    "known_limitations",
    "trace_references",
]
"""evaluation.md, "Report"."""


def told(*does: str, **more: Any) -> dict[str, Any]:
    cases = [a_case(f"case-{number}", kind) for number, kind in enumerate(does)]
    made = about(cases, command="trustops eval run", model="extractive")
    return document(run_suites([suite(*cases)], WIRING, gates=[RECALL], about=made), **more)


@pytest.fixture(scope="module")
def mixed() -> dict[str, Any]:
    return told("pass", "fail", "raise", "skip")


def test_the_report_holds_everything_that_is_asked_for(mixed: dict[str, Any]) -> None:
    assert [name for name in ASKED if name not in mixed] == []
    assert (mixed["passed"], mixed["failed"], mixed["errors"], mixed["skipped"]) == (1, 2, 1, 1)
    assert set(mixed["prompt_versions"]) >= {"commander", "policy", "control", "answer", "reviewer"}
    assert mixed["trace_references"] == {"case-0": "trace-case-0", "case-1": "trace-case-1"}
    assert mixed["by_level"] == {"1 unit": {"passed": 1, "failed": 1, "error": 1, "skipped": 1}}
    assert (mixed["execution_mode"], mixed["real_model"]) == ("TEST", False)


def test_every_registered_metric_appears_and_what_was_not_measured_says_so(mixed: dict[str, Any]) -> None:
    by_name = {figure["name"]: figure for figure in mixed["metrics"]}
    assert set(by_name) == {metric.name for metric in METRICS}
    assert (by_name["authority_accuracy"]["state"], by_name["authority_accuracy"]["value"]) == ("NOT_MEASURED", None)
    assert (by_name["question_recall"]["numerator"], by_name["question_recall"]["denominator"]) == ("1", 2)


def test_a_failed_case_carries_its_cause_its_steps_and_its_case_file(mixed: dict[str, Any]) -> None:
    failed = mixed["cases"][1]
    assert failed["cause"] == "n: 2, expected 1"
    assert failed["steps"][0] == {"name": "n", "expected": "1", "actual": "2", "ok": False}
    assert failed["dossier"] == {"held": "<b>papers</b>"}


def test_the_page_asks_nobody_for_anything_and_takes_no_markup_from_a_case(mixed: dict[str, Any]) -> None:
    shown = page(mixed | {"stopped": "<script>alert(1)</script>"})
    assert re.findall(r"""(?:src|href|action)\s*=|url\(|@import|https?://|<script|<link|<iframe|<img""", shown) == []
    assert "&lt;b&gt;papers&lt;/b&gt;" in shown
    assert "<b>papers" not in shown
    assert "default-src 'none'" in shown
    for name in ("case-1", "question_recall", "NOT MEASURED", "n: 2, expected 1"):
        assert name in shown


def test_the_page_shows_what_changed_against_a_baseline() -> None:
    shown = page(told("fail", "pass", baseline=told("pass", "pass")))
    assert "broken" in shown
    assert "<code>case-0</code> n: 2, expected 1" in shown


def test_junit_turns_red_for_failures_errors_and_missing_figures(mixed: dict[str, Any]) -> None:
    files_made = files(mixed | {"stopped": "the disk takes nothing more \x00"})
    root = ElementTree.fromstring(files_made[JUNIT])
    assert {"tests": root.get("tests"), "failures": root.get("failures"), "errors": root.get("errors")} == {
        "tests": "6",
        "failures": "2",
        "errors": "2",
    }
    assert root.find(".//testcase[@name='complete']/error") is not None
    assert len(root.findall(".//skipped")) == 1


def test_the_report_is_signed_as_a_test_result_over_its_own_files(tmp_path: Path, mixed: dict[str, Any]) -> None:
    from trustops.signing.keys import KeyRing

    ring = KeyRing(tmp_path / "keys")
    ring.create()
    folder = keep(mixed, tmp_path / "reports", ring)
    public = ring.public_key()
    assert public is not None
    statement = json.loads(assembly.bundles().opened((folder / ATTESTATION).read_bytes(), public))
    assert statement["predicateType"] == PREDICATE
    assert statement["predicate"]["result"] == "FAILED"
    assert statement["predicate"]["failedTests"] == ["case-1", "case-2"]
    assert {s["name"]: s["digest"]["sha256"] for s in statement["subject"]} == {
        name: sha256((folder / name).read_bytes()) for name in (HTML, JUNIT, REPORT)
    }


def test_without_a_key_there_is_no_signature(tmp_path: Path, mixed: dict[str, Any]) -> None:
    assert not (keep(mixed, tmp_path) / ATTESTATION).exists()


def test_an_incomplete_run_is_signed_as_no_pass(mixed: dict[str, Any]) -> None:
    statement = json.loads(keeping.statement(mixed | {"verdict": "INCOMPLETE"}, {}))
    assert statement["predicate"]["result"] == "WARNED"


def test_a_full_disk_leaves_no_half_of_a_report(tmp_path: Path, mixed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(target: Path, data: bytes) -> None:
        target.write_bytes(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keeping, "store", full)
    with pytest.raises(UsageError, match="No space left on device"):
        keep(mixed, tmp_path)
    assert list(tmp_path.iterdir()) == []


# -- reading, listing, comparing -------------------------------------------------------------------------------------------


def test_kept_reports_are_listed_newest_first_and_one_that_cannot_be_read_is_told(tmp_path: Path, mixed: dict[str, Any]) -> None:
    folder = tmp_path / REPORTS
    for number, day in enumerate(("2026-11-29", "2026-11-30")):
        keep(mixed | {"date": f"{day}T10:00:00+00:00", "evaluation_run_id": f"E-{number}"}, folder)
    (folder / "E-broken").mkdir()
    (folder / "E-broken" / REPORT).write_text("{", encoding="utf-8")
    found = kept_reports(tmp_path)
    assert [(r.run_id, r.verdict) for r in found] == [("E-1", "FAILED"), ("E-0", "FAILED"), ("E-broken", "UNREADABLE")]
    assert (found[0].passed, found[0].failed, found[0].skipped) == (1, 2, 1)
    assert kept_report(tmp_path, "E-0").folder == folder / "E-0"
    for wrong in ("E-9", "../E-0", ""):
        with pytest.raises(UnknownName):
            kept_report(tmp_path, wrong)
    assert kept_reports(tmp_path / "elsewhere") == ()


@pytest.mark.parametrize("text", ["", "[]", '{"format": "trustops-evaluation/0"}', '{"format": "trustops-evaluation/1"}'])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / REPORT).write_text(text, encoding="utf-8")
    with pytest.raises(MalformedFile):
        load_report(tmp_path)


def test_comparing_names_what_broke_was_mended_came_and_went() -> None:
    before, after = told("pass", "fail", "pass", "raise"), told("fail", "pass", "pass")
    after["cases"].append(after["cases"][2] | {"case_id": "case-new"})
    delta = compared(before, after)
    assert [case["case_id"] for case in delta["broken"]] == ["case-0"]
    assert (delta["mended"], delta["new"], delta["gone"]) == (["case-1"], ["case-new"], ["case-3"])
    assert {"name": "question_recall", "better": "high", "before": before_value(before), "after": before_value(after)} in delta[
        "metrics"
    ] or (before_value(before) == before_value(after))


def before_value(report: dict[str, Any]) -> Any:
    return next(figure["value"] for figure in report["metrics"] if figure["name"] == "question_recall")


def test_a_report_against_itself_shows_no_change(mixed: dict[str, Any]) -> None:
    delta = compared(mixed, mixed)
    assert {key: value for key, value in delta.items() if key not in ("before", "after", "verdict") and value} == {}


def test_another_prompt_or_skill_is_named_in_the_comparison(mixed: dict[str, Any]) -> None:
    other = json.loads(json.dumps(mixed))
    other["prompt_versions"]["answer"] = "9:000000000000"
    assert list(compared(mixed, other)["made_with"]) == ["prompt_versions.answer"]


def test_the_commit_is_read_from_checkouts_worktrees_and_packed_references(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (git / "packed-refs").write_text("# pack-refs\nabc123 refs/heads/main\n", encoding="utf-8")
    assert git_commit(tmp_path) == "abc123"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "main").write_text("def456\n", encoding="utf-8")
    assert git_commit(tmp_path) == "def456"
    assert git_commit(tmp_path / "elsewhere") == ""
    assert re.fullmatch(r"[0-9a-f]{40}|", git_commit(shipped("golden").parent))
