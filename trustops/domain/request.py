"""A request that may be repeated without being carried out twice (draft-ietf-httpapi-idempotency-key-header-07)."""

from __future__ import annotations

from datetime import datetime

from trustops.domain.base import Noun


class Asked(Noun):
    """One attempt at a request, by the person and the key they gave it. `fingerprint` is the digest of method, address and body."""

    person: str
    key: str
    attempt: int
    fingerprint: str
    at: datetime
