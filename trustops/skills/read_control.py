"""Skill read-control: one control of the catalogue by its id."""

from __future__ import annotations

from collections.abc import Iterable

from trustops.domain.control import Control


def read_control(controls: Iterable[Control], query: str) -> tuple[Control, ...]:
    """The control of this id, letter by letter; empty where there is none."""
    return tuple(control for control in controls if control.id == query.strip())
