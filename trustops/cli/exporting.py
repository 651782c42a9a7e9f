"""export: cleared answers in the customer's own file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustops.cli.options import HERE, AsJson, SignIn, Workspace, acting, review_named
from trustops.cli.screen import emit, say

SHOWN = 20


def export(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")],
    to: Annotated[str, typer.Option("--to", help="The customer who receives it.")],
    by: Annotated[str, typer.Option("--by", help="Who sends it: analyst, approver or admin; goes on record.")] = "",
    review: Annotated[str | None, typer.Argument(help="A review; the newest one when left out.")] = None,
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Write cleared answers into a copy of the original file, with receipt, bundle and gap register. Nothing cleared: exit 1."""
    from trustops.operations.exporting import export as write_export

    office = acting(workspace, sign_in)
    made = write_export(office, review_named(office, review), out, to=to, by=by)
    if as_json:
        emit(
            {
                "file": str(made.file),
                "receipt": str(made.receipt),
                "bundle": str(made.bundle),
                "exported": list(made.exported),
                "withheld": [{"ref": ref, "reasons": list(reasons)} for ref, reasons in made.withheld],
                "replaced": [cell.model_dump() for cell in made.parts.replaced],
                "parts": {"identical": made.parts.identical, "changed": list(made.parts.changed)},
                "execution_mode": made.execution_mode,
            }
        )
        return
    say(f"{made.file}: {len(made.exported)} answers [{made.execution_mode}], {len(made.withheld)} withheld.")
    say(f"{made.parts.identical} parts of the file are byte-identical; changed: {', '.join(made.parts.changed)}.")
    for cell in made.parts.replaced[:SHOWN]:
        say(f"Replaced in {cell.sheet}!{cell.cell}: {' '.join(cell.was.split())[:80]!r} stood there before.")
    if len(made.parts.replaced) > SHOWN:
        say(f"Replaced in {len(made.parts.replaced) - SHOWN} more cells; the receipt lists them all.")
    say(f"Receipt {made.receipt}, gap register {made.gap_register}, OSCAL {made.assessment_results}.")
    if made.signed:
        say(f"Bundle {made.bundle}, signed. Anyone checks it with: trustops verify {made.bundle}")
    else:
        say(f"Bundle {made.bundle}, signature: none. There is no signing key yet: `trustops keys init`, then export again.")
