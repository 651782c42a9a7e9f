"""SCORE v0.2 to the byte: rubric, evaluation, reputation, audit entry (scoring.md, section 2).

The protocol is defined on doubles and on what JavaScript does with them; JSON field names are its own. Two things differ on purpose: a
score that is no number is refused, and `verify_*` exist. What is beyond v0.2 (Ed25519 envelopes, store, federation) stands elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import uuid4

import rfc8785
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from trustops.domain.errors import RuleBroken

TOLERANCE = 0.001
"""So far the sum of a rubric's weights may be from 1."""
DECAY = 0.01
"""A day's decay of an evaluation's weight: half of it is gone after about 69 days."""
DAY_MS = 86_400_000
When = datetime | str
Ids = Callable[[], str]


class Record(BaseModel):
    """A value of the protocol: attributes in Python's spelling, JSON in the protocol's. Absent is left out, never null."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    def json_form(self) -> dict[str, Any]:
        """The object as the protocol writes it, fields in its order."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Criterion(Record):
    """One dimension of quality. Its weight may be negative where all weights add up to 1, as in the original."""

    name: str
    description: str = ""
    weight: float
    id: str


class Rubric(Record):
    """Weighted criteria. A new version is a new rubric: it never rescores what an older one judged."""

    id: str
    name: str
    version: str
    criteria: tuple[Criterion, ...]


class Evaluation(Record):
    """One output judged by one rubric. `scores` are by criterion id, 0 to 1; unknown ids are kept and count for nothing.

    The signature does not cover them: who has the rubric compares the composite (`verify_evaluation`), and the envelope covers all.
    """

    id: str
    rubric_id: str
    agent_id: str
    output_ref: str
    scores: dict[str, float | int]
    composite_score: float | int
    evaluated_by: str
    evaluated_at: str
    signature: str
    notes: str | None = None


class Reputation(Record):
    """An agent's evaluations, newer ones weighing more. `last_evaluated_at` is empty where there are none."""

    agent_id: str
    score: float | int
    evaluation_count: int
    last_evaluated_at: str
    calculated_at: str


class AuditEntry(Record):
    """A signed line about one evaluation, small enough for a log that others keep."""

    evaluation_id: str
    agent_id: str
    composite_score: float | int
    timestamp: str
    signature: str


def create_rubric(
    name: str, criteria: Sequence[Mapping[str, Any]], id: str | None = None, version: str = "1.0", *, new_id: Ids | None = None
) -> Rubric:
    """A rubric of criteria given by name, description and weight; ids are drawn (UUIDv4). Raises RuleBroken: no_criteria, weights_sum."""
    draw = new_id or _uuid
    if not criteria:
        raise RuleBroken("Rubric must have at least one criterion", rule="no_criteria", where=name)
    total = 0.0
    for each in criteria:
        total += _number(each["weight"], f"Weight of '{each['name']}'")
    if abs(total - 1.0) > TOLERANCE:
        raise RuleBroken(f"Criterion weights must sum to 1.0, got {_fixed(total, 4)}", rule="weights_sum", where=name)
    made = id or draw()
    return Rubric(id=made, name=name, version=version, criteria=tuple(Criterion(**{"id": draw(), **each}) for each in criteria))


def evaluate(
    rubric: Rubric,
    agent_id: str,
    output_ref: str,
    scores: Mapping[str, float],
    evaluated_by: str,
    secret: str,
    *,
    now: When | None = None,
    id: str | None = None,
    notes: str | None = None,
) -> Evaluation:
    """A signed evaluation. Raises RuleBroken: missing_score, score_range, not_a_number, each naming the criterion."""
    composite = composite_of(rubric, scores)
    at, name = moment(now), id or _uuid()
    return Evaluation(
        id=name,
        rubric_id=rubric.id,
        agent_id=agent_id,
        output_ref=output_ref,
        scores=dict(scores),
        composite_score=composite,
        evaluated_by=evaluated_by,
        evaluated_at=at,
        signature=_sign(_evaluation_text(name, agent_id, output_ref, composite, at), secret),
        notes=notes,
    )


def composite_of(rubric: Rubric, scores: Mapping[str, float]) -> float:
    """The weighted sum from left to right, neither rounded nor clamped."""
    total = 0.0
    for criterion in rubric.criteria:
        given = scores.get(criterion.id)
        if given is None:
            raise RuleBroken(f"Missing score for criterion '{criterion.name}' ({criterion.id})", rule="missing_score", where=rubric.name)
        value = _number(given, f"Score for '{criterion.name}'")
        if not 0 <= value <= 1:
            said = f"Score for '{criterion.name}' must be 0.0–1.0, got {_javascript(value)}"
            raise RuleBroken(said, rule="score_range", where=rubric.name)
        total += value * criterion.weight
    return total


