"""Sign-in tokens, passwords and one-time links of people, by their hashes. The newest row of a person counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Select, Table, func, select

from trustops.domain.credential import Credential
from trustops.domain.session import Link, Password
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given

Kind = TypeVar("Kind")


def _last(table: Table) -> Select[tuple[int]]:
    return select(func.max(table.c.seq)).where(table.c.org == ORG, table.c.person == given("person"))


def _all(table: Table) -> Select[tuple[str]]:
    return select(table.c.body).where(table.c.org == ORG).order_by(table.c.seq)


LAST = {name: _last(t.metadata.tables[name]) for name in ("credentials", "passwords", "links")}
ALL = {name: _all(t.metadata.tables[name]) for name in ("credentials", "passwords", "links")}


class PeopleLedger(Book):
    """Credentials, passwords and links by person and number."""

    def append_credential(self, credential: Credential) -> None:
        """Made or revoked: the newest row of a person's token counts."""
        self._append(t.credentials, credential)

    def credentials(self) -> tuple[Credential, ...]:
        """The newest credential of each person and label, revoked ones too, by name."""
        newest = {(made.person, made.label): made for made in self._made("credentials", Credential.model_validate_json)}
        return tuple(newest[key] for key in sorted(newest))

    def append_password(self, password: Password) -> None:
        """Set, or taken away with an empty hash."""
        self._append(t.passwords, password)

    def passwords(self) -> dict[str, Password]:
        """The newest password of each person."""
        return {made.person: made for made in self._made("passwords", Password.model_validate_json)}

    def append_link(self, link: Link) -> None:
        """Made, or used up."""
        self._append(t.links, link)

    def links(self) -> dict[str, Link]:
        """The newest link of each person, used ones too."""
        return {made.person: made for made in self._made("links", Link.model_validate_json)}

    def _append(self, table: Table, made: Credential | Password | Link) -> None:
        with self.writing(durable=True):
            seq = (self.all(LAST[table.name], person=made.person)[0][0] or 0) + 1
            self.add(table, person=made.person, seq=seq, body=made.model_dump_json())

    def _made(self, table: str, load: Callable[[str], Kind]) -> list[Kind]:
        return [load(row.body) for row in self.all(ALL[table])]
