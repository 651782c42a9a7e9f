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
    from trustops import assembly, settings
    from trustops.operations.recording import record as write
    from trustops.operations.recording import spoken

    made = write(assembly.office(workspace), run, out, secrets=settings.secrets())
    origins = ", ".join(spoken(made.calls)) or "none"
    if as_json:
        emit(
            {"file": str(out), "run": run, "questions": len(made.questions), "calls": len(made.calls), "origins": list(spoken(made.calls))}
        )
        return
    say(f"{out}: {len(made.questions)} questions, {len(made.calls)} calls ({origins}), {len(made.passages)} passages.")
    say(f"Anyone with this version replays it without a network: trustops replay {out}")


def replay(
    case: Annotated[str, typer.Argument(help="A golden case (Q-005), a shipped recording (q-005-v1), or a file of `trustops record`.")],
    keep: Annotated[Path | None, typer.Option("--record", help="Of a golden case: the folder for recordings of its runs.")] = None,
    as_json: AsJson = False,
) -> int:
    """Run a golden case, or a recording without any model, through the real machine. Never labelled live; exit 1 where a step differs."""
    from rich.markup import escape

    from trustops.domain.errors import UsageError
    from trustops.roster import shipped

    ours = shipped("golden") / "recordings" / f"{case}.jsonl"
    file = next((path for path in (Path(case), ours) if path.is_file()), None)
    if file is not None and keep is not None:
        raise UsageError("a recording is not recorded again", where=str(file), remedy="--record goes with a golden case.")
    played = _recording(file) if file is not None else _golden(case, keep)
    if as_json:
        emit(
            {
                "case": played.case,
                "execution_mode": played.execution_mode,
                "origin": played.origin,
                "steps": [{"name": s.name, "expected": s.expected, "actual": s.actual, "ok": s.ok} for s in played.steps],
                "passed": played.passed,
                "note": played.note,
            }
        )
        return 0 if played.passed else 1
    rows = [(escape(s.name), escape(s.expected), escape(s.actual), "[green]ok[/]" if s.ok else "[red]differs[/]") for s in played.steps]
    table(f"{played.case}  [{played.execution_mode}, {played.origin}]".replace("[", "\\["), ("step", "expected", "actual", ""), rows)
    say("All steps as expected." if played.passed else "At least one step differs.")
    if played.note:
        say(played.note)
    return 0 if played.passed else 1


def _golden(case: str, keep: Path | None) -> Played:
    from trustops import assembly
    from trustops.evaluation.cases import load_case
    from trustops.evaluation.replay import replay_case

    return replay_case(load_case(case), assembly.office, assembly.provider_at, keep)


def _recording(file: Path) -> Played:
    """A step a question: digests of all that was decided, and the first part that differs."""
    from trustops import assembly
    from trustops.evaluation.record import Step
    from trustops.evaluation.replay import Played
    from trustops.operations.recording import load
    from trustops.operations.replaying import rules_now

    recording = load(file)
    then, now = recording.header.gate_version, rules_now(recording)
    note = f"It was recorded with rules {then}; these are {now}." if then and then != now else ""
    steps = tuple(
        Step(r.question, r.recorded, f"{r.replayed} ({r.differs})" if r.differs else r.replayed, not r.differs)
        for r in assembly.replay(recording)
    )
    return Played(recording.header.run.id, "TEST", "RECORDED", steps, note)
