"""The risk a question declares by its own words (product.md, "Risk"). Seats and controls may raise it, nobody lowers it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from trustops.domain.control import Risk


@cache
def _rules() -> dict[str, Any]:
    data = yaml.safe_load(files("trustops.catalogue.lexicon").joinpath("risk.yaml").read_text(encoding="utf-8"))
    return {part: {name: re.compile(pattern, re.DOTALL) for name, pattern in data[part].items()} for part in ("high", "except", "low")}


def high_reasons(question: str) -> tuple[str, ...]:
    """The names of the topics that make a question HIGH."""
    text, rules = question.lower(), _rules()
    return tuple(
        name
        for name, pattern in rules["high"].items()
        if pattern.search(text) and not (name in rules["except"] and rules["except"][name].search(text))
    )


def declared_risk(question: str) -> Risk:
    """HIGH for the listed topics, LOW for contacts and figures, else MEDIUM."""
    if high_reasons(question):
        return Risk.HIGH
    return Risk.LOW if any(pattern.search(question.lower()) for pattern in _rules()["low"].values()) else Risk.MEDIUM
