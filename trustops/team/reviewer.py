"""Reviewer: looks for a reason to say no. Called even when rules already block; can add and raise, never remove."""

from __future__ import annotations

from collections.abc import Sequence

from trustops.domain.answer import AnswerVersion
from trustops.domain.dossier import Dossier
from trustops.domain.finding import Finding, FindingSource, Severity, severity_of
from trustops.domain.opinion import ReviewerOpinion
from trustops.team.material import case_view
from trustops.team.seat import Sitting, Table, sit


async def review(table: Table, dossier: Dossier, version: AnswerVersion, findings: Sequence[Finding]) -> Sitting[ReviewerOpinion]:
    """The opinion on one version. A seat without a usable verdict is no verdict, and no verdict is BLOCK."""
    answer = {
        "determinations": [{"ask": a.ask, "determination": a.determination.value} for a in version.asks],
        "text": version.text,
        "pivot": version.pivot,
        "cells": [{"part": c.part, "value": c.value} for c in version.cells],
        "attachments": list(version.attachments),
        "claims": [claim.model_dump(mode="json") for claim in version.claims],
    }
    payload = {
        "answer": answer,
        "findings": [{"code": f.code.value, "severity": f.severity.value, "summary": f.summary} for f in findings],
    }
    return await sit(table, "reviewer", ReviewerOpinion, payload, shared=case_view(dossier))


def reviewer_findings(opinion: ReviewerOpinion) -> tuple[Finding, ...]:
    """The reviewer's findings. A code that blocks by itself cannot be lowered to a warning by a model."""
    return tuple(
        Finding(
            code=seen.code,
            severity=Severity.BLOCKING if severity_of(seen.code) is Severity.BLOCKING else seen.severity,
            source=FindingSource.MODEL,
            summary=seen.summary,
            exhibits=seen.exhibits,
            remedy="Edit the answer or change the facts; then the reviewer looks again.",
            cited=True,
        )
        for seen in opinion.findings
    )
