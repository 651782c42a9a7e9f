"""Answer: drafts what would be said, from the sealed dossier and the findings so far."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from trustops.domain.dossier import Dossier
from trustops.domain.finding import Finding
from trustops.domain.opinion import AnswerDraft, ControlOpinion, PolicyOpinion
from trustops.team.material import case_view
from trustops.team.seat import Sitting, Table, sit


async def draft(
    table: Table,
    dossier: Dossier,
    policy: PolicyOpinion,
    control: ControlOpinion,
    findings: Sequence[Finding],
    style: dict[str, Any],
    at: datetime,
) -> Sitting[AnswerDraft]:
    """The draft is an opinion like any other: code splits its text into claims and checks each."""
    payload = {
        "today": at.date().isoformat(),
        "policy": policy.model_dump(mode="json"),
        "control": control.model_dump(mode="json"),
        "findings": [{"code": f.code.value, "severity": f.severity.value, "summary": f.summary} for f in findings],
        "style": style,
    }
    return await sit(table, "answer", AnswerDraft, payload, shared=case_view(dossier))
