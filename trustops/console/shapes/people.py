"""Who may come in, how the service is, and what is on the audit chain."""

from __future__ import annotations

from typing import Any

from trustops.console.shapes.base import Shape
from trustops.domain.approval import Role
from trustops.domain.credential import Scope


class Me(Shape):
    """Who signed in."""

    person: str
    role: Role
    identity: str
    organisation: str
    scopes: list[Scope]
    how: str


class Well(Shape):
    """Whether the service is well."""

    status: str


class Records(Shape):
    """A page of the audit chain, oldest first."""

    records: list[dict[str, Any]]
    next: str | None


class Redaction(Shape):
    """The record that was redacted, and the one that says so."""

    redacted: int
    record: int
    again: bool


class Person(Shape):
    """A person, the role, and how they can sign in."""

    person: str
    role: Role | None
    password: bool
    tokens: list[dict[str, Any]]
    sessions: int


class People(Shape):
    """Everybody who may sign in, or holds what once opened something."""

    people: list[Person]


class Token(Shape):
    """A token. It is told this once."""

    person: str
    token: str


class Invitation(Shape):
    """A link that sets a password. It is told this once."""

    person: str
    link: str


class Revoked(Shape):
    """Tokens that were ended. Sessions and the password are too."""

    person: str
    revoked: list[str]
