"""people: who may do what, and who can show that it is them."""

from __future__ import annotations

from typing import Annotated

import typer

from trustops.cli.options import HERE, AsJson, By, SignIn, Workspace, acting
from trustops.cli.screen import emit, say, table

Person = Annotated[str, typer.Argument(help="As named under [people] in trustops.toml.")]


def people_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Everybody of [people] with the role, and who holds a sign-in token."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.signing_in import holders

    office = assembly.office(workspace)
    held = holders(office)
    told = [
        {"person": name, "role": role, "token": kept.id if kept else None, "since": kept.at.isoformat() if kept else None}
        for name, role, kept in [
            *((name, role.value, held.get(name)) for name, role in sorted(office.people.items())),
            *((name, "", kept) for name, kept in held.items() if name not in office.people),  # gone, and their token opens nothing
        ]
    ]
    if as_json:
        emit({"people": told})
        return
    rows = [(escape(str(one["person"])), str(one["role"] or "not in [people]"), str(one["since"] or "asserted only")) for one in told]
    table("", ("person", "role", "holds a token since"), rows)


def people_issue(person: Person, by: By, workspace: Workspace = HERE, sign_in: SignIn = False, as_json: AsJson = False) -> None:
    """Make a person's sign-in token. It is shown once and replaces the one before. --by is an admin."""
    from trustops.operations.signing_in import issue

    token = issue(acting(workspace, sign_in), person, by=by)
    if as_json:
        emit({"person": person, "token": token})
        return
    say(f"{person} signs in with this token, as TRUSTOPS_TOKEN or with --sign-in. It is shown this once:")
    say(token)


def people_revoke(person: Person, by: By, workspace: Workspace = HERE, sign_in: SignIn = False, as_json: AsJson = False) -> None:
    """End a person's token at once. What they approved with it stands. --by is an admin."""
    from trustops.operations.signing_in import revoke

    ended = revoke(acting(workspace, sign_in), person, by=by)
    if as_json:
        emit({"person": ended.person, "revoked": ended.id})
    else:
        say(f"{ended.person}'s token is revoked: it opens nothing any more.")
