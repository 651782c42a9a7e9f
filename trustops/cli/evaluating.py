"""eval: grade a run against a truth file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say, table


def eval_run(
    file: Annotated[Path, typer.Argument(help="The questionnaire.")],
    truth: Annotated[Path, typer.Option("--truth", help="The truth file.")],
    workspace: Workspace = HERE,
    drills: Annotated[bool, typer.Option("--drills/--no-drills", help="Also the drills with dishonest or failing seats.")] = True,
    answers: Annotated[bool, typer.Option("--model-answers", help="Also the truth file's own model answers through the rules.")] = False,
    as_json: AsJson = False,
) -> int:
    """Grade an honest run, and the drills, against a truth file. Exit 0 all gates pass, 1 one failed, 2 could not run."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.evaluation.harness import evaluate
    from trustops.evaluation.report import as_document, gates

    told = evaluate(
        truth,
        workspace,
        file,
        open_office=assembly.office,
        connect=assembly.provider_at,
        drills=drills,
        model_answers=answers,
        progress=None if as_json else say,
    )
    if as_json:
        emit(as_document(told))
        return 0 if all(g.ok for g in gates(told)) else 1
    rows = [(escape(g.name), escape(g.value), escape(g.wanted), "[green]ok[/]" if g.ok else "[red]missed[/]") for g in gates(told)]
    table(f"{truth.name}: {len(told.graded)} questions, {told.commands}", ("figure", "reached", "wanted", ""), rows)
    for name, value in told.figures.items():
        say(f"  {name}: {value}")
    return 0 if all(g.ok for g in gates(told)) else 1
