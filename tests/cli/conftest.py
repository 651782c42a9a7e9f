"""The reviewed organisation on disk, and a terminal to type at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.terminal import Ended, Terminal, typed
from trustops import assembly


@pytest.fixture
def kestrel(reviewed: Path, tmp_path: Path) -> Path:
    """A copy of the reviewed organisation's folder, with nothing open."""
    folder = tmp_path / "kestrel"
    shutil.copytree(reviewed, folder)
    return folder


@pytest.fixture
def type_in(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Types a command; the office that it opened is closed behind it."""
    opened = []
    opener = assembly.office

    def remember(*arguments, **named):  # type: ignore[no-untyped-def]
        opened.append(opener(*arguments, **named))
        return opened[-1]

    monkeypatch.setattr(assembly, "office", remember)

    def type_(*arguments: str | Path) -> Ended:
        try:
            return typed(capsys, *arguments)
        finally:
            while opened:
                office = opened.pop()
                office.ledger.close()
                office.index.close()

    return type_
