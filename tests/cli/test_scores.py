"""Harm: a command about scores shows a traceback, mixes up whose scores they are, or a failed grading spoils a review."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, rows
from trustops.domain.errors import UsageError
from trustops.operations import grading


def test_a_review_grades_its_seats_and_shows_them(workspace: Path, type_in: Terminal) -> None:
    done = type_in("review", workspace / "questionnaire.csv", "-w", workspace, "--as-of", "2026-11-30T12:00:00Z", "--json")
    assert (done.code, done.err) == (0, "")
    told = type_in("score", "show", "-w", workspace, "--json").json["reputations"]
    assert {(each["agentId"], each["mode"], each["evaluationCount"]) for each in told} >= {("reviewer", "TEST", 4), ("policy", "TEST", 4)}
    assert {each["source"] for each in told} == {None}
    shown = type_in("score", "show", "reviewer", "--models", "-w", workspace)
    assert "reviewer@1.0" in shown.out
    assert "opens the gate" in shown.out
    before = rows(workspace)
    again = type_in("score", "grade", "-w", workspace, "--json").json
    assert (again["made"], again["trust_records"], rows(workspace)) == (0, 0, before)


def test_a_grading_that_fails_leaves_the_review_and_is_told(workspace: Path, type_in: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise UsageError("the signing key cannot be used")

    monkeypatch.setattr(grading, "grade_run", fail)
    done = type_in("review", workspace / "questionnaire.csv", "-w", workspace, "--as-of", "2026-11-30T12:00:00Z", "--json")
    assert (done.code, len(done.json["questions"])) == (0, 4)
    assert "scores: the signing key cannot be used" in done.err
    assert rows(workspace)["evaluations"] == 0
    assert rows(workspace)["records"] == 4


def test_trust_is_shown_recorded_and_verified(kestrel: Path, type_in: Terminal) -> None:
    assert type_in("score", "grade", "-w", kestrel).code == 0
    shown = type_in("trust", "show", "reviewer", "-w", kestrel)
    assert "4 evaluations of TEST runs" in shown.out
    assert "authenticity" in shown.out
    assert "History" in shown.out
    history = type_in("trust", "history", "reviewer", "-w", kestrel, "--json").json["records"]
    assert [record["subject"] for record in history] == ["reviewer"]
    compared = type_in("trust", "compare", "reviewer", "skill/attach-figure", "-w", kestrel)
    assert "~" in compared.out
    assert len(type_in("trust", "list", "-w", kestrel, "--json").json["subjects"]) == 11
    verified = type_in("trust", "verify", "-w", kestrel, "--json")
    assert (verified.code, verified.json["valid"], verified.json["records"]) == (0, True, 11)
    assert type_in("trust", "verify", "--head", "0" * 64, "-w", kestrel).code == 1
    assert type_in("score", "verify", "-w", kestrel).code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("trust", "show", "nobody"),
        ("trust", "history", "nobody"),
        ("trust", "compare", "reviewer", "nobody"),
        ("score", "export", "-o", "out.jsonl"),
        ("score", "import", "nowhere.jsonl", "--trust"),
        ("score", "import", "trustops.toml", "--trust"),
        ("score", "import", "trustops.toml", "--key", "nowhere.pem"),
    ],
)
def test_a_mistake_is_one_sentence_and_changes_nothing(
    words: tuple[str, ...], kestrel: Path, type_in: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in("score", "grade", "-w", kestrel)
    before = rows(kestrel)
    monkeypatch.chdir(kestrel)
    done = type_in(*words, "-w", kestrel)
    assert done.code in (1, 2)
    assert done.err.startswith("trustops: ")
    assert done.err.count("\n") == 1
    assert rows(kestrel) == before
    assert not (kestrel / "out.jsonl").exists()


def test_rubrics_show_what_is_in_use(kestrel: Path, type_in: Terminal) -> None:
    told = type_in("score", "rubrics", "-w", kestrel, "--json").json["rubrics"]
    assert {each["name"] for each in told if each["current"]} >= {"reviewer", "answer-by-people", "skill"}
    assert "findings_found" in type_in("score", "rubrics", "-w", kestrel).out


def test_the_secret_is_for_its_owner_alone_and_a_lost_one_is_told(kestrel: Path, type_in: Terminal) -> None:
    type_in("score", "grade", "-w", kestrel)
    secret = kestrel / ".trustops" / "score.secret"
    assert secret.stat().st_mode & 0o077 == 0
    secret.chmod(0o644)
    assert "chmod 600" in type_in("score", "show", "-w", kestrel).err
    secret.chmod(0o600)
    secret.write_text("short", encoding="ascii")
    assert "damaged" in type_in("score", "show", "-w", kestrel).err
    secret.unlink()
    lost = type_in("score", "verify", "-w", kestrel, "--json")
    assert (lost.code, len(lost.json["bad"])) == (1, lost.json["evaluations"])
    shown = json.loads(type_in("score", "show", "-w", kestrel, "--json").out)["reputations"]
    assert {each["evaluationCount"] for each in shown} == {0}
