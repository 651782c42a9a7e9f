"""Links that let a person set a password, once and for a short time: how the first admin comes in, and everybody after."""

from __future__ import annotations

import secrets
from datetime import timedelta

from trustops.domain.approval import Role
from trustops.domain.errors import NotAllowed, UnknownName
from trustops.domain.session import Link, fingerprint
from trustops.operations.office import Office
from trustops.operations.passwords import set_password
from trustops.operations.sessions import alive
from trustops.operations.signing_in import allowed, any_admin
from trustops.operations.timing import present

FIRST, LATER = timedelta(hours=1), timedelta(hours=24)
"""How long a link lasts that the service prints at its start, and one that an admin makes for somebody."""
SERVICE = "service"
"""Who makes the first link: whoever may read what the service prints could also write trustops.toml."""
REFUSED = "this link was used, replaced or is too old"


def first_link(office: Office) -> tuple[str, str] | None:
    """Person and key of a link for the first admin; None where an admin can sign in already, or where there is none."""
    admin = next((person for person, role in office.people.items() if role is Role.ADMIN), None)
    if admin is None or any_admin(office):
        return None
    return admin, _made(office, admin, SERVICE, FIRST)


def invite(office: Office, person: str, *, by: str) -> str:
    """The key of a link for a person; it replaces the one before. It is given once and kept nowhere."""
    if person not in office.people:
        raise UnknownName(f"{person!r} is not among the people", where="trustops.toml", remedy="Enter the person under [people] first.")
    with office.ledger.writing(durable=True):
        allowed(office, by)
        return _made(office, person, by, LATER)


def _made(office: Office, person: str, by: str, lasts: timedelta) -> str:
    key, at = secrets.token_urlsafe(32), present(office)
    office.ledger.append_link(Link(person=person, id=fingerprint(key), by=by, at=at, expires_at=at + lasts))
    return key


def invited(office: Office, key: str) -> str:
    """Whose link this key is. Raises NotAllowed where it opens nothing."""
    return _found(office, key).person


def accept(office: Office, key: str, password: str) -> str:
    """Sets the password, uses the link up and ends the sessions that the person had, all or nothing: who asks for a new password may have
    lost the old one to somebody. Raises as `invited` and `set_password` do."""
    with office.ledger.writing(durable=True):
        link = _found(office, key)
        set_password(office, link.person, password, by=link.person)
        office.ledger.append_link(link.model_copy(update={"used": True}))
        for held in alive(office, link.person):
            office.ledger.mark_session(held.session.id, "ended", at=present(office))
    return link.person


def _found(office: Office, key: str) -> Link:
    now = office.clock.now()
    found = next((link for link in office.ledger.links().values() if link.opens(key, now)), None)
    if found is None or found.person not in office.people:
        raise NotAllowed(REFUSED, remedy="Ask an admin for a new one: `trustops people invite NAME --by ADMIN`.")
    return found
