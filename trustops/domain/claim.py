"""Claims, citations and the conflicts between sentences."""

from __future__ import annotations

from enum import StrEnum

from trustops.domain.base import Noun


class Basis(StrEnum):
    """What a claim rests on; "our policy requires X" never stands in for "X is so"."""

    POLICY = "policy"
    REALITY = "reality"
    HISTORY = "history"


class Citation(Noun):
    """An exhibit of the dossier and a verbatim quote of it."""

    exhibit: str
    quote: str


class Claim(Noun):
    """One thing that an answer says, with what supports it."""

    text: str
    basis: Basis = Basis.POLICY
    citations: tuple[Citation, ...] = ()


class ConflictKind(StrEnum):
    SCOPE_MISMATCH = "SCOPE_MISMATCH"
    VALUE_MISMATCH = "VALUE_MISMATCH"
    SUPPORT_MISMATCH = "SUPPORT_MISMATCH"
    DATE_MISMATCH = "DATE_MISMATCH"


class Conflict(Noun):
    """Two quotes that cannot both be relied on. `resolved` where a fresh reading proved the wider claim."""

    kind: ConflictKind
    left: Citation
    right: Citation
    resolved: bool = False
