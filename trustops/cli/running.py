"""resume, pause and cancel: what becomes of a run that is interrupted."""

from __future__ import annotations

from typing import Annotated

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.reviewing import finish, progress_for
from trustops.cli.screen import emit, say


def resume(
    run: Annotated[str | None, typer.Argument(help="A run; the newest one that was left behind when left out.")] = None,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Go on with a run after a crash, a stop or a pause: what is decided stays, no model call that came back is paid twice. Where all runs
    are over, ask again for the questions of which a seat gave nothing usable."""
    from trustops import assembly
    from trustops.operations.resuming import go_on

    office = assembly.office(workspace, durable=True)
    progress = progress_for(as_json)
    finish(office, lambda: go_on(office, run, progress), as_json, progress)


def pause(
    run: Annotated[str, typer.Argument(help="A run, such as R-0123456789ab.1.")], workspace: Workspace = HERE, as_json: AsJson = False
) -> None:
    """Let a run rest. A process that works on it begins no new question and ends those in work; `trustops resume` goes on."""
    from trustops import assembly
    from trustops.operations.resuming import pause as rest

    resting = rest(assembly.office(workspace, durable=True), run, lambda kind, question, data: None)
    if as_json:
        emit({"run": resting.id, "state": "RUNNING", "paused": True})
    else:
        say(f"Run {resting.id} is paused: no new question is begun. `trustops resume {resting.id}` goes on.")


def cancel(
    run: Annotated[str, typer.Argument(help="A run, such as R-0123456789ab.1.")], workspace: Workspace = HERE, as_json: AsJson = False
) -> None:
    """End a run in the books. What it decided stays; a process that works on it breaks off within a second."""
    from trustops import assembly
    from trustops.operations.resuming import cancel as end

    ended = end(assembly.office(workspace, durable=True), run, lambda kind, question, data: None)
    if as_json:
        emit({"run": ended.id, "state": "CANCELLED"})
    else:
        say(f"Run {ended.id} is cancelled. What it decided stays; `trustops recheck` runs questions again.")
