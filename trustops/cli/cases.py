"""record and replay: a run as a file; a golden case or a recording, each expectation beside the actual value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say, table

if TYPE_CHECKING:
    from trustops.evaluation.replay import Played


def record(
    run: Annotated[str, typer.Argument(help="A run, as `trustops status --json` names it.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write; .gz packs it.")],
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Write a run as one self-contained file: evidence, readings, replies, decisions. As internal as the documents in it."""
    from trustops import assembly
    from trustops.operations.recording import record as write
    from trustops.operations.recording import spoken

    made = write(assembly.office(workspace), run, out)
    origins = ", ".join(spoken(made.calls)) or "none"
    if as_json:
        emit(
            {"file": str(out), "run": run, "questions": len(made.questions), "calls": len(made.calls), "origins": list(spoken(made.calls))}
        )
        return
    say(f"{out}: {len(made.questions)} questions, {len(made.calls)} calls ({origins}), {len(made.passages)} passages.")
    say(f"Anyone with this version replays it without a network: trustops replay {out}")


def replay(
    case: Annotated[str, typer.Argument(help="A golden case, such as Q-005 or G-004, or a file of `trustops record`.")],
    as_json: AsJson = False,
) -> int:
    """Run a golden case, or a recording without any model, through the real machine. Never labelled live; exit 1 where a step differs."""
    from rich.markup import escape

    played = _recording(Path(case)) if Path(case).is_file() else _golden(case)
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


def _golden(case: str) -> Played:
    from trustops import assembly
    from trustops.evaluation.cases import load_case
    from trustops.evaluation.replay import replay_case

    return replay_case(load_case(case), assembly.office, assembly.provider_at)


def _recording(file: Path) -> Played:
    """A step a question: digests of all that was decided, and the first part that differs."""
    from trustops import assembly
    from trustops.evaluation.replay import Played, Step
    from trustops.operations.recording import load

    recording = load(file)
    steps = tuple(
        Step(r.question, r.recorded, f"{r.replayed} ({r.differs})" if r.differs else r.replayed, not r.differs)
        for r in assembly.replay(recording)
    )
    return Played(recording.header.run.id, "TEST", "RECORDED", steps)
