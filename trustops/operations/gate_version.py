"""The gate's version: a digest of the rules that decide and of the [gate] settings (product.md, invariant 1).

Approvals are bound to it: an answer approved under other rules must be approved again.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from trustops.domain.chain import digest, sha256
from trustops.facts.lexicon import lexicon_digest
from trustops.operations.office import Rules

DECIDING = ("trustops.checks", "trustops.facts")
GATE = ("export.py", "risk_review.py", "approval.py", "answer.py")


def gate_version(rules: Rules) -> str:
    """Twelve hexadecimal digits."""
    settings = {name: getattr(rules, name) for name in ("second_person_for_all", "authenticated_only", "approval_days")}
    return digest({"rules": _rules(), "settings": settings})[:12]


@lru_cache(maxsize=1)
def _rules() -> str:
    parts = {f"domain/{name}": sha256(files("trustops.domain").joinpath(name).read_bytes()) for name in GATE}
    for package in DECIDING:
        for entry in files(package).iterdir():
            if entry.name.endswith(".py"):
                parts[f"{package}/{entry.name}"] = sha256(entry.read_bytes())
    parts["vocabularies"] = sha256(files("trustops.catalogue").joinpath("vocabularies.yaml").read_bytes())
    for name in ("injection.yaml", "risk.yaml"):
        parts[name] = sha256(files("trustops.catalogue.lexicon").joinpath(name).read_bytes())
    return digest({**parts, "lexicon": lexicon_digest()})
