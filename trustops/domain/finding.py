"""Findings: what stands against an answer. Built in checks/, in this floor and in team/reviewer.py, nowhere else."""

from __future__ import annotations

from enum import StrEnum

from trustops.domain.base import Noun


class FindingCode(StrEnum):
    CONTRADICTION = "CONTRADICTION"
    CONTROL_DRIFT = "CONTROL_DRIFT"
    EXPIRED_EVIDENCE = "EXPIRED_EVIDENCE"
    MISSING_EVIDENCE = "MISSING_EVIDENCE"
    OVERCOMMITMENT = "OVERCOMMITMENT"
    INVALID_CITATION = "INVALID_CITATION"
    UNCITED_CLAIM = "UNCITED_CLAIM"
    SENSITIVE_DISCLOSURE = "SENSITIVE_DISCLOSURE"
    STALE_CONTROL_SNAPSHOT = "STALE_CONTROL_SNAPSHOT"
    CONTROL_UNAVAILABLE = "CONTROL_UNAVAILABLE"
    REVIEWER_UNAVAILABLE = "REVIEWER_UNAVAILABLE"
    AGENT_UNAVAILABLE = "AGENT_UNAVAILABLE"
    ANSWER_FORM = "ANSWER_FORM"
    INCONSISTENT_ANSWERS = "INCONSISTENT_ANSWERS"
    HIDDEN_TEXT = "HIDDEN_TEXT"
    SUSPECTED_INJECTION = "SUSPECTED_INJECTION"
    UNDATED_EVIDENCE = "UNDATED_EVIDENCE"
    NOT_MEASURED = "NOT_MEASURED"
    CROSS_LANGUAGE = "CROSS_LANGUAGE"
    OFFLINE_DRAFT = "OFFLINE_DRAFT"
    FOLLOW_UP = "FOLLOW_UP"


class Severity(StrEnum):
    BLOCKING = "BLOCKING"
    WARNING = "WARNING"


class FindingSource(StrEnum):
    RULES = "RULES"
    MODEL = "MODEL"
    SYSTEM = "SYSTEM"


WARNINGS = frozenset(
    {
        FindingCode.SUSPECTED_INJECTION,
        FindingCode.UNDATED_EVIDENCE,
        FindingCode.NOT_MEASURED,
        FindingCode.CROSS_LANGUAGE,
        FindingCode.OFFLINE_DRAFT,
        FindingCode.FOLLOW_UP,
    }
)
"""Codes that are warnings by themselves; every other one blocks (product.md, "Vocabulary")."""


class Finding(Noun):
    """Something wrong, the exhibits that show it, and what a person can do. It goes away only by changed facts."""

    code: FindingCode
    severity: Severity
    source: FindingSource
    summary: str
    exhibits: tuple[str, ...] = ()
    remedy: str = ""
    cited: bool = False
    """True where the exhibits are cited by the answer (a warning on an uncited passage does not route)."""

    @property
    def blocks(self) -> bool:
        return self.severity is Severity.BLOCKING


def severity_of(code: FindingCode) -> Severity:
    """The severity a code has where nothing else is said."""
    return Severity.WARNING if code in WARNINGS else Severity.BLOCKING
