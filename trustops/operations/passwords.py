"""Passwords of local users (RFC 9106, argon2id). What is refused is refused in the same words and after the same work."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from trustops.domain.errors import NotAllowed, UsageError
from trustops.domain.session import Password
from trustops.operations.office import Office
from trustops.operations.timing import present

LEAST, MOST = 12, 256
"""Characters of a password. There are no rules about signs and digits: they make passwords that people write down."""
REFUSED = "name or password is wrong"
HASHER = PasswordHasher()
"""64 MB and three passes, about a tenth of a second."""


def set_password(office: Office, person: str, password: str, *, by: str) -> None:
    """Keeps a person's new password. Raises UsageError where it is too short, too long or the person's own name."""
    where = "password"
    if not LEAST <= len(password) <= MOST:
        raise UsageError(f"a password has {LEAST} to {MOST} characters", where=where, remedy="A sentence is easy to keep in mind.")
    if person.casefold() in password.casefold() and len(password) < len(person) + LEAST:
        raise UsageError("the password is little more than the name", where=where, remedy="Choose words that nobody connects with you.")
    if len(set(password)) < 4:
        raise UsageError("the password repeats a few signs", where=where, remedy="A sentence is easy to keep in mind.")
    office.ledger.append_password(Password(person=person, argon2=HASHER.hash(password), by=by, at=present(office)))


def password_opens(office: Office, person: str, password: str) -> None:
    """Raises NotAllowed where the password is not this person's, whatever is wrong: one look into the books and one hash each time. A hash
    of weaker settings than today's is replaced."""
    kept = office.ledger.passwords().get(person)
    stored = kept.argon2 if kept is not None and kept.argon2 and person in office.people else ""
    if not (_verified(stored or _nobodys(), password[: MOST + 1]) and stored):
        raise NotAllowed(REFUSED, remedy="Try again, or ask an admin for a link: `trustops people invite NAME --by ADMIN`.")
    if HASHER.check_needs_rehash(stored):
        office.ledger.append_password(Password(person=person, argon2=HASHER.hash(password), by=person, at=present(office)))


def _verified(stored: str, password: str) -> bool:
    try:
        return HASHER.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    """What an unknown person's password is compared with."""
    return HASHER.hash("nobody has this password")
