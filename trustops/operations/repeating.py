"""Requests that are repeated under one key (draft-ietf-httpapi-idempotency-key-header-07): who comes first enters it, under the lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from trustops.domain.request import Asked
from trustops.operations.office import Office

LEASE = timedelta(minutes=10)
"""After so long an attempt without a reply counts as lost with its process."""


@dataclass(frozen=True, slots=True)
class Again:
    """It was carried out; this was the reply."""

    reply: str


class Busy:
    """It is being carried out."""


class Other:
    """The key stands for another request."""


def begin(office: Office, person: str, key: str, fingerprint: str) -> Asked | Again | Busy | Other:
    """The attempt to carry out, where there is none that counts."""
    now = office.clock.now()
    with office.ledger.writing():
        found = office.ledger.latest_request(person, key)
        if found is not None:
            before, reply = found
            if before.fingerprint != fingerprint:
                return Other()
            if reply:
                return Again(reply)
            if reply is None and now < before.at + LEASE:
                return Busy()
        asked = Asked(person=person, key=key, attempt=found[0].attempt + 1 if found else 1, fingerprint=fingerprint, at=now)
        office.ledger.append_request(asked)
    return asked


def keep(office: Office, asked: Asked, reply: str) -> None:
    """What was replied, for whoever asks again."""
    office.ledger.append_reply_to(asked, reply, at=office.clock.now())


def abandon(office: Office, asked: Asked) -> None:
    """The attempt came to nothing: it may be repeated at once."""
    office.ledger.append_reply_to(asked, "", at=office.clock.now())
