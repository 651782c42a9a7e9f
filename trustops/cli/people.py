"""people: who may do what, and who can show that it is them."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from trustops.cli.options import HERE, AsJson, By, SignIn, Workspace, acting
from trustops.cli.screen import emit, say, table
from trustops.domain.credential import Scope

Person = Annotated[str, typer.Argument(help="As named under [people] in trustops.toml.")]


def people_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Everybody of [people] with the role, and how they can sign in: tokens, and a password for the console."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.signing_in import holders

    office = assembly.office(workspace)
    held, passwords = holders(office), office.ledger.passwords()
    everybody = [*sorted(office.people), *sorted(name for name in held if name not in office.people)]  # gone, and it opens nothing
    told = []
    for name in everybody:
        tokens = held.get(name, ())
        role = office.people[name].value if name in office.people else ""
        kept = next((each for each in tokens if not each.label), None)
        told.append(
            {
                "person": name,
                "role": role,
                "password": name in passwords and bool(passwords[name].argon2),
                "token": kept.id if kept else None,
                "since": kept.at.isoformat() if kept else None,
                "tokens": [each.model_dump(mode="json", include={"id", "label", "scopes", "at", "expires_at"}) for each in tokens],
            }
        )
    if as_json:
        emit({"people": told})
        return
    rows = [(escape(str(one["person"])), str(one["role"] or "not in [people]"), escape(_ways(one))) for one in told]
    table("", ("person", "role", "signs in with"), rows)


def _ways(one: dict[str, object]) -> str:
    tokens = one["tokens"]
    assert isinstance(tokens, list)
    told = ["a password"] if one["password"] else []
    for each in tokens:
        until = f" until {str(each['expires_at'])[:10]}" if each["expires_at"] else ""
        told.append(f"token {each['label'] or each['id']} ({', '.join(each['scopes'])}) since {str(each['at'])[:10]}{until}")
    return "; ".join(told) or "asserted only"


def people_issue(
    person: Person,
    by: By,
    scope: Annotated[list[Scope] | None, typer.Option("--scope", help="What it is for; may be given again. All when left out.")] = None,
    days: Annotated[int | None, typer.Option("--days", help="It ends after so many days.", min=1, max=366)] = None,
    label: Annotated[str, typer.Option("--label", help="A second token beside the person's own, such as ci.")] = "",
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Make a person's sign-in token. It is shown once and replaces the one before of the same label. --by is an admin."""
    from trustops.operations.signing_in import issue

    lasts = timedelta(days=days) if days else None
    token = issue(acting(workspace, sign_in), person, by=by, label=label, scopes=tuple(scope or Scope), lasts=lasts)
    if as_json:
        emit({"person": person, "token": token})
        return
    say(f"{person} signs in with this token, as TRUSTOPS_TOKEN or with --sign-in. It is shown this once:")
    say(token)


def people_invite(person: Person, by: By, workspace: Workspace = HERE, sign_in: SignIn = False, as_json: AsJson = False) -> None:
    """Make a link with which a person sets a password for the console, once, within a day. --by is an admin."""
    from trustops import settings
    from trustops.operations.inviting import invite

    key = invite(acting(workspace, sign_in), person, by=by)
    link = f"{settings.load(workspace).server.url.rstrip('/')}/sign-in/link?key={key}"
    if as_json:
        emit({"person": person, "link": link})
        return
    say(f"{person} sets a password with this link, at the address of the service, once and within a day. It is shown this once:")
    say(link)


def people_revoke(
    person: Person,
    by: By,
    label: Annotated[str | None, typer.Option("--label", help="Only the token of this label.")] = None,
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """End every way in which a person signs in: tokens, password, open sessions. What they approved stands. --by is an admin."""
    from trustops.operations.signing_in import revoke

    ended = revoke(acting(workspace, sign_in), person, by=by, label=label)
    if as_json:
        emit({"person": person, "revoked": [kept.id for kept in ended]})
    else:
        say(
            f"{person} is signed out, and no {'token of that label' if label is not None else 'token or password'} opens anything any more."
        )
