"""Harm: a layout that is not clear is answered by guess, and nobody was asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from trustops import assembly
from trustops.cli import workspace
from trustops.cli.app import app
from trustops.domain.errors import UsageError
from trustops.testing.workbook import Book, Sheet, plain

TEXTS = ["The supplier encrypts all data of the customer.", "Access is reviewed every quarter by managers.", "Logs are kept for a year."]


@pytest.fixture
def unclear(tmp_path: Path) -> Path:
    notes = Sheet("Notes").rows(1, [["We will call you in the first week of May."]])
    return Book([Sheet("Policy").rows(1, [[text] for text in TEXTS]), notes]).save(tmp_path / "a.xlsx")


def test_machines_and_reviews_get_a_refusal_and_no_guess(unclear: Path) -> None:
    done = CliRunner().invoke(app, ["parse", str(unclear), "--json"])
    assert isinstance(done.exception, UsageError)
    assert "questions" not in done.stdout


@pytest.mark.parametrize("agreed", [True, False])
def test_a_person_is_shown_the_guess_and_decides(unclear: Path, agreed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(typer, "confirm", lambda question, default: bool(asked.append(question)) or agreed)
    if agreed:
        assert len(workspace._read(assembly.Formats(), unclear, None, ask=True).questions) == 3
    else:
        with pytest.raises(UsageError, match="No question"):
            workspace._read(assembly.Formats(), unclear, None, ask=True)
    assert len(asked) == 1


@pytest.mark.parametrize("agreed", [True, False])
def test_a_list_that_is_not_clear_beside_one_that_is(agreed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Harm: the second list of a file is left out, or taken in, and nobody was asked."""
    book = plain()
    book.sheets.append(Sheet("Policy").rows(1, [[text] for text in TEXTS]))
    path = book.save(tmp_path / "a.xlsx")
    done = json.loads(CliRunner().invoke(app, ["parse", str(path), "--json"]).stdout)
    assert {q["sheet"] for q in done["questions"]} == {"Security"}
    assert "Policy" in {skipped["where"] for skipped in done["skipped"]}
    assert all(mapping["confidence"] >= 0.5 for mapping in done["mappings"])
    monkeypatch.setattr(typer, "confirm", lambda question, default: agreed)
    found = workspace._read(assembly.Formats(), path, None, ask=True)
    assert len(found.questions) == (8 if agreed else 5)
    assert [m.confidence < 50 for m in found.mappings] == ([False, True] if agreed else [False])


def test_the_table_shows_how_sure_each_mapping_is(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["parse", str(plain().save(tmp_path / "a.xlsx"))]).stdout
    assert "header row 1" in shown
    assert "95 %" in shown or "100 %" in shown


def test_a_newer_edition_is_shown_against_the_older(tmp_path: Path) -> None:
    texts = {"a": "Do you encrypt our data?", "b": "Do you read our data?", "c": "Do you sell our data?"}
    lines = [["Ref", "Question", "Answer"], *([ref, text, ""] for ref, text in texts.items())]
    old = Book([Sheet("Form").rows(1, lines)]).save(tmp_path / "old.xlsx")
    newer = [*lines[:3], ["c", "Do you ever sell our data?", ""], ["d", "Who audits you?", ""]]
    new = Book([Sheet("Form").rows(1, newer)]).save(tmp_path / "new.xlsx")
    done = CliRunner().invoke(app, ["parse", str(new), "--against", str(old), "--json"])
    assert json.loads(done.stdout)["edition"] == {
        "unchanged": [{"old": "a", "new": "a"}, {"old": "b", "new": "b"}],
        "changed": [{"old": "c", "new": "c", "diff": "+ever"}],
        "added": ["d"],
        "gone": [],
    }
