"""replay: a golden case, each expectation beside the actual value."""

from __future__ import annotations

from typing import Annotated

import typer

from trustops.cli.options import AsJson
from trustops.cli.screen import emit, say, table


def replay(case: Annotated[str, typer.Argument(help="A golden case, such as Q-005 or G-004.")], as_json: AsJson = False) -> int:
    """Run a golden case through the real machine with scripted or offline seats. Never labelled live; exit 1 where a step fails."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.evaluation.cases import load_case
    from trustops.evaluation.replay import replay_case

    played = replay_case(load_case(case), assembly.office, assembly.provider_at)
    if as_json:
        emit(
            {
                "case": played.case,
                "execution_mode": played.execution_mode,
                "origin": played.origin,
                "steps": [{"name": s.name, "expected": s.expected, "actual": s.actual, "ok": s.ok} for s in played.steps],
                "passed": played.passed,
            }
        )
        return 0 if played.passed else 1
    rows = [(escape(s.name), escape(s.expected), escape(s.actual), "[green]ok[/]" if s.ok else "[red]differs[/]") for s in played.steps]
    table(f"{played.case}  [{played.execution_mode}, {played.origin}]".replace("[", "\\["), ("step", "expected", "actual", ""), rows)
    say("All steps as expected." if played.passed else "At least one step differs.")
    return 0 if played.passed else 1
