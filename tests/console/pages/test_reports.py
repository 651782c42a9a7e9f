"""Harm: a report that is broken, half or foreign looks like a pass, or its page runs in the console's name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import House
from tests.console.pages.conftest import Desk
from trustops.operations.evaluations import REPORTS

Desks = Callable[[str], Desk]
NAME = "E-20261130-1200"


def told(**changes: Any) -> dict[str, Any]:
    gate = {"metric": "unsupported_affirmative_export",
            "wanted": "equals", "threshold": "0", "authority": "DETERMINISTIC",
            "state": "FAILED", "why": "1 left", "blocks_release": "a blocking finding can be exported",
            "value": "0.01", "numerator": "1",
            "denominator": 100, "interval": [0.002, 0.054], "bound": None}  # fmt: skip
    metric = {"name": "false_pass_rate", "area": "risk review", "state": "NOT_MEASURED", "value": None, "numerator": "0", "denominator": 0,
              "interval": None, "bound": None, "counted": "passes", "among": "blocks"}  # fmt: skip
    cases = [
        {"case_id": "G-007", "title": "<img src=x onerror=alert(1)>", "suite": "golden", "outcome": "FAILED", "cause": "it left"},
        {"case_id": "C1-001", "title": "", "suite": "capability", "outcome": "SKIPPED", "cause": "BASELINE_FAILED"},
    ]
    made = {"evaluation_run_id": NAME, "kind": "evaluation", "date": "2026-11-30T12:00:00+00:00", "verdict": "FAILED", "stopped": "",
            "execution_mode": "TEST", "dataset_version": "abc", "git_commit": "0123456", "passed": 7, "failed": 1, "skipped": 1,
            "gates": [gate], "metrics": [metric], "cases": cases, "known_limitations": ["none <b>known</b>"]}  # fmt: skip
    return {**made, **changes}


@pytest.fixture
def kept(house: House) -> Path:
    folder = house.folder / REPORTS / NAME
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(json.dumps(told()), encoding="utf-8")
    (folder / "report.html").write_text("<script>alert(1)</script>", encoding="utf-8")
    (folder / "notes.txt").write_text("private", encoding="utf-8")
    return folder


def test_without_a_report_the_page_says_how_to_make_one(desks: Desks) -> None:
    assert "trustops eval run" in desks("viewer").get("/reports").text


def test_what_failed_is_shown_as_failed_and_what_was_not_measured_is_no_pass(kept: Path, desks: Desks) -> None:
    desk = desks("viewer")
    assert f'href="/reports/{NAME}"' in desk.get("/reports").text
    page = desk.get(f"/reports/{NAME}").text
    for said in ("unsupported_affirmative_export", "1 of 100", "Not measured", "BASELINE_FAILED", "it left", "Test</span>"):
        assert said in page, said
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img src=x" not in page
    assert "<b>known" not in page


def test_a_file_of_a_report_is_kept_and_never_opened_here(kept: Path, desks: Desks) -> None:
    got = desks("viewer").get(f"/reports/{NAME}/report.html")
    assert got.status_code == 200
    assert got.headers["content-disposition"].startswith("attachment;")
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.content == (kept / "report.html").read_bytes()


@pytest.mark.parametrize("path", ["notes.txt", "junit.xml", "..%2Fkestrel.db", "%2e%2e%2f%2e%2e%2ftrustops.toml"])
def test_no_other_file_can_be_had(kept: Path, desks: Desks, path: str) -> None:
    assert desks("viewer").get(f"/reports/{NAME}/{path}").status_code == 404


@pytest.mark.parametrize("name", ["nobody", "%2e%2e", "..%2Freports", f"{NAME}x", "x" * 3000])
def test_a_report_that_is_not_there_is_none(kept: Path, desks: Desks, name: str) -> None:
    assert desks("viewer").get(f"/reports/{name}").status_code == 404


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({**told(), "cases": None, "gates": 1})])
def test_a_report_that_cannot_be_read_is_never_a_pass(kept: Path, desks: Desks, text: str) -> None:
    (kept / "report.json").write_text(text, encoding="utf-8")
    desk = desks("viewer")
    assert "Passed</span>" not in desk.get("/reports").text
    page = desk.get(f"/reports/{NAME}")
    assert page.status_code == 200
    assert "cannot be read" in page.text
