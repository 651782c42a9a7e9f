"""Harm: a catalogue starts programs that nobody permitted, or one of them eats the machine, keeps a secret's copy or never ends."""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.test_collect import control
from trustops.collectors.command import CommandCollector
from trustops.collectors.ground import Ground, Permits
from trustops.domain.errors import MalformedFile, TrustOpsError, Unavailable, UsageError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ON = Permits(command=True, environment={"SCANNER_TOKEN": "s3cret", "OTHER": "x", "OPENAI_API_KEY": "k"})


def read(folder: Path, script: str, permits: Permits = ON, arguments: str = "", **settings: str) -> dict[str, Any]:
    program = folder / "measure"
    program.write_text(f"#!{sys.executable} -IS\nimport os, sys, time\n{script}\n")
    program.chmod(0o755)
    asked = control(collector="command", settings={"run": f"measure {arguments}", **settings})
    assert asked.source is not None
    return dict(CommandCollector().read(asked, asked.source, Ground(folder, permits, NOW)).values)


def test_a_programs_values_are_the_reading(tmp_path: Path) -> None:
    assert read(tmp_path, """print('{"enrolled": 122, "eligible": 124}')""") == {"enrolled": 122, "eligible": 124}
    assert read(tmp_path, """print('{"users": [1, 2]}')""", values="{n: length(users)}") == {"n": 2}


def test_nothing_runs_unless_programs_are_switched_on(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not run here"):
        read(tmp_path, "open('ran', 'w')", Permits())
    assert not (tmp_path / "ran").exists()


def test_no_shell_stands_between_and_the_environment_is_bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "never-seen")
    said = read(
        tmp_path, "import json; print(json.dumps({'a': sys.argv[1], 'b': ' '.join(sorted(os.environ))}))", arguments="'$(id); `id`'"
    )
    assert said == {"a": "$(id); `id`", "b": "LC_ALL PATH"}
    assert read(tmp_path, "print('{\"n\": %d}' % len(os.environ['SCANNER_TOKEN']))", env="SCANNER_TOKEN") == {"n": 6}
    for env in ("OPENAI_API_KEY", "NOT_SET"):
        with pytest.raises(UsageError):
            read(tmp_path, "open('ran', 'w')", env=env)
    assert not (tmp_path / "ran").exists()
    with pytest.raises(MalformedFile, match="credential"):
        read(tmp_path, "print('{\"n\": \"%s\"}' % os.environ['SCANNER_TOKEN'])", env="SCANNER_TOKEN")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("sys.exit(3)", "ended with 3"),
        ("os.kill(os.getpid(), 9)", "signal 9"),
        ("while True: pass", "longer than 1 seconds"),
        ("time.sleep(60)", "longer than 1 seconds"),
        ("print(' ' * 2_000_000)", "prints more than"),
        ("while True: os.write(1, b' ' * 1_000_000)", "ended with 1|limit"),
        ("a = b'x' * 6_000_000_000", "ended with"),
        ("print('no json')", "not JSON"),
        ("print('{\"n\": 0.5}')", "float"),
        ("print('[1]')", "mapping"),
        ("print('{}')", "at least one"),
        ("", "not JSON"),
    ],
)
def test_a_program_that_fails_or_takes_too_much_is_no_reading(tmp_path: Path, script: str, words: str) -> None:
    with pytest.raises(TrustOpsError, match=words) as refused:
        read(tmp_path, script, timeout="1")
    assert "control mfa" in refused.value.where


def test_what_a_program_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    read(
        tmp_path, "child = os.fork()\nif child:\n    open('child', 'w').write(str(child)); print('{\"n\": 1}')\nelse:\n    time.sleep(600)"
    )
    child = int((tmp_path / "child").read_text())
    for _ in range(1000):  # the signal is sent; the kernel takes its time
        if _ended(child):
            break
        time.sleep(0.01)
    assert _ended(child)


def _ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] in ("Z", "X")
    except OSError:
        return True


@pytest.mark.parametrize("run", ["../measure", "/nowhere/measure", "measure-not-there", "python3", "'unclosed", "''", " "])
def test_only_a_file_that_is_named_runs(tmp_path: Path, run: str) -> None:
    asked = control(collector="command", settings={"run": run})
    assert asked.source is not None
    with pytest.raises((MalformedFile, Unavailable)):
        CommandCollector().read(asked, asked.source, Ground(tmp_path, ON, NOW))
    assert os.listdir(tmp_path) == []
