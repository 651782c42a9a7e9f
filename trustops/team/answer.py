"""Answer: drafts what would be said, from the sealed dossier and the findings so far."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from trustops.domain.dossier import Dossier
from trustops.domain.evidence import EvidenceKind, Passage
from trustops.domain.finding import Finding
from trustops.domain.opinion import AnswerDraft, ControlOpinion, PolicyOpinion
from trustops.ports import SkillCaller
from trustops.team.material import case_view
from trustops.team.seat import Sitting, Table, sit


async def find_figures(skills: SkillCaller, dossier: Dossier) -> tuple[Passage, ...]:
    """The figures that may be attached, best first; the skill is asked only where the dossier holds a figure."""
    if not any(passage.document.kind is EvidenceKind.DIAGRAM for passage in dossier.passages):
        return ()
    return await skills.call("attach-figure", dossier.question.text[:2000]) or ()


async def draft(
    table: Table,
    dossier: Dossier,
    policy: PolicyOpinion,
    control: ControlOpinion,
    findings: Sequence[Finding],
    style: dict[str, Any],
    at: datetime,
    figures: Sequence[Passage] = (),
) -> Sitting[AnswerDraft]:
    """The draft is an opinion like any other: code splits its text into claims and checks each."""
    payload = {
        "today": at.date().isoformat(),
        "policy": policy.model_dump(mode="json"),
        "control": control.model_dump(mode="json"),
        "findings": [{"code": f.code.value, "severity": f.severity.value, "summary": f.summary} for f in findings],
        "style": style,
        **({"figures": [{"path": p.document.path, "title": p.document.title} for p in figures]} if figures else {}),
    }
    return await sit(table, "answer", AnswerDraft, payload, shared=case_view(dossier))
