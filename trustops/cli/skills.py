"""skills: what the seats can do, and what the house taught them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, By, Workspace
from trustops.cli.screen import emit, say, table


def skills_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Every skill with its version, its seats, its contract, and whether it is used."""
    from rich.markup import escape

    from trustops.operations.learning import known_skills

    known = known_skills(workspace)
    if as_json:
        emit({"skills": [_told(each) for each in known]})
        return
    rows = [
        (
            escape(each.skill.name),
            each.skill.version,
            each.skill.kind.value,
            ", ".join(each.skill.agents),
            each.skill.permission.value,
            f"{each.skill.timeout_s:g} s x {each.skill.attempts}",
            each.trouble or "used",
        )
        for each in known
    ]
    table("", ("skill", "version", "kind", "seats", "may", "time", ""), rows)


def skills_add(
    folder: Annotated[Path, typer.Argument(help="The folder that holds SKILL.md.")],
    by: By,
    despite: Annotated[str, typer.Option("--despite", help="Why it is let in although the scan flags it.")] = "",
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Admit a skill: it is copied into the workspace and pinned by digest in skills.lock. Admins only."""
    from trustops import settings
    from trustops.operations.learning import add_skill
    from trustops.operations.office import WallClock

    people = settings.load(workspace).people
    made = add_skill(workspace, folder, by=by, people=people, at=WallClock().now(), despite=despite)
    if as_json:
        emit(_told(made))
        return
    say(f"{made.skill.name} {made.skill.version} is admitted for {', '.join(made.skill.agents)} ({made.skill.digest[:12]}).")
    for flag in made.flags:
        say(f"  let in although {flag.where} {flag.what}")


def skills_check(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Whether every skill of the workspace is what was admitted, and what the scan says of each."""
    from trustops.operations.learning import known_skills

    known = [each for each in known_skills(workspace) if each.skill.origin == "workspace"]
    if as_json:
        emit({"skills": [_told(each) for each in known], "ok": not any(each.trouble for each in known)})
    else:
        for each in known:
            say(f"{each.skill.name} {each.skill.version}: {each.trouble or 'as admitted'}")
            for flag in each.flags:
                say(f"  {flag.code} {flag.where} {flag.what}")
        if not known:
            say("The workspace has no skills of its own.")
    if any(each.trouble for each in known):
        raise typer.Exit(1)


def _told(known: Any) -> dict[str, Any]:
    skill = known.skill
    return {
        "name": skill.name,
        "version": skill.version,
        "kind": skill.kind.value,
        "origin": skill.origin,
        "agents": list(skill.agents),
        "permission": skill.permission.value,
        "timeout_seconds": skill.timeout_s,
        "max_attempts": skill.attempts,
        "idempotent": skill.idempotent,
        "digest": skill.digest,
        "trouble": known.trouble,
        "flags": [{"code": flag.code, "where": flag.where, "what": flag.what} for flag in known.flags],
        "admitted": known.entry.model_dump(mode="json") if known.entry else None,
    }
