"""The JSON of one reading, `{"control", "observed_at", "values"}`: checked key by key, exact, and never from the future."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from trustops.collectors.nodes import LARGEST as LARGEST_INTEGER
from trustops.domain.control import Control, Exact
from trustops.domain.errors import MalformedFile

LARGEST = 1024 * 1024
_KEYS = {"control", "observed_at", "values"}
_REMEDY = 'Write {"control": "...", "observed_at": "2026-11-29T08:00:00Z", "values": {"name": 1}}.'


@dataclass(frozen=True)
class Reading:
    """What a source said, and the digest-worthy bytes it said it in."""

    observed_at: datetime
    values: dict[str, Exact]
    raw: bytes


def inside(workspace: Path, relative: str, where: str) -> Path:
    """The file in the workspace; raises MalformedFile for a path (or a link) that leads out of it."""
    path = (workspace / relative).resolve()
    named = PurePosixPath(relative)
    if not relative or named.is_absolute() or ".." in named.parts or not path.is_relative_to(workspace.resolve()):
        raise MalformedFile(
            f"The path {relative!r} does not stay in the workspace.", where=where, remedy="Name a file relative to the workspace."
        )
    return path


def parsed(raw: bytes, control: Control, where: str) -> Reading:
    """The reading in these bytes. Raises MalformedFile for any other shape, a foreign control, a float or a time without a zone."""
    if len(raw) > LARGEST:
        raise _wrong(where, f"A reading of {len(raw)} bytes is no reading.")
    try:
        content = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=lambda pairs: once(pairs, where))
    except (ValueError, RecursionError) as error:
        raise _wrong(where, f"This is not JSON: {error}.") from None
    if not isinstance(content, dict) or set(content) != _KEYS:
        keys = sorted(content) if isinstance(content, dict) else type(content).__name__
        raise _wrong(where, f"A reading has exactly the keys control, observed_at and values, not {keys}.")
    if content["control"] != control.id:
        raise _wrong(where, f"The reading is of control {content['control']!r}, not of {control.id!r}.")
    return Reading(_instant(content["observed_at"], where), values_of(content["values"], where), raw)


def once(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    """A JSON object; raises MalformedFile where a key stands twice, for then nobody knows which one counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _wrong(where, "A key stands twice.")
    return found


def _instant(value: Any, where: str) -> datetime:
    try:
        instant = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _wrong(where, f"observed_at {value!r} is no time.") from None
    if instant.tzinfo is None:
        raise _wrong(where, f"observed_at {value!r} has no zone, so that nobody knows when it was.")
    return instant


def values_of(value: Any, where: str) -> dict[str, Exact]:
    """The values of a reading by name. Raises MalformedFile for a float, a number that is not exact, and anything that is no value."""
    if not isinstance(value, dict) or not value:
        raise _wrong(where, "values must be a mapping with at least one value.")
    for name, each in value.items():
        if isinstance(each, float):
            raise _wrong(where, f"The value {name!r} is a float, which has no exact value.", 'Write it in quotes, such as "0.95".')
        if isinstance(each, int) and abs(each) > LARGEST_INTEGER:
            raise _wrong(where, f"The value {name!r} is too large to be exact.", "Write it in quotes.")
        if not isinstance(each, bool | int | str):
            raise _wrong(where, f"The value {name!r} must be a whole number, a text or a flag.")
    return dict(value)


def _wrong(where: str, what: str, remedy: str = _REMEDY) -> MalformedFile:
    return MalformedFile(what, where=where, remedy=remedy)
