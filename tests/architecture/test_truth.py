"""Harm: the product peeks at the answers that it is graded by."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
opened = []
def hear(event, arguments):
    if event == "open" and arguments and isinstance(arguments[0], (str, bytes, Path)):
        opened.append(str(arguments[0]))
sys.addaudithook(hear)
from trustops.cli.app import run
try:
    run(["review", sys.argv[1], "-w", sys.argv[2], "--only", "K-2", "--as-of", "2026-11-30T12:00:00Z", "--json"])
except SystemExit as end:
    assert end.code == 0, end.code
print("OPENED", len(opened), sorted({Path(name).name for name in opened if "truth" in Path(name).name.lower()}), file=sys.stderr)
"""


def test_no_truth_is_opened_while_a_question_is_answered(workspace: Path) -> None:
    for folder in (workspace, workspace / "evidence"):
        (folder / "truth.yaml").write_text("questions: []\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(workspace / "questionnaire.csv"), str(workspace)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    _, number, names = done.stderr.strip().rsplit("\n", 1)[-1].split(" ", 2)
    assert int(number) > 10
    assert names == "[]"
