"""What leaves, what is checked offline, and what no longer holds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import JsonValue

from trustops.console.shapes.base import Shape


class Withheld(Shape):
    """An answer that stayed, and why."""

    ref: str
    reasons: list[str]


class ExportMade(Shape):
    """What an export made, and where its files are."""

    export: str
    file: str
    exported: list[str]
    withheld: list[Withheld]
    replaced: list[dict[str, Any]]
    parts: dict[str, Any]
    execution_mode: str
    signed: bool
    files: dict[str, str]


class ExportRow(Shape):
    """An export on record."""

    export: str
    review: str
    at: datetime
    to: str
    by: str
    file: str
    sha256: str
    answers: list[dict[str, JsonValue]]
    execution_mode: str
    files: dict[str, str]


class Exports(Shape):
    """The exports of a review, oldest first."""

    exports: list[ExportRow]


class Verification(Shape):
    """What was found about a bundle."""

    valid: bool
    integrity: bool
    signer_fingerprint: str | None
    trusted_key: bool
    checks: list[dict[str, Any]]


class Recalled(Shape):
    """Answers that left and no longer hold; `notices` are sources that gave nothing."""

    recall: list[dict[str, Any]]
    notices: list[str]
