"""What answers rest on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from trustops.console.shapes.base import Shape


class Documents(Shape):
    """A page of evidence files."""

    documents: list[dict[str, Any]]
    next: str | None


class Problems(Shape):
    """What is expired, undated or could not be read."""

    documents: int
    problems: list[dict[str, str]]


class Controls(Shape):
    """Controls with their readings; `notices` are sources that gave nothing."""

    controls: list[dict[str, Any]]
    notices: list[str]


class Coverage(Shape):
    """Which questions have evidence, a control and a fresh reading."""

    review: str
    file: str
    at: datetime
    questions: list[dict[str, Any]]
    totals: dict[str, Any]


class Library(Shape):
    """A page of earlier answers."""

    answers: list[dict[str, Any]]
    next: str | None


class Withdrawn(Shape):
    """An earlier answer that counts no longer."""

    withdrawn: str


class Conflicts(Shape):
    """Earlier answers that contradict or repeat each other."""

    conflicts: list[dict[str, Any]]


class Entered(Shape):
    """What entered the library, and what did not since it no longer holds."""

    file: str
    answers: list[str]
    left_out: list[str]
