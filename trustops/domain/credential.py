"""Sign-in tokens of people: who holds one is who it was made for. Only a salted hash is kept (RFC 7914, scrypt).

A token is `tops_ID_SECRET`: the id finds the record, the secret is 256 random bits. The work factor is for copies of the ledger's file
that come into wrong hands; the comparison takes the same time whatever is wrong with a token.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import datetime

from trustops.domain.base import Noun

SHAPE = re.compile(r"tops_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")
N, R, P, LENGTH = 2**14, 8, 1, 32
"""16 MB and about 40 ms for one hash."""


class Credential(Noun):
    """One person's token as it is kept. Append-only: the newest record of a person counts, and a revoked one opens nothing."""

    person: str
    id: str
    salt: str
    scrypt: str
    by: str
    at: datetime
    revoked: bool = False

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
