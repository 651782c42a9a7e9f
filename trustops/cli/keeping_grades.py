"""Grades of an evaluation in the store of the workspace that ran it. The verdict stands whatever becomes of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trustops.cli.screen import harmless, say

if TYPE_CHECKING:
    from trustops.operations.grading import Task

STATE = ".trustops"


def keep_grades(workspace: Path, tasks: Sequence[Task]) -> dict[str, int] | None:
    """How many were made now, of how many; None where there was nothing to keep, or no workspace with a store to keep it in (a shipped
    folder gets none by being read), or keeping it failed, which is told on stderr."""
    if not tasks or not (workspace / "trustops.toml").is_file() or not (workspace / STATE).is_dir():
        return None
    from trustops import assembly
    from trustops.domain.errors import TrustOpsError
    from trustops.operations.grading_evaluations import keep_evaluated

    try:
        told = keep_evaluated(assembly.office(workspace), tasks)
    except (TrustOpsError, ValueError, LookupError, TypeError, OSError) as failed:
        sys.stderr.write(f"scores: {harmless(' '.join(str(failed).split()))} The evaluation stands; its grades were not kept.\n")
        return None
    return {"made": told.made, "of": told.of}


def say_grades(kept: dict[str, int] | None) -> None:
    """What was kept, and what had been before."""
    if kept is None:
        return
    known = kept["of"] - kept["made"]
    again = f" {known} are on record from an earlier, identical evaluation and count once." if known else ""
    say(f"{kept['made']} grades of seats and skills kept as EVALUATION, apart from those of product runs.{again}")
