"""Judging: what an attempt on record proves of the five seats and the skills, as scores of 0 to 1 by criterion (docs/scoring.md).

Read off the record alone: replies, the sealed dossier, conflicts, findings of rules, skill invocations. A criterion with nothing to get
wrong (no quote, no conflict) is 1: missing evidence is no fault. A seat that could not be asked is not judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from trustops.checks.citation import valid
from trustops.domain.answer import combine
from trustops.domain.base import Noun
from trustops.domain.claim import Citation
from trustops.domain.control import RISK_ORDER, Evaluation
from trustops.domain.dossier import Dossier
from trustops.domain.finding import FindingCode, FindingSource
from trustops.domain.opinion import AnswerDraft, CommanderOpinion, ControlOpinion, PolicyOpinion, ReviewerOpinion
from trustops.domain.record import ModelCall, SkillInvocation
from trustops.facts.risk import declared_risk
from trustops.ports import QuestionRecord

O = TypeVar("O", bound=Noun)  # noqa: E741 - an opinion
SKILL = "skill/"
"""Before the name of a skill, where it is judged; seats go by their own names."""
REFUSED = frozenset({"unknown_skill", "not_permitted", "invalid_input"})
"""Outcomes of a call that are the fault of who planned it, not of the skill."""
OUT_OF_CONTRACT = frozenset({"timeout", "invalid_output"})
CLAIMS_TOO_MUCH = frozenset(
    {FindingCode.OVERCOMMITMENT, FindingCode.MISSING_EVIDENCE, FindingCode.UNCITED_CLAIM, FindingCode.CONTRADICTION}
)
NOT_ASKED = frozenset({"unavailable: input_unavailable", "unavailable: money"})


@dataclass(frozen=True, slots=True)
class Judged:
    """One seat or skill in one attempt: the rubric's name, a score for each of its criteria, and the call or calls that it is about."""

    agent: str
    rubric: str
    scores: dict[str, float]
    calls: tuple[ModelCall, ...] = ()


def judge(record: QuestionRecord, calls: Iterable[ModelCall], skills: Iterable[SkillInvocation]) -> Iterator[Judged]:
    """Every seat that was asked in this attempt, and every skill that was called."""
    own = f"{record.run}:{record.question}:{record.attempt}:"
    mine = tuple(call for call in skills if call.task.startswith(own))
    for call in calls:
        if call.task.startswith(own) and call.seat in SEATS and call.outcome not in NOT_ASKED:
            yield Judged(call.seat, call.seat, SEATS[call.seat](record, call, mine), (call,))
    yield from _skills(mine)


def _commander(record: QuestionRecord, call: ModelCall, skills: Sequence[SkillInvocation]) -> dict[str, float]:
    said = _opinion(call, CommanderOpinion)
    if said is None:
        return _unusable("plan_valid", "risk_not_understated")
    refused = sum(skill.seat in ("policy", "control") and skill.outcome in REFUSED for skill in skills)
    risk = RISK_ORDER[said.risk] >= RISK_ORDER[declared_risk(record.dossier.question.text)]
    return {"usable": 1, "plan_valid": _share(len(said.plan) - refused, len(said.plan)), "risk_not_understated": float(risk)}


def _policy(record: QuestionRecord, call: ModelCall, skills: Sequence[SkillInvocation]) -> dict[str, float]:
    said = _opinion(call, PolicyOpinion)
    if said is None:
        return _unusable("citations_valid", "conflicts_found")
    quotes = [quote for claim in said.claims for quote in claim.citations]
    quotes += [side for conflict in said.conflicts for side in (conflict.left, conflict.right)]
    named = {frozenset((c.left.exhibit, c.right.exhibit)) for c in said.conflicts}
    on_record = {frozenset((_exhibit(c.get("left")), _exhibit(c.get("right")))) for c in record.conflicts}
    found = _share(len(on_record & named), len(on_record))
    return {"usable": 1, "citations_valid": _cited(quotes, record.dossier), "conflicts_found": found}


