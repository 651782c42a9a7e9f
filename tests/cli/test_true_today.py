"""Harm: what these commands tell machines changes its keys, or a scheduled one ends at the first bad round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_contracts import exactly, told
from tests.conftest import snapshot
from trustops.cli import controls

CONTROL = {"id", "title", "evaluation", "reading", "expected", "snapshot_version", "source_mode", "why"}
BRIEF = {"id", "file", "locator", "customer", "answered_on", "owner", "review_by", "question", "answer"}


@pytest.fixture
def sent(kestrel: Path, type_in: Terminal) -> Path:
    """K-1 and K-2 left, at an instant that does not rot."""
    with (kestrel / "trustops.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[run]\nas_of = 2026-11-30T12:00:00Z\n")
    told(type_in("approve", "K-1@1", "K-2@1", "--by", "Ana", "-w", kestrel, "--json"))
    told(type_in("export", "-o", kestrel / "out", "--to", "Customer", "-w", kestrel, "--json"))
    return kestrel


def test_recall_says_what_left_is_no_longer_true(sent: Path, type_in: Terminal) -> None:
    assert told(type_in("recall", "-w", sent, "--json")) == {"recall": [], "notices": []}
    assert "still holds" in type_in("recall", "-w", sent).out
    snapshot(sent, 300, 311, "2026-11-30T11:00:00Z")
    found = told(type_in("recall", "-w", sent, "--json"), code=1)
    (one,) = found["recall"]
    exactly(one, {"review", "file", "question", "version", "text", "received_by", "state", "changes", "remedy"})
    for receipt in one["received_by"]:
        exactly(receipt, {"to", "at", "export"})
    for change in one["changes"]:
        exactly(change, {"what", "before", "after"})
    assert (one["question"], one["received_by"][0]["to"]) == ("K-1", "Customer")
    shown = type_in("recall", "-w", sent)
    assert shown.code == 1
    assert "trustops recheck K-1" in shown.out


def test_collect_says_in_a_line_that_something_is_to_recall(sent: Path, type_in: Terminal) -> None:
    assert "recall" not in type_in("controls", "collect", "-w", sent).out
    snapshot(sent, 300, 311, "2026-11-30T11:00:00Z")
    found = told(type_in("controls", "collect", "-w", sent, "--json"))
    exactly(found, {"controls", "notices", "recall"})
    for control in found["controls"]:
        exactly(control, CONTROL)
    assert [(r["question"], r["state"]) for r in found["recall"]] == [("K-1", "NOT_TRUE")]
    assert "trustops recall" in type_in("controls", "collect", "-w", sent).out


def test_a_source_that_fails_is_a_notice_and_the_others_are_read(kestrel: Path, type_in: Terminal) -> None:
    with (kestrel / "controls.yaml").open("a", encoding="utf-8") as catalogue:
        catalogue.write(
            "- {id: live, title: Live, topics: [live system], measure: {flag: on}, expect: {equals: true}, max_age: 1d, risk: low,\n"
            "   source: {collector: http, url: 'https://directory.example/', values: '{on: on}'}}\n"
        )
    found = told(type_in("controls", "collect", "-w", kestrel, "--as-of", "2126-11-30T12:00:00Z", "--json"))
    assert [c["evaluation"] for c in found["controls"]] == ["STALE", "UNAVAILABLE"]
    (notice,) = found["notices"]
    for word in ("control live", "directory.example", "allow-list", "trustops.toml"):
        assert word in notice


def test_a_scheduled_collect_goes_on_after_a_bad_round(kestrel: Path, type_in: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue, waited = (kestrel / "controls.yaml").read_text(encoding="utf-8"), list[int]()

    def wait(seconds: int) -> None:
        waited.append(seconds)
        broken = "colour: red" if len(waited) == 1 else catalogue
        (kestrel / "controls.yaml").write_text(broken, encoding="utf-8")
        if len(waited) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(controls.time, "sleep", wait)
    ended = type_in("controls", "collect", "--every", "60", "-w", kestrel, "--as-of", "2026-11-30T12:00:00Z", "--json")
    assert ended.code == 130
    assert waited == [60, 60, 60]
    assert ended.out.count('"controls": [') == 2
    assert ended.out.count('"MALFORMED_FILE"') == 1


def test_coverage(kestrel: Path, type_in: Terminal) -> None:
    found = told(type_in("controls", "coverage", "-w", kestrel, "--as-of", "2026-11-30T12:00:00Z", "--json"))
    exactly(found, {"review", "file", "at", "questions", "totals"})
    for row in found["questions"]:
        exactly(row, {"ref", "text", "risk", "evidence", "documents", "controls", "fresh", "gaps"})
        for control in row["controls"]:
            exactly(control, {"id", "evaluation", "snapshot_version", "observed_at", "owner"})
        for gap in row["gaps"]:
            exactly(gap, {"code", "what", "owner", "remedy"})
    exactly(
        found["totals"],
        {"questions", "with_evidence", "with_a_control", "with_fresh_snapshots", "with_gaps", "gaps_without_owner"},
    )
    assert "K-3" in type_in("controls", "coverage", "-w", kestrel).out


def test_the_shipped_controls_are_shown_and_come_as_comments(tmp_path: Path, type_in: Terminal) -> None:
    from trustops.assembly import starter_controls
    from trustops.collectors import load_controls

    found = told(type_in("controls", "list", "--starter", "--json"))["controls"]
    assert len(found) == len(starter_controls()) >= 40
    for control in found:
        exactly(control, {"id", "title", "topics", "frameworks", "measure", "expected", "max_age_seconds", "risk"})
    type_in("init", tmp_path / "new")
    path = tmp_path / "new" / "controls.yaml"
    assert load_controls(path) == ()
    lines = path.read_text(encoding="utf-8").splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("# - id:"))
    path.write_text("\n".join(line[2:] for line in lines[begin:]), encoding="utf-8")
    assert load_controls(path) == starter_controls(), "uncommented it is the shipped catalogue"


def test_the_library(sent: Path, type_in: Terminal) -> None:
    (receipt,) = (sent / "out").glob("receipt-*.json")
    export = "X-" + receipt.stem.removeprefix("receipt-")
    words = ("library", "add", export, "--by", "Bo", "--owner", "Dee", "-w", sent)
    assert type_in(*words, "--review-by", "soon").code == 2
    made = told(type_in(*words, "--review-by", "2026-12-01", "--json"))
    exactly(made, {"file", "answers", "left_out"})
    assert made["answers"] == ["K-1", "K-2"]
    assert type_in(*words, "--review-by", "2026-12-01").code == 1
    assert type_in("library", "list", "-w", sent).code == 0
    assert told(type_in("library", "expire", "-w", sent, "--json")) == {"expired": [], "withdrawn": False}
    late = ("library", "expire", "-w", sent, "--as-of", "2026-12-02", "--json")
    found = told(type_in(*late), code=1)
    for entry in found["expired"]:
        exactly(entry, BRIEF)
    assert len(found["expired"]) == 2
    assert told(type_in("library", "conflicts", "-w", sent, "--json")) == {"conflicts": []}
    (sent / "answers" / "old.csv").write_text(
        "Question,Answer\nHow long are logs kept?,Audit logs are kept for 30 days.\n", encoding="utf-8"
    )
    found = told(type_in("library", "conflicts", "-w", sent, "--json"), code=1)
    for pair in found["conflicts"]:
        exactly(pair, {"kind", "left", "right", "words"})
    assert told(type_in(*late, "--by", "Bo"))["withdrawn"] is True
    assert json.loads(type_in(*late).out)["expired"] == []
