"""Policy by rules: the sentences that speak for or against each ask, quoted whole. Conflicts are left to code, which sees the same."""

from __future__ import annotations

from typing import Any

from trustops.domain.claim import Basis, Citation
from trustops.domain.opinion import PolicyClaim, PolicyOpinion
from trustops.facts.nouns import Names, Scope
from trustops.providers.extractive.bench import Sided, sided, statements

PER_ASK = 4


def reply(payload: dict[str, Any], names: Names) -> PolicyOpinion:
    """Up to four claims an ask, none for an ask that nothing speaks to."""
    asks, found = statements(payload, names)
    claims = [_claim(number, side) for number, ask in enumerate(asks[:6]) for side in sided(ask, found, names)[:PER_ASK]]
    return PolicyOpinion(claims=tuple(claims), conflicts=())


def _claim(ask: int, side: Sided) -> PolicyClaim:
    statement = side.statement
    scope = next((f.surface for f in statement.sentence.facts if isinstance(f, Scope)), "not stated")
    value = next((f.surface for f in statement.sentence.facts if f.kind in ("quantity", "deadline", "frequency", "version")), "")
    basis = Basis.HISTORY if statement.kind == "prior" else Basis.POLICY
    quote = Citation(exhibit=statement.exhibit, quote=statement.text)
    return PolicyClaim(ask=ask, text=statement.text[:4000], basis=basis, scope=scope[:400], value=value[:400], citations=(quote,))
