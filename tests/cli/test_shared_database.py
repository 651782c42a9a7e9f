"""Harm: what works on a file stops short on the shared database: one setting moves an organisation, and everything else stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import postgresql
from trustops.cli.app import run
from trustops.storage.postgres import close_engines


def typed(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, Any]:
    """The exit code of a command, and its JSON."""
    with pytest.raises(SystemExit) as end:
        run([*map(str, words), "--json"])
    said = capsys.readouterr()
    assert said.out, said.err
    return int(end.value.code or 0), json.loads(said.out)


def test_a_small_review_from_migration_to_a_verified_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, demo, out = postgresql.empty_database(), tmp_path / "demo", tmp_path / "out"
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("TRUSTOPS_DATABASE", postgresql.address(name))
    assert typed(capsys, "storage", "migrate", "--role", postgresql.ROLE)[0] == 0
    assert run_words(capsys, "init", demo, "--demo") == 0
    monkeypatch.setenv("TRUSTOPS_DATABASE", postgresql.address(name, postgresql.ROLE))
    assert run_words(capsys, "keys", "init", "-w", demo) == 0
    book = next((demo).glob("*.xlsx"))
    code, told = typed(capsys, "review", book, "--only", "Q-005", "--only", "Q-001", "-w", demo)
    assert code == 0, told
    decisions = {q["ref"]: q["decision"] for q in told["questions"] if q["decision"]}
    assert set(decisions) == {"Q-001", "Q-005"}
    assert decisions["Q-005"] == "BLOCK"
    open_refs = [ref for ref, decision in decisions.items() if decision != "BLOCK"]
    assert open_refs == ["Q-001"]
    approver = approver_of(demo)
    assert typed(capsys, "approve", "Q-001@1", "--by", approver, "-w", demo)[0] == 0
    code, told = typed(capsys, "export", told["review"], "--out", out, "--to", "Customer", "-w", demo)
    assert (code, told["exported"]) == (0, ["Q-001"])
    assert run_words(capsys, "verify", next(out.glob("bundle-*.zip"))) == 0
    assert {path.name for path in (demo / ".trustops").glob("*.db")} <= {"engine.db"}, "something was kept in a file"
    code, told = typed(capsys, "doctor", "-w", demo)
    assert all(check["ok"] for check in told["checks"]), told
    close_engines()
    for table in ("reviews", "answers", "approvals", "exports", "audit", "events", "journal", "records"):
        assert postgresql.rows(name, f"SELECT count(*) FROM {table}")[0][0] > 0, table


def run_words(capsys: pytest.CaptureFixture[str], *words: str | Path) -> int:
    with pytest.raises(SystemExit) as end:
        run([*map(str, words)])
    capsys.readouterr()
    return int(end.value.code or 0)


def approver_of(workspace: Path) -> str:
    from trustops import settings

    return next(name for name, role in settings.load(workspace).people.items() if role.value == "approver")


def test_a_migration_without_an_address_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TRUSTOPS_DATABASE", raising=False)
    with pytest.raises(SystemExit) as end:
        run(["storage", "migrate", "-w", str(tmp_path)])
    assert end.value.code == 2
    assert "no shared database is named" in capsys.readouterr().err


def test_a_password_in_the_settings_is_refused(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (workspace / "trustops.toml").open("a", encoding="utf-8") as file:
        file.write('\n[storage]\nurl = "postgresql://app:s3cret@db/trustops"\n')
    with pytest.raises(SystemExit) as end:
        run(["status", "-w", str(workspace)])
    said = capsys.readouterr().err
    assert (end.value.code, "s3cret" in said) == (2, False)
    assert "TRUSTOPS_DATABASE" in said
