"""How people are signed in over HTTP: a password, a link that works once, and the session that both lead to.

Only digests are kept. A session's secret and a link's key are 256 random bits, so SHA-256 is enough for them (there is nothing to guess);
a password is chosen by a person, so it is kept as an argon2id hash (RFC 9106).
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from trustops.domain.base import Noun


class Password(Noun):
    """A person's password by its argon2 hash. Append-only: the newest record counts, and an empty hash opens nothing."""

    person: str
    argon2: str
    by: str
    at: datetime


class Link(Noun):
    """A link that lets a person set a password, once. `id` is the digest of its key; the newest link of a person counts."""

    person: str
    id: str
    by: str
    at: datetime
    expires_at: datetime
    used: bool = False

    def opens(self, key: str, now: datetime) -> bool:
        """Whether this key opens it now."""
        return not self.used and now < self.expires_at and self.id == fingerprint(key)


class Session(Noun):
    """One sign-in of a person's browser. `id` is the digest of its secret; `how` is password, link or oidc."""

    id: str
    person: str
    how: str
    at: datetime
    expires_at: datetime


class Held(Noun):
    """A session as it stands: when it was last used, and whether it was ended."""

    session: Session
    seen: datetime
    ended: bool

    def alive(self, now: datetime, idle: timedelta) -> bool:
        """Whether it still signs its person in."""
        return not self.ended and now < self.session.expires_at and now < self.seen + idle


def fingerprint(secret: str) -> str:
    """What is kept of a session's secret or a link's key."""
    return hashlib.sha256(secret.encode()).hexdigest()
