"""Sign-in tokens of people, by their salted hashes."""

from __future__ import annotations

from sqlalchemy import func, select

from trustops.domain.credential import Credential
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given

LAST = select(func.max(t.credentials.c.seq)).where(t.credentials.c.org == ORG, t.credentials.c.person == given("person"))
ALL = select(t.credentials.c.body).where(t.credentials.c.org == ORG).order_by(t.credentials.c.seq)


class PeopleLedger(Book):
    """Credentials by person and number."""

    def append_credential(self, credential: Credential) -> None:
        """Made or revoked: the newest row of a person counts."""
        with self.writing(durable=True):
            seq = (self.all(LAST, person=credential.person)[0][0] or 0) + 1
            self.add(t.credentials, person=credential.person, seq=seq, body=credential.model_dump_json())

    def credentials(self) -> tuple[Credential, ...]:
        """The newest credential of each person, revoked ones too, by name."""
        newest = {made.person: made for row in self.all(ALL) if (made := Credential.model_validate_json(row.body))}
        return tuple(newest[person] for person in sorted(newest))
