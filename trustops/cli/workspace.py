"""init, parse, doctor: the workspace, a look at a file, and whether all is connected."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say, table

Folder = Annotated[Path, typer.Argument(help="The folder to make.")]
File = Annotated[Path, typer.Argument(help="The customer's file (xlsx, csv, docx, json).")]


def init(
    folder: Folder,
    demo: Annotated[bool, typer.Option("--demo", help="The demo organisation, with its recorded instant.")] = False,
    name: Annotated[str, typer.Option("--name", help="The organisation's name.")] = "Example Ltd",
    as_json: AsJson = False,
) -> None:
    """Make a workspace; --demo fills it with the demo organisation."""
    from trustops.operations.founding import found

    made = found(folder, name=name, demo=demo)
    if as_json:
        emit({"workspace": str(made.workspace), "questionnaire": str(made.questionnaire) if made.questionnaire else None})
        return
    say(f"Made the workspace {made.workspace}.")
    if made.questionnaire:
        say(f"Next: trustops review {made.questionnaire} -w {made.workspace}")
    else:
        say("Next: put documents into evidence/, enter people in trustops.toml, then `trustops review FILE`.")


def parse(
    file: File,
    map_file: Annotated[Path | None, typer.Option("--map", help="A corrected mapping.")] = None,
    save_map: Annotated[Path | None, typer.Option("--save-map", help="Write the mapping that was found.")] = None,
    against: Annotated[Path | None, typer.Option("--against", help="An older edition of the file: show what changed.")] = None,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Show what would be asked, where each answer goes, and what is skipped and why."""
    from trustops import assembly
    from trustops.domain.errors import UsageError
    from trustops.operations.listing import parse_report

    if not file.is_file():
        raise UsageError("there is no such file", where=str(file))
    state = workspace / ".trustops"
    formats = assembly.Formats(memory=state / "mappings" if state.is_dir() else None)
    if save_map:
        formats.save_mapping(file, save_map)
        if as_json:
            emit({"file": file.name, "mapping": str(save_map)})
            return
        say(f"Wrote {save_map}. Correct it, then use --map {save_map}.")
        return
    found = _read(formats, file, map_file, ask=not as_json and sys.stdin.isatty())
    edition = _edition(formats, against, found) if against else None
    if as_json:
        emit(parse_report(found) | ({"edition": edition_report(edition)} if edition else {}))
        return
    _print_parse(found)
    if edition:
        _print_edition(edition)


def _read(formats: Any, file: Path, map_file: Path | None, *, ask: bool) -> Any:
    """The questions; where the layout is not clear enough a person at the terminal is asked, and nobody else's guess is taken."""
    from trustops.domain.errors import HostileFile, MalformedFile, UsageError

    try:
        found = formats.read(file, map_file)
        return found if not ask or map_file else _more(formats, file, found)
    except (HostileFile, MalformedFile):
        raise
    except UsageError as unsure:
        if not ask or map_file:
            raise
        try:
            guessed = formats.read(file, guess=True)
        except UsageError:
            raise unsure from None
        _print_parse(guessed)
        if not typer.confirm("The layout is not clear. Is this where the questions and answers are?", default=False):
            raise
        return guessed


def _more(formats: Any, file: Path, found: Any) -> Any:
    """Lists that are not clear enough to be taken, beside others that are: a person decides about them."""
    guessed = formats.read(file, guess=True)
    known = {(m.sheet, m.questions) for m in found.mappings}
    unsure = [m for m in guessed.mappings if (m.sheet, m.questions) not in known]
    if not unsure:
        return found
    for m in unsure:
        say(
            f"Perhaps {m.count} questions more: {m.sheet}!{m.questions}, answers {m.answers}, found by {m.by}, confidence {m.confidence} %."
        )
    return guessed if typer.confirm("Are these questions too?", default=False) else found


def _edition(formats: Any, against: Path, found: Any) -> Any:
    from trustops.domain.edition import editions
    from trustops.domain.errors import UsageError

    if not against.is_file():
        raise UsageError("there is no such file", where=str(against))
    return editions(formats.read(against).questions, found.questions)


def edition_report(edition: Any) -> dict[str, Any]:
    """What a newer edition changed, by refs."""
    return {
        "unchanged": [{"old": old.ref, "new": new.ref} for old, new in edition.unchanged],
        "changed": [{"old": c.old.ref, "new": c.new.ref, "diff": c.diff} for c in edition.changed],
        "added": [question.ref for question in edition.added],
        "gone": [question.ref for question in edition.gone],
    }


def _print_edition(edition: Any) -> None:
    from rich.markup import escape

    rows = [("changed", c.old.ref, c.new.ref, escape(c.diff[:200])) for c in edition.changed]
    rows += [("added", "", q.ref, escape(q.text[:90])) for q in edition.added]
    rows += [("gone", q.ref, "", escape(q.text[:90])) for q in edition.gone]
    table(f"{len(edition.unchanged)} questions are unchanged", ("", "old", "new", "what"), rows)


def _asked(question: Any) -> str:
    """The beginning of a question, and under which condition it is asked."""
    text = " ".join(question.text.split())[:90]
    return f"{text}  [only where {' '.join(question.condition.text.split())[:70]}]" if question.condition else text


def _print_parse(found: Any) -> None:
    from rich.markup import escape

    rows = [
        (q.ref, escape(f"{q.sheet}!{q.cell}"), escape(_asked(q)), escape(", ".join(f"{a.cell} {a.part}" for a in q.answers)))
        for q in found.questions
    ]
    table(f"{found.file}: {len(found.questions)} questions", ("ref", "where", "question", "answers"), rows)
    lists = [
        (escape(m.sheet), m.questions, m.answers, str(m.count), escape(m.by), f"{'[yellow]' if m.confidence < 60 else ''}{m.confidence} %")
        for m in found.mappings
    ]
    table("Where they were found", ("sheet", "questions", "answers", "count", "by", "confidence"), lists)
    if found.skipped:
        table("Skipped", ("where", "what", "why"), [(escape(s.where), escape(s.what[:60]), escape(s.why)) for s in found.skipped])


def doctor(workspace: Workspace = HERE, as_json: AsJson = False) -> int:
    """Check configuration, evidence, controls and the model; exit 1 where something is wrong."""
    from rich.markup import escape

    from trustops.assembly.doctor import diagnose

    checks = list(diagnose(workspace))
    if as_json:
        emit({"checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in checks]})
    else:
        rows = [(c.name, "[green]ok[/]" if c.ok else "[red]wrong[/]", escape(c.detail)) for c in checks]
        table("", ("check", "", "detail"), rows)
    return 0 if all(c.ok for c in checks) else 1
