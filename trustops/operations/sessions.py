"""Sessions of browsers: opened at sign-in with a new secret, kept on the server, over after a while and at sign-out."""

from __future__ import annotations

import secrets
from datetime import timedelta

from trustops.domain.session import Held, Session, fingerprint
from trustops.operations.office import Office
from trustops.operations.timing import present

MARK = timedelta(minutes=5)
"""A use is written down at most this often, and at least ten times in an idle period."""


def open_session(office: Office, person: str, *, how: str, before: str = "") -> str:
    """The secret of a new session. A session that the browser had before ends: no secret outlives a sign-in."""
    secret = secrets.token_urlsafe(32)
    with office.ledger.writing(durable=True):
        if before:
            end_session(office, before)
        at = present(office)
        office.ledger.append_session(
            Session(id=fingerprint(secret), person=person, how=how, at=at, expires_at=at + office.stay.longest),
        )
    return secret


def session_of(office: Office, secret: str) -> Session | None:
    """The session that a secret opens now; None where it is over, ended or was never there, or its person is gone from `[people]`."""
    now, held = office.clock.now(), _held(office, secret)
    if held is None:
        return None
    if now - held.seen > min(MARK, office.stay.idle / 10):
        office.ledger.mark_session(held.session.id, "seen", at=now)
    return held.session


def is_open(office: Office, secret: str) -> bool:
    """Whether the secret opens a session now. Asking is no activity: a stream that stays open keeps nobody signed in."""
    return _held(office, secret) is not None


def _held(office: Office, secret: str) -> Held | None:
    held = office.ledger.get_session(fingerprint(secret))
    here = held is not None and held.alive(office.clock.now(), office.stay.idle) and held.session.person in office.people
    return held if here else None


def end_session(office: Office, secret: str) -> bool:
    """Ends a session; whether there was one that was alive."""
    with office.ledger.writing():
        held = office.ledger.get_session(fingerprint(secret))
        alive = held is not None and held.alive(office.clock.now(), office.stay.idle)
        if held is not None and alive:
            office.ledger.mark_session(held.session.id, "ended", at=office.clock.now())
        return alive


def form_token(secret: str) -> str:
    """What every form of a session carries. Who does not hold the cookie cannot know it, and it tells nothing of the secret."""
    return fingerprint(f"form:{secret}")


def alive(office: Office, person: str) -> tuple[Held, ...]:
    """The sessions of a person that are open now."""
    now = office.clock.now()
    return tuple(held for held in office.ledger.sessions(person) if held.alive(now, office.stay.idle))
