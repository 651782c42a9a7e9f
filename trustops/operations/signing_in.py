"""Signing in: who acts. `--by NAME` is asserted; who shows a token that an admin made for them is authenticated.

Until an admin of `[people]` can sign in, an asserted one may make the first token; from then on tokens are made and revoked by an
authenticated admin. Who lost the only one enters another admin in trustops.toml, which is where people come from.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from trustops.domain.approval import Identity, Role
from trustops.domain.credential import Credential, Scope, hashed, parsed
from trustops.domain.errors import NotAllowed, Refused, UnknownName
from trustops.domain.session import Password
from trustops.operations.office import Office
from trustops.operations.timing import present

REFUSED = "this sign-in token is not known here, or it was revoked"
NOBODY = Credential(person="", id="", salt="00" * 16, scrypt="00" * 32, by="", at=datetime.min)
"""What an unknown token is compared with, so that it takes as long as a known one. No secret is known that opens it."""
LONGEST = timedelta(days=366)
"""The furthest end that a token may have."""


class Opened:
    """Tokens that opened something in this process: a second look at one costs a digest instead of a scrypt hash. What is on record is
    read each time, so a token that was revoked or replaced opens nothing, here as elsewhere."""

    def __init__(self, most: int = 1024) -> None:
        self._most = most
        self._marks: dict[bytes, str] = {}

    def opens(self, kept: Credential, secret: str) -> bool:
        """Whether the token's secret is the one that was kept."""
        mark = _mark(kept.id, secret)
        if self._marks.get(mark) == kept.scrypt:
            return not kept.revoked
        if not kept.opens(secret):
            return False
        if len(self._marks) >= self._most:
            self._marks.pop(next(iter(self._marks)), None)
        self._marks[mark] = kept.scrypt
        return True

    def remembers(self, name: str, secret: str) -> bool:
        """Whether this token opened something before."""
        return _mark(name, secret) in self._marks


def _mark(name: str, secret: str) -> bytes:
    return hashlib.sha256(f"{name}:{secret}".encode()).digest()


def sign_in(office: Office, token: str) -> str:
    """The person whose token this is. Raises NotAllowed, in the same words and the same time for whatever is wrong with it."""
    return credential_of(office, token).person


def credential_of(office: Office, token: str, opened: Opened | None = None) -> Credential:
    """The record of a token that opens. Raises as `sign_in` does."""
    name, secret = parsed(token)
    found = next((kept for kept in office.ledger.credentials() if kept.id == name), NOBODY)
    opens = (opened or Opened()).opens(found, secret)
    if not opens or not found.person or found.ended(office.clock.now()):
        raise NotAllowed(REFUSED, remedy="Ask an admin for a new one: `trustops people issue NAME --by ADMIN`.")
    if found.person not in office.people:
        raise NotAllowed(f"{found.person!r} is not among the people of this organisation any more", remedy="See [people] in trustops.toml.")
    return found


def identity_of(office: Office, by: str, scope: Scope) -> Identity:
    """Authenticated where this very person signed in. Raises NotAllowed where somebody else did (nobody acts under two names), and where
    the token that was shown is not for this."""
    if not office.signed_in:
        return Identity.ASSERTED
    if by != office.signed_in:
        raise NotAllowed(f"{office.signed_in} signed in, and this is in the name of {by!r}", remedy=f"Say --by {office.signed_in!r}.")
    if scope not in office.scopes:
        held = ", ".join(sorted(office.scopes)) or "nothing"
        raise NotAllowed(f"this token is for {held}, not to {scope}", remedy=f"Use one that was issued with --scope {scope}.")
    return Identity.AUTHENTICATED


