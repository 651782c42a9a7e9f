"""Reviewer by rules: says no where code's findings block. It has no judgement of its own and claims none."""

from __future__ import annotations

from typing import Any

from trustops.domain.finding import FindingCode, Severity
from trustops.domain.opinion import OpinionFinding, ReviewerOpinion
from trustops.facts.nouns import Names


def reply(payload: dict[str, Any], names: Names) -> ReviewerOpinion:
    """BLOCK repeating the blocking findings, else PASS."""
    del names
    blocking = [f for f in payload["findings"] if f["severity"] == Severity.BLOCKING.value][:12]
    findings = tuple(
        OpinionFinding(code=FindingCode(f["code"]), severity=Severity.BLOCKING, summary=f["summary"][:4000], exhibits=()) for f in blocking
    )
    return ReviewerOpinion(decision="BLOCK" if findings else "PASS", findings=findings)
