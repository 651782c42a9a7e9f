"""Judges: models whose opinion is asked about an answer. It is the lowest authority there is, and decides nothing.

A judge is a prompt (by name, version and digest) and a model. What it may be used for depends on its calibration against people: without
one, or with one of another prompt or model, it is advisory. A judge that is the model that wrote the answer is never the only grader. A
judge that fails has given no score: that is missing, and neither a bad score nor a vote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError

from trustops.domain.authenticity import Origin
from trustops.domain.base import Noun
from trustops.domain.chain import sha256
from trustops.domain.errors import ProviderFailed, Refused, UnknownName
from trustops.evaluation.score import Authority, Score
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.roster import UNTRUSTED, Roster, render
from trustops.scoring.rubric import DIMENSIONS, overall
from trustops.team.seat import material

T = TypeVar("T", bound=BaseModel)
RUBRIC = "judge-rubric"
ADVISORY = ("judge-clarity", "judge-entailment", "judge-overcommitment", "judge-disclosure")
"""Those that look at one answer; others (plan, intent, skill, refusal, image) look at what their case gives."""
COMPUTED = "turn_efficiency"
"""The dimension that no judge gives."""
SYSTEM = (
    "You judge what others wrote. You take part in nothing, and you promise nothing. One JSON object of the given shape, nothing around it."
)
Dimension = Literal[1, 2, 3, 4]


class Dimensions(Noun):
    """What the rubric's judge gives; None where a dimension does not apply."""

    accuracy: Dimension | None
    helpfulness: Dimension | None
    source_usage: Dimension | None
    personalization: Dimension | None
    clarity: Dimension | None
    conciseness: Dimension | None
    tone: Dimension | None
    multi_part_handling: Dimension | None
    multilingual_support: Dimension | None


class Justifications(Noun):
    """One sentence each."""

    accuracy: str = Field(max_length=1000)
    helpfulness: str = Field(max_length=1000)
    source_usage: str = Field(max_length=1000)
    personalization: str = Field(max_length=1000)
    clarity: str = Field(max_length=1000)
    conciseness: str = Field(max_length=1000)
    tone: str = Field(max_length=1000)
    multi_part_handling: str = Field(max_length=1000)
    multilingual_support: str = Field(max_length=1000)


class RubricOpinion(Noun):
    """The reply of the rubric's judge. `overall_score` is what it thinks; the computed overall counts."""

    scores: Dimensions
    justifications: Justifications
    fabricated: bool
    overall_score: float = Field(ge=1, le=4)


class Advice(Noun):
    """The reply of an advisory judge: 0 (worst) to 5 (best)."""

    verdict: Literal["PASS", "FAIL"]
    score: int = Field(ge=0, le=5)
    reason: str = Field(max_length=1000)


class Grader(Noun):
    """Who judged: the prompt with version and digest, and the model. Two are the same grader only where all of it is equal."""

    prompt: str
    provider: str
    model: str

    @property
    def name(self) -> str:
        """The prompt's name without version and digest."""
        return self.prompt.partition("@")[0]


class Judged(Noun):
    """An opinion that was given, with who gave it and how it was served."""

    grader: Grader
    origin: Origin
    opinion: RubricOpinion | Advice


class Unjudged(Noun):
    """No opinion, and why."""

    judge: str
    why: str


@dataclass(frozen=True, slots=True)
class Judge:
    """A prompt by name, and the client that answers it."""

    name: str
    client: ModelClient
    roster: Roster
    timeout_s: float = 120.0

    @property
    def label(self) -> str:
        """Name, version, and a digest of all that the judge is told beside its material. Raises UnknownName for no such prompt."""
        return prompt_label(self.roster, self.name)


def prompt_label(roster: Roster, name: str) -> str:
    """The label of a judge's prompt; another word in it is another label."""
    if not name.startswith("judge-") or name not in roster.prompts:
        known = ", ".join(sorted(each for each in roster.prompts if each.startswith("judge-")))
        raise UnknownName(f"there is no judge {name!r}", where="prompts", remedy=f"There are {known}.")
    prompt = roster.prompts[name]
    told = sha256(f"{SYSTEM}{roster.prompts[UNTRUSTED].digest}{prompt.digest}".encode())
    return f"{prompt.name}@{prompt.version}:{told[:12]}"


async def ask(judge: Judge, payload: Mapping[str, Any]) -> Judged | Unjudged:
    """One opinion on the material. The rubric's judge gives dimensions, every other one advice. Whatever fails is Unjudged."""
    shape: type[RubricOpinion] | type[Advice] = RubricOpinion if judge.name == RUBRIC else Advice
    label = judge.label
    request = compose(judge.roster, judge.name, label, shape, payload, timeout_s=judge.timeout_s)
    try:
        async with asyncio.timeout(judge.timeout_s):
            reply = await judge.client.complete(request)
    except TimeoutError:
        return Unjudged(judge=label, why=f"no reply within {judge.timeout_s:g} s")
    except ProviderFailed as failed:
        return Unjudged(judge=label, why=str(failed)[:300])
    opinion = read(reply, shape)
    if isinstance(opinion, str):
        return Unjudged(judge=label, why=opinion)
    return Judged(grader=Grader(prompt=label, provider=reply.provider, model=reply.model), origin=reply.origin, opinion=opinion)


