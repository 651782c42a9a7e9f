"""Signing in: who acts. `--by NAME` is asserted; who shows the token that an admin made for them is authenticated.

Until an admin of `[people]` holds a token, an asserted one may make the first; from then on tokens are made and revoked by an
authenticated admin. Who lost the only one enters another admin in trustops.toml, which is where people come from.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime

from trustops.domain.approval import Identity, Role
from trustops.domain.credential import Credential, hashed, parsed
from trustops.domain.errors import NotAllowed, Refused, UnknownName
from trustops.operations.office import Office
from trustops.operations.timing import present

REFUSED = "this sign-in token is not known here, or it was revoked"
NOBODY = Credential(person="", id="", salt="00" * 16, scrypt="00" * 32, by="", at=datetime.min)
"""What an unknown token is compared with, so that it takes as long as a known one. No secret is known that opens it."""


def sign_in(office: Office, token: str) -> str:
    """The person whose token this is. Raises NotAllowed, in the same words and the same time for whatever is wrong with it."""
    name, secret = parsed(token)
    found = next((kept for kept in office.ledger.credentials() if kept.id == name), NOBODY)
    if not found.opens(secret) or not found.person:
        raise NotAllowed(REFUSED, remedy="Ask an admin for a new one: `trustops people issue NAME --by ADMIN`.")
    if found.person not in office.people:
        raise NotAllowed(f"{found.person!r} is not among the people of this organisation any more", remedy="See [people] in trustops.toml.")
    return found.person


def identity_of(office: Office, by: str) -> Identity:
    """Authenticated where this very person signed in. Raises NotAllowed where somebody else did: nobody acts under two names."""
    if not office.signed_in:
        return Identity.ASSERTED
    if by != office.signed_in:
        raise NotAllowed(f"{office.signed_in} signed in, and this is in the name of {by!r}", remedy=f"Say --by {office.signed_in!r}.")
    return Identity.AUTHENTICATED


def issue(office: Office, person: str, *, by: str) -> str:
    """A new token for a person, which replaces the one before. It is given once and kept nowhere."""
    if person not in office.people:
        raise UnknownName(f"{person!r} is not among the people", where="trustops.toml", remedy="Enter the person under [people] first.")
    with office.ledger.writing(durable=True):
        _admin(office, by)
        kept, token = _made(person, by, present(office))
        office.ledger.append_credential(kept)
    return token


def _made(person: str, by: str, at: datetime) -> tuple[Credential, str]:
    salt, secret, name = secrets.token_bytes(16), secrets.token_urlsafe(32), secrets.token_hex(4)
    return Credential(person=person, id=name, salt=salt.hex(), scrypt=hashed(secret, salt).hex(), by=by, at=at), f"tops_{name}_{secret}"


def revoke(office: Office, person: str, *, by: str) -> Credential:
    """Ends a person's token, at once and for good; the person may be gone from `[people]`. Revoking twice is refused."""
    with office.ledger.writing(durable=True):
        _admin(office, by)
        held = next((kept for kept in office.ledger.credentials() if kept.person == person), None)
        if held is None or held.revoked:
            raise Refused(f"{person!r} holds no token", where=office.organisation, remedy="`trustops people list` shows who does.")
        ended = held.model_copy(update={"revoked": True, "by": by, "at": present(office)})
        office.ledger.append_credential(ended)
    return ended


def holders(office: Office) -> dict[str, Credential]:
    """The token in force of each person who has one."""
    return {kept.person: kept for kept in office.ledger.credentials() if not kept.revoked}


def _admin(office: Office, by: str) -> None:
    if office.people.get(by) is not Role.ADMIN:
        raise NotAllowed(f"{by!r} is no admin of this organisation", remedy="See [people] in trustops.toml.")
    signed = identity_of(office, by) is Identity.AUTHENTICATED
    if not signed and _any_admin(office, holders(office)):
        raise NotAllowed("an admin holds a token, so tokens are made by who signed in", remedy="Set TRUSTOPS_TOKEN, or give --sign-in.")


def _any_admin(office: Office, held: Iterable[str]) -> bool:
    return any(office.people.get(person) is Role.ADMIN for person in held)