def _control(record: QuestionRecord, call: ModelCall, skills: Sequence[SkillInvocation]) -> dict[str, float]:
    said = _opinion(call, ControlOpinion)
    if said is None:
        return _unusable("controls_found", "drift_read")
    held = {reading.control.id for reading in record.dossier.readings}
    failing = {reading.control.id for reading in record.dossier.readings if reading.evaluation is not Evaluation.PASS}
    mapped = {reading.control for reading in said.readings}
    named = mapped | set(said.missing)
    found = _share(len(held & named), len(held | mapped))
    return {"usable": 1, "controls_found": found, "drift_read": _share(len(failing & named), len(failing))}


def _answer(record: QuestionRecord, call: ModelCall, skills: Sequence[SkillInvocation]) -> dict[str, float]:
    said = _opinion(call, AnswerDraft)
    if said is None:
        return _unusable("citations_valid", "supported", "fits_the_cell", "keeps_secrets")
    codes = {finding.code for finding in record.result.findings if finding.blocks and finding.source is FindingSource.RULES}
    affirmative = combine(said.determinations).affirmative
    quotes = [quote for claim in said.claims for quote in claim.citations]
    return {
        "usable": 1,
        "citations_valid": _cited(quotes, record.dossier),
        "supported": float(not (affirmative and codes & CLAIMS_TOO_MUCH)),
        "fits_the_cell": float(FindingCode.ANSWER_FORM not in codes),
        "keeps_secrets": float(FindingCode.SENSITIVE_DISCLOSURE not in codes),
    }


def _reviewer(record: QuestionRecord, call: ModelCall, skills: Sequence[SkillInvocation]) -> dict[str, float]:
    """Half for sending to a person what rules block outright."""
    said = _opinion(call, ReviewerOpinion)
    if said is None:
        return _unusable("findings_found")
    blocked = any(finding.blocks and finding.source is FindingSource.RULES for finding in record.result.findings)
    worth = {"PASS": 0.0, "APPROVAL_REQUIRED": 0.5, "BLOCK": 1.0}[said.decision]
    return {"usable": 1, "findings_found": worth if blocked else 1.0}


SEATS = {"commander": _commander, "policy": _policy, "control": _control, "answer": _answer, "reviewer": _reviewer}


def _skills(made: Iterable[SkillInvocation]) -> Iterator[Judged]:
    """By name. Calls that were refused for their planner's fault are the planner's."""
    groups = defaultdict[str, list[str]](list)
    for call in made:
        if call.outcome not in REFUSED:
            groups[call.skill].append(call.outcome)
    for name, outcomes in sorted(groups.items()):
        worked = _share(outcomes.count("ok"), len(outcomes))
        within = _share(sum(outcome not in OUT_OF_CONTRACT for outcome in outcomes), len(outcomes))
        yield Judged(SKILL + name, "skill", {"worked": worked, "within_contract": within})


def _opinion(call: ModelCall, shape: type[O]) -> O | None:
    """What the seat said; None where its call gave nothing usable."""
    if call.outcome != "ok":
        return None
    try:
        return shape.model_validate_json(call.reply)
    except ValidationError:
        return None


def _unusable(*criteria: str) -> dict[str, float]:
    return dict.fromkeys(("usable", *criteria), 0.0)


def _cited(quotes: Sequence[Citation], dossier: Dossier) -> float:
    """A made-up exhibit is a violation of hard safety: nothing else counts then."""
    if any(quote.exhibit not in dossier.exhibits for quote in quotes):
        return 0.0
    return _share(sum(valid(quote, dossier) for quote in quotes), len(quotes))


def _exhibit(side: object) -> str:
    return str(side.get("exhibit", "")) if isinstance(side, dict) else ""


def _share(part: int, whole: int) -> float:
    return max(0, part) / whole if whole else 1.0