def issue(
    office: Office, person: str, *, by: str, label: str = "", scopes: Sequence[Scope] = tuple(Scope), lasts: timedelta | None = None
) -> str:
    """A new token for a person, which replaces the one of the same label. It is given once and kept nowhere. `lasts` is for how long."""
    if person not in office.people:
        raise UnknownName(f"{person!r} is not among the people", where="trustops.toml", remedy="Enter the person under [people] first.")
    if lasts is not None and not timedelta() < lasts <= LONGEST:
        raise Refused(f"a token lasts {LONGEST.days} days at most", remedy="Issue another when it ends.")
    with office.ledger.writing(durable=True):
        allowed(office, by)
        at = present(office)
        kept, token = _made(person, by, at)
        end = at + lasts if lasts else None
        wide = tuple(scope for scope in Scope if scope in scopes or scope is Scope.READ)
        office.ledger.append_credential(kept.model_copy(update={"label": label, "scopes": wide, "expires_at": end}))
    return token


def _made(person: str, by: str, at: datetime) -> tuple[Credential, str]:
    salt, secret, name = secrets.token_bytes(16), secrets.token_urlsafe(32), secrets.token_hex(4)
    return Credential(person=person, id=name, salt=salt.hex(), scrypt=hashed(secret, salt).hex(), by=by, at=at), f"tops_{name}_{secret}"


def revoke(office: Office, person: str, *, by: str, label: str | None = None) -> tuple[Credential, ...]:
    """Ends a person's token of a label; without a label all their tokens, their password and their sessions, at once and for good. The
    person may be gone from `[people]`. Revoking what is not there is refused."""
    with office.ledger.writing(durable=True):
        allowed(office, by)
        at = present(office)
        held = [kept for kept in _valid(office) if kept.person == person and label in (None, kept.label)]
        ended = tuple(kept.model_copy(update={"revoked": True, "by": by, "at": at}) for kept in held)
        for kept in ended:
            office.ledger.append_credential(kept)
        shut = _shut(office, person, by, at) if label is None else False
        if not ended and not shut:
            raise Refused(f"{person!r} holds no token", where=office.organisation, remedy="`trustops people list` shows who does.")
    return ended


def _shut(office: Office, person: str, by: str, at: datetime) -> bool:
    """Takes away password, sessions and a link that was not used; whether there was anything to take."""
    kept, link = office.ledger.passwords().get(person), office.ledger.links().get(person)
    if link is not None and not link.used:
        office.ledger.append_link(link.model_copy(update={"used": True}))
    if kept is not None and kept.argon2:
        office.ledger.append_password(Password(person=person, argon2="", by=by, at=at))
    alive = [held for held in office.ledger.sessions(person) if held.alive(at, office.stay.idle)]
    for held in alive:
        office.ledger.mark_session(held.session.id, "ended", at=at)
    return bool(alive) or (kept is not None and bool(kept.argon2))


def holders(office: Office) -> dict[str, tuple[Credential, ...]]:
    """The tokens in force of each person who has one."""
    found: dict[str, tuple[Credential, ...]] = {}
    for kept in _valid(office):
        found[kept.person] = (*found.get(kept.person, ()), kept)
    return found


def _valid(office: Office) -> list[Credential]:
    now = office.clock.now()
    return [kept for kept in office.ledger.credentials() if not kept.revoked and not kept.ended(now)]


def allowed(office: Office, by: str) -> None:
    """Refuses whoever may not say how people sign in: no admin, or not signed in although an admin could be."""
    if office.people.get(by) is not Role.ADMIN:
        raise NotAllowed(f"{by!r} is no admin of this organisation", remedy="See [people] in trustops.toml.")
    signed = identity_of(office, by, Scope.ADMIN) is Identity.AUTHENTICATED
    if not signed and any_admin(office):
        raise NotAllowed("an admin can sign in, so this is done by who signed in", remedy="Set TRUSTOPS_TOKEN, or give --sign-in.")


def any_admin(office: Office) -> bool:
    """Whether an admin holds a token or a password."""
    opening = {kept.person for kept in _valid(office) if Scope.ADMIN in kept.scopes}
    opening |= {person for person, kept in office.ledger.passwords().items() if kept.argon2}
    return any(office.people.get(person) is Role.ADMIN for person in opening)
