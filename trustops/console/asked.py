"""Shapes of what comes in under /v1: bodies of requests, with their limits."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field, StringConstraints

from trustops.console.shapes import Shape
from trustops.domain.answer import Determination
from trustops.domain.credential import Scope
from trustops.operations.asking import LONGEST

Words = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Nothing(Shape):
    """No field."""


class Reason(Shape):
    """Why."""

    reason: Words


class Edit(Shape):
    """A person's version of an answer. `cite` names exhibits of the question's dossier."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
    choice: Annotated[str, StringConstraints(max_length=2000)] | None = None
    determination: Determination | None = None
    cite: tuple[Name, ...] = Field(default=(), max_length=50)


class FollowUp(Shape):
    """What the customer asks back, as one question."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]


class Green(Shape):
    """Approves what is PASS and waits: all of it, or only these answers, each by the digest that the person saw."""

    answers: dict[Name, Digest] | None = Field(default=None, max_length=2000)


class Recheck(Shape):
    """A new run: of these questions, or of all."""

    only: tuple[Name, ...] = Field(default=(), max_length=2000)


class Send(Shape):
    """To whom what is cleared goes."""

    to: Name


class Enter(Shape):
    """The answers of an export become earlier answers, with an owner and a day by which they are looked at again."""

    export: Name
    owner: Name
    review_by: date


class Issue(Shape):
    """A token: what it is for, for how many days, and under which label."""

    label: Annotated[str, StringConstraints(max_length=60)] = ""
    scopes: tuple[Scope, ...] = Field(default=tuple(Scope), min_length=1, max_length=8)
    days: int | None = Field(default=None, ge=1, le=366)