def calculate_reputation(
    agent_id: str, evaluations: Iterable[Evaluation], decay_rate: float = DECAY, as_of: When | None = None
) -> Reputation:
    """The time-weighted mean of an agent's composites; evaluations of others are passed over. Whether they are signed is not asked here."""
    mine = ((each.composite_score, milliseconds(each.evaluated_at)) for each in evaluations if each.agent_id == agent_id)
    return reputation_of(agent_id, mine, decay_rate, as_of)


def reputation_of(
    agent_id: str, composites: Iterable[tuple[float, int]], decay_rate: float = DECAY, as_of: When | None = None
) -> Reputation:
    """The same from composites and the milliseconds of their evaluation, in one pass and without keeping them."""
    weighing = Weighing(decay_rate, as_of)
    for composite, when in composites:
        weighing.add(composite, when)
    return weighing.reputation(agent_id)


class Weighing:
    """A reputation in the making: evaluations come one by one, in the order in which they are summed up, and none is kept."""

    def __init__(self, decay_rate: float = DECAY, as_of: When | None = None) -> None:
        self.at = moment(as_of)
        self.decay, self.now = decay_rate, milliseconds(self.at)
        self.count, self.last, self.weighed, self.weights = 0, 0, 0.0, 0.0

    def add(self, composite: float, when: int) -> None:
        """One more, by its composite and the milliseconds of its evaluation."""
        weight = math.exp(-self.decay * max((self.now - when) / DAY_MS, 0))
        self.weighed += composite * weight
        self.weights += weight
        self.last = when if not self.count or when > self.last else self.last
        self.count += 1

    def reputation(self, agent_id: str) -> Reputation:
        """What they came to."""
        return Reputation(
            agent_id=agent_id,
            score=self.weighed / self.weights if self.weights > 0 else 0,
            evaluation_count=self.count,
            last_evaluated_at=written(self.last) if self.count else "",
            calculated_at=self.at,
        )


def create_audit_entry(evaluation: Evaluation, secret: str) -> AuditEntry:
    """The signed line about an evaluation."""
    at, composite = evaluation.evaluated_at, evaluation.composite_score
    return AuditEntry(
        evaluation_id=evaluation.id,
        agent_id=evaluation.agent_id,
        composite_score=composite,
        timestamp=at,
        signature=_sign(_audit_text(evaluation.id, evaluation.agent_id, composite, at), secret),
    )


def verify_evaluation(evaluation: Evaluation, secret: str, rubric: Rubric | None = None) -> bool:
    """Whether the signature fits (in constant time), and with the rubric whether the composite is that of the scores."""
    e = evaluation
    text = _evaluation_text(e.id, e.agent_id, e.output_ref, e.composite_score, e.evaluated_at)
    signed = hmac.compare_digest(_sign(text, secret), e.signature)
    if rubric is None or not signed:
        return signed
    try:
        return e.rubric_id == rubric.id and composite_of(rubric, e.scores) == e.composite_score
    except RuleBroken:
        return False


def verify_audit_entry(entry: AuditEntry, secret: str) -> bool:
    """Whether the signature fits, in constant time."""
    text = _audit_text(entry.evaluation_id, entry.agent_id, entry.composite_score, entry.timestamp)
    return hmac.compare_digest(_sign(text, secret), entry.signature)


# -- the protocol's spelling ---------------------------------------------------------------------------------------------


def six_decimals(value: float) -> str:
    """JavaScript's toFixed(6): half up on the exact binary value, which Python's own formatting is not."""
    return _fixed(value, 6)


def moment(when: When | None) -> str:
    """An instant as the protocol writes it, `YYYY-MM-DDTHH:MM:SS.mmmZ`; a day alone is its midnight in UTC. None is now."""
    return written(milliseconds(when if when is not None else datetime.now(UTC)))


def milliseconds(when: When) -> int:
    """Milliseconds since 1970. Raises RuleBroken (time) for what is no instant, or has no time zone."""
    try:
        found = datetime.fromisoformat(when) if isinstance(when, str) else when
        if isinstance(when, str) and len(when) == len("2026-01-01"):
            found = datetime.combine(date.fromisoformat(when), time(), UTC)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise RuleBroken(f"{when!s} is no instant with a time zone", rule="time", remedy="Write 2026-03-25T13:00:00.000Z.")
    return round(found.timestamp() * 1000)


def written(ms: int) -> str:
    """The instant of so many milliseconds, as the protocol writes it."""
    seconds, rest = divmod(ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


def _evaluation_text(id: str, agent: str, output: str, composite: float, at: str) -> str:
    return f"{id}:{agent}:{output}:{six_decimals(composite)}:{at}"


def _audit_text(id: str, agent: str, composite: float, at: str) -> str:
    return f"audit:{id}:{agent}:{six_decimals(composite)}:{at}"


def _sign(text: str, secret: str) -> str:
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def _fixed(value: float, places: int) -> str:
    return str(Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise RuleBroken(f"{what} must be a number, got {value!r}", rule="not_a_number")
    return value


def _javascript(value: float) -> str:
    """A number as JavaScript prints it, which RFC 8785 demands as well."""
    return rfc8785.dumps(value).decode() if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _uuid() -> str:
    return str(uuid4())
