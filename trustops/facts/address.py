"""Does a sentence of a document speak to the agents instead of about the company? (product.md, SUSPECTED_INJECTION)

A net, not a proof: what it misses still cannot change a decision, since sentences only support what they state and rules decide.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from trustops.facts.hidden import undressed


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], ...]]:
    """Compiled once, at first use; the file is data so that it can grow without code."""
    text = files("trustops.catalogue.lexicon").joinpath("injection.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    return {name: tuple(re.compile(p, re.IGNORECASE | re.DOTALL) for p in data[name]) for name in ("order", "address", "demand", "encoded")}


def _any(name: str, text: str) -> bool:
    return any(pattern.search(text) for pattern in _patterns()[name])


@lru_cache(maxsize=32_768)
def speaks_to_agents(text: str) -> bool:
    """True for an order to a machine, an encoded one, or an address to one together with a demand."""
    seen = undressed(text)
    return _any("order", seen) or _any("encoded", seen) or (_any("address", seen) and _any("demand", seen))