def compose(
    roster: Roster, name: str, label: str, shape: type[BaseModel], payload: Mapping[str, Any], *, timeout_s: float, **more: Any
) -> ModelRequest:
    """The request of a model outside of the five seats: its prompt, and fenced material."""
    told = {"untrusted": roster.prompts[UNTRUSTED].text, "material": material(dict(payload))}
    return ModelRequest(
        seat=name,
        prompt=label,
        system=SYSTEM,
        user=render(roster.prompts[name].text, told, where=f"prompts/{name}.md"),
        shape_name=shape.__name__,
        shape=shape.model_json_schema(),
        payload=dict(payload),
        timeout_s=timeout_s,
        **more,
    )


def read(reply: ModelReply, shape: type[T]) -> T | str:
    """The reply as its shape, or in words why it is none."""
    if reply.stop_reason != "complete":
        return f"the reply ended by {reply.stop_reason}"
    try:
        return shape.model_validate_json(reply.text)
    except ValidationError as bad:
        first = bad.errors()[0]
        return f"the reply does not fit its shape ({'.'.join(map(str, first['loc'])) or 'reply'}: {first['msg']})"


# -- what an opinion is worth --------------------------------------------------------------------------------------------


class Graded(NamedTuple):
    """The ten dimensions with turn efficiency filled in, and the computed overall."""

    scores: dict[str, int | None]
    overall: Decimal
    fabricated: bool


def graded(opinion: RubricOpinion, efficiency: int | None = None) -> Graded:
    """The opinion as scores. `efficiency` is computed from turns, None where there is nothing to compare; the overall is computed too."""
    given = opinion.scores.model_dump() | {COMPUTED: efficiency}
    scores = {name: given[name] for name in DIMENSIONS}
    if not any(value is not None for value in scores.values()):
        raise Refused("the judge gave no dimension at all", where=RUBRIC, remedy="A missing score is no score.")
    return Graded(scores, overall(scores, fabricated=opinion.fabricated)[0], opinion.fabricated)


class Calibration(Noun):
    """How far a judge agrees with people, as it was measured. Rates are (hits, of); agreement is None where it does not exist."""

    id: str
    at: str
    grader: Grader
    items: int
    raters: int
    missing: int
    """Items that the judge gave no verdict on."""
    disputed: int
    """Items on which people did not agree; they count for alpha alone."""
    agreement: tuple[int, int]
    kappa: float | None
    alpha: float | None
    tpr: tuple[int, int]
    tpr_interval: tuple[float, float] | None
    tnr: tuple[int, int]
    tnr_interval: tuple[float, float] | None
    observed: tuple[int, int]
    corrected: float | None
    """The share of passes corrected for the judge's errors (Rogan-Gladen); None where its verdicts tell nothing."""


class Worth(NamedTuple):
    """What a judge may be used for. Advisory: shown, and counted by no gate and no comparison that carries a playbook."""

    calibrated: bool
    why: str

    @property
    def advisory(self) -> bool:
        return not self.calibrated


LEAST = 30
"""Items that a calibration needs: of fewer, both rates mean little."""


def worth(grader: Grader, calibrations: Iterable[Calibration]) -> Worth:
    """By the newest calibration of this prompt's name (the last one given)."""
    mine = [each for each in calibrations if each.grader.name == grader.name]
    if not mine:
        return Worth(False, "nobody calibrated it against people")
    newest = mine[-1]
    if newest.grader.prompt != grader.prompt:
        return Worth(False, f"its prompt is another one than was calibrated ({newest.grader.prompt})")
    if (newest.grader.provider, newest.grader.model) != (grader.provider, grader.model):
        return Worth(False, f"its model is another one than was calibrated ({newest.grader.provider} {newest.grader.model})")
    if newest.items - newest.missing - newest.disputed < LEAST:
        return Worth(False, f"it was calibrated on fewer than {LEAST} items")
    if newest.corrected is None:
        return Worth(False, "its verdicts tell nothing (true positive and true negative rate add up to 1 or less)")
    return Worth(True, "")


def not_its_own_judge(grader: Grader, generators: Iterable[tuple[str, str]], *, others: int = 0) -> None:
    """Raises Refused where the judge is the model that wrote what it judges, and nobody else judges it: `others` counts independent
    graders. Generators are (provider, model)."""
    if (grader.provider, grader.model) in set(generators) and not others:
        raise Refused(
            f"{grader.provider} {grader.model} wrote the answers and would be their only grader",
            where=grader.name,
            remedy="Name a judge of another model with --judge PROFILE.",
        )


def score(metric: str, case_id: str, found: Judged | Unjudged, value: Decimal | None = None, **more: Any) -> Score:
    """An opinion as a score of the lowest authority; one that was not given is missing. `value` is the advice's score if not given."""
    told = {"metric": metric, "case_id": case_id, "authority": Authority.LLM_JUDGE, **more}
    if isinstance(found, Unjudged):
        return Score(**told, amount=None, why=found.why)
    advice = found.opinion
    if value is None:
        value = Decimal(advice.score) if isinstance(advice, Advice) else graded(advice).overall
    return Score(**told, amount=value, why=advice.reason if isinstance(advice, Advice) else "")
