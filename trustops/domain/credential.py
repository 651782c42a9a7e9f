"""Sign-in tokens of people: who holds one is who it was made for. Only a salted hash is kept (RFC 7914, scrypt).

A token is `tops_ID_SECRET`: the id finds the record, the secret is 256 random bits. The work factor is for copies of the ledger's file
that come into wrong hands; the comparison takes the same time whatever is wrong with a token.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import datetime
from enum import StrEnum

from trustops.domain.base import Noun

SHAPE = re.compile(r"tops_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")
N, R, P, LENGTH = 2**14, 8, 1, 32
"""16 MB and about 40 ms for one hash."""


class Scope(StrEnum):
    """What a token may be used for, within the role of its person. Every token may read."""

    READ = "read"
    REVIEW = "review"
    APPROVE = "approve"
    ADMIN = "admin"


class Credential(Noun):
    """One token of a person as it is kept. Append-only: the newest record of a person and label counts, and a revoked one opens nothing.
    One without an end is from before tokens had any, or was asked for."""

    person: str
    id: str
    salt: str
    scrypt: str
    by: str
    at: datetime
    revoked: bool = False
    label: str = ""
    scopes: tuple[Scope, ...] = tuple(Scope)
    expires_at: datetime | None = None

    def ended(self, now: datetime) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and now >= self.expires_at

    def opens(self, secret: str) -> bool:
        """Whether this is the secret that it was made from, found in the same time either way. A revoked one opens for none."""
        same = hmac.compare_digest(bytes.fromhex(self.scrypt), hashed(secret, bytes.fromhex(self.salt)))
        return same and not self.revoked


def parsed(token: str) -> tuple[str, str]:
    """Id and secret of a token; of what is none, an id that nobody has."""
    found = SHAPE.fullmatch(token)
    return (found[1], found[2]) if found else ("", "")


def hashed(secret: str, salt: bytes) -> bytes:
    """What is kept of a secret."""
    return hashlib.scrypt(secret.encode(), salt=salt, n=N, r=R, p=P, dklen=LENGTH)
