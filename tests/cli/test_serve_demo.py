"""Harm: somebody who wants to look at the demo loses a workspace, or gets none."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops import assembly
from trustops.cli import hosting
from trustops.console import server
from trustops.operations.office import Office


def test_the_demo_is_made_once_and_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    served: list[str] = []

    def host(offices: list[Office], place: object, say: object) -> None:
        del place, say
        for office in offices:
            served.append(office.organisation)
            office.ledger.close()  # type: ignore[attr-defined]
            office.index.close()  # type: ignore[attr-defined]

    monkeypatch.setattr(server, "host_offices", host)
    folder = tmp_path / "demo"
    hosting.serve(workspaces=[folder], demo=True)
    assert "questionnaire.xlsx" in capsys.readouterr().out
    (folder / "evidence" / "mine.md").write_text("# Mine\n\nKept.\n", encoding="utf-8")
    hosting.serve(workspaces=[folder], demo=True)
    assert served == ["acme", "acme"]
    assert (folder / "evidence" / "mine.md").is_file()
    assert assembly.settings.load(folder).run.as_of is not None
