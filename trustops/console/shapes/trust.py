"""Reputations and trust profiles."""

from __future__ import annotations

from typing import Any

from trustops.console.shapes.base import Shape


class Profiles(Shape):
    """Every subject as it stands now."""

    subjects: list[dict[str, Any]]


class Subject(Shape):
    """One subject as it stands now, with its records, oldest first, and its newest evaluations, newest first. `in_evaluations` is what
    `trustops eval run` graded, by model, which is in neither profile nor records."""

    profile: dict[str, Any]
    records: list[dict[str, Any]]
    in_evaluations: list[dict[str, Any]]
    grades: list[dict[str, Any]]


class TrustChain(Shape):
    """Whether the chain of trust records holds; each record that does not is named."""

    valid: bool
    records: int
    head: str
    bad: list[dict[str, Any]]


class Reputations(Shape):
    """Time-weighted means of evaluations, apart by mode, organisation and model."""

    reputations: list[dict[str, Any]]
