"""What judges say about a task of a capability dimension. Each metric has its prompt; a judge is asked once a playing, and only advises.

The judge of figures sees a figure's title and the text that stands in it, not its picture: requests to models carry text alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from trustops.evaluation.capability_stage import Observed
from trustops.evaluation.case import Case
from trustops.evaluation.judging import Calibration, Grader, Judge, Judged, ask, not_its_own_judge, score
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.simulated import UNANSWERED
from trustops.ports import ModelClient
from trustops.roster import Roster

CALIBRATED = "judge_calibration_rate"
OF_SKILLS = "judge-skill"
"""The judge whose agreement with people that metric is."""
Shown = Mapping[str, Any]


def _intent(case: Case, seen: Observed) -> Shown:
    asks = [{"text": text, "form": form} for text, form in seen.asks]
    return {"question": seen.question.text, "read_as": asks, "what_a_person_would_call_it": case.expect["intent_clarification_judge"]}


def _plan(case: Case, seen: Observed) -> Shown:
    plan = [{"seat": seat, "skill": skill, "query": query} for seat, skill, query in seen.plan]
    return {"question": seen.question.text, "plan": plan, "called": sorted({made.skill for made in seen.invocations})}


def _guided(case: Case, seen: Observed) -> Shown:
    return {"guidance": list(seen.guidance), "task": seen.question.text, "answer": seen.text or UNANSWERED}


def _refusal(case: Case, seen: Observed) -> Shown:
    why = [finding.summary for finding in seen.outcome.result.findings if finding.blocks]
    return {"question": seen.question.text, "answer": seen.text if seen.left else UNANSWERED, "told_to_the_analyst": why}


def _image(case: Case, seen: Observed) -> Shown:
    dossier = seen.outcome.case.dossier if seen.outcome.case is not None else None
    held = {p.document.path: p for p in dossier.passages} if dossier is not None else {}
    figures = [{"title": held[path].document.title, "text": held[path].text} for path in seen.attachments if path in held]
    return {"question": seen.question.text, "answer": seen.text, "figures": figures}


PROMPTS: dict[str, tuple[str, Callable[[Case, Observed], Shown]]] = {
    "intent_clarification_judge": ("judge-intent", _intent),
    "plan_decomposition_score": ("judge-plan", _plan),
    "skill_faithfulness_score": (OF_SKILLS, _guided),
    "skill_completeness_score": ("judge-completeness", _guided),
    "refusal_quality_score": ("judge-refusal", _refusal),
    "image_text_relevance_score": ("judge-image", _image),
}


@dataclass(frozen=True, slots=True)
class Bank:
    """Who judges, and how far judges were found to agree with people."""

    client: ModelClient
    roster: Roster
    calibrations: tuple[Calibration, ...] = ()

    def opinion(self, name: str, case: Case, seen: Observed, **told: Any) -> Score:
        """A judge's score of one metric. Raises Refused where the judge is the model that did the task and nobody else judges it."""
        if name == CALIBRATED:
            return calibrated(case, self.calibrations, **told)
        if reason := _nothing(name, seen):
            return _missing(name, case, reason, **told)
        prompt, shown = PROMPTS[name]
        found = asyncio.run(self._ask(prompt, shown(case, seen)))
        if isinstance(found, Judged):
            generators = {(call.provider, call.model) for call in seen.model_calls if call.provider}
            not_its_own_judge(found.grader, generators)
        return score(name, case.case_id, found, **told)

    async def _ask(self, prompt: str, shown: Shown) -> Any:
        try:
            return await ask(Judge(prompt, self.client, self.roster), shown)
        finally:
            close = getattr(self.client, "close", None)
            if close is not None:
                await close()


def _nothing(name: str, seen: Observed) -> str:
    """Why there is nothing to judge, where there is not."""
    if name in ("skill_faithfulness_score", "skill_completeness_score") and not seen.guidance:
        return "no guidance was given"
    if name == "image_text_relevance_score" and not seen.attachments:
        return "no figure was shown"
    return "nothing was planned" if name == "plan_decomposition_score" and not seen.plan else ""


def calibrated(case: Case, calibrations: Sequence[Calibration], **told: Any) -> Score:
    """How often the judge of skills and people agreed, by its newest record; missing without one."""
    mine: list[Grader] = [each.grader for each in calibrations if each.grader.name == OF_SKILLS]
    if not mine:
        return _missing(CALIBRATED, case, "nobody calibrated the judge of skills against people", **told)
    hits, of = next(each.agreement for each in reversed(calibrations) if each.grader.name == OF_SKILLS)
    if not of:
        return _missing(CALIBRATED, case, "its calibration has no settled item", **told)
    return Score(metric=CALIBRATED, case_id=case.case_id, amount=Decimal(hits), of=of, authority=Authority.HUMAN_SAMPLE, **told)


def _missing(name: str, case: Case, why: str, **told: Any) -> Score:
    return Score(metric=name, case_id=case.case_id, amount=None, authority=Authority.LLM_JUDGE, why=why, **told)
