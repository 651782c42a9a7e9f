"""eval capability: the dimensions B1 to M1 on the demo organisation, each figure beside its threshold."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say, table

if TYPE_CHECKING:
    from trustops.evaluation.capability_judging import Bank
    from trustops.evaluation.capability_suite import Report


def eval_capability(
    dimension: Annotated[list[str] | None, typer.Option("--dimension", help="Only this one (B1 ... M1); may be given again.")] = None,
    model: Annotated[bool, typer.Option("--model", help="Judge the model that the workspace is configured with; else the rules.")] = False,
    judge: Annotated[str, typer.Option("--judge", help="The profile of the judges; what needs one is not measured without.")] = "",
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Play the capability dimensions. Exit 1 where a threshold that is set and was measured does not hold."""
    from trustops import assembly
    from trustops.evaluation.capability_stage import Stage
    from trustops.evaluation.capability_suite import cases_of, run

    cases = cases_of(dimension or ())
    with TemporaryDirectory() as scratch:
        stage = Stage(assembly.offline, Path(scratch), assembly.client_of(workspace) if model else None)
        try:
            bank = _bank(workspace, judge) if judge else None
            made = run(cases, stage, progress=(lambda text: None) if as_json else say, bank=bank)
        finally:
            stage.close()
    if as_json:
        emit(_told(made))
    else:
        _say(made)
    if made.failed:
        raise typer.Exit(1)


def _bank(workspace: Path, judge: str) -> Bank:
    """The judges of a profile, with what the workspace knows of them."""
    from trustops import assembly, roster
    from trustops.evaluation.calibrating import calibrations
    from trustops.evaluation.capability_judging import Bank

    office = assembly.offline(workspace)
    return Bank(assembly.profile_client(workspace, judge), roster.load(workspace), calibrations(office))


def _told(made: Report) -> dict[str, Any]:
    from trustops.evaluation.capability_suite import dimension_state

    return {
        "real_model": made.real_model,
        "dimensions": {
            name: {
                "group_a": None if means[0] is None else float(means[0]),
                "group_b": None if means[1] is None else float(means[1]),
                "threshold": None if (bar := made.thresholds.dimensions.get(name)) is None else float(bar),
                "state": dimension_state(name, means, made.thresholds).value,
            }
            for name, means in made.means.items()
        },
        "metrics": [{**row.measured.model_dump(mode="json"), "state": row.state.value} for row in made.rows],
        "cases": [
            {"case_id": one.case.case_id, "dimension": one.case.dimension, "short": list(one.short), "skipped": one.skipped}
            for one in made.played
        ],
        "failed": list(made.failed),
    }


def _say(made: Report) -> None:
    told = _told(made)
    rows = [
        (name, _number(d["group_a"]), _number(d["group_b"]), _number(d["threshold"]), d["state"]) for name, d in told["dimensions"].items()
    ]
    served = "a real model" if made.real_model else "rules, no model"
    table(f"Capability, served by {served}", ("dimension", "without skills", "with skills", "threshold", ""), rows)
    figures = []
    for row in made.rows:
        value = row.measured.value
        counted = f"{float(row.measured.amount):g}/{row.measured.of}" if value is not None else "-"
        figures.append((row.measured.metric, "NOT_MEASURED" if value is None else f"{value:.3f}", counted, row.state.value))
    table("Figures", ("metric", "value", "counted", "threshold"), figures)
    skipped = [one for one in made.played if one.skipped]
    say(f"{len(made.played)} cases, {len(skipped)} skipped" + (f": {skipped[0].skipped}" if skipped else "."))
    if made.failed:
        say(f"Below their threshold: {', '.join(made.failed)}.")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
