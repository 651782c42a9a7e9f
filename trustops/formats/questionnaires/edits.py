"""Replacing stretches of bytes: the one way in which an exported file comes to differ from the customer's."""

from __future__ import annotations

from dataclasses import dataclass

from trustops.domain.errors import MalformedFile


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes `start` to `end` of a part become `new`."""

    start: int
    end: int
    new: bytes


def apply(data: bytes, edits: list[Edit]) -> bytes:
    """The part with all edits made; they may touch but not overlap."""
    pieces, place = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < place:
            raise MalformedFile("Two edits overlap.", where="splice", remedy="Report this.")
        pieces += [data[place : edit.start], edit.new]
        place = edit.end
    return b"".join([*pieces, data[place:]])
