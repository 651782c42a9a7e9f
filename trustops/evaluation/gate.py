"""Gates: what a figure must reach, by whose word, and over how many. They are data (golden/gates/); a missing figure is not a pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, field_validator

from trustops.domain.base import Noun
from trustops.domain.errors import MalformedFile
from trustops.evaluation import figures
from trustops.evaluation.lined import first_error, line_of, parsed
from trustops.evaluation.metric import METRICS, Measured, Registry, measure
from trustops.evaluation.score import Authority, Score
from trustops.roster import shipped

Wanted = Literal["equals", "at_least", "at_most"]
SIGNS: dict[str, str] = {"equals": "=", "at_least": "≥", "at_most": "≤"}


class GateState(StrEnum):
    """MISSING: the figure could not be had, or not from somebody who may say so, or over too few cases."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    MISSING = "MISSING"


class Gate(Noun):
    """`value` is a share or a number, exact. `authority` is the lowest that is believed; `of` the fewest cases that count as measured.

    `needs` are the suites that measure it: a run without one of them does not judge this gate. `blocks_release` is the sentence of
    evaluation.md, "Release blockers", that it stands for.
    """

    metric: str
    wanted: Wanted
    value: Decimal
    authority: Authority = Authority.GOLDEN_TRUTH
    of: int = Field(default=1, ge=1)
    needs: tuple[str, ...] = ()
    blocks_release: str = ""
    why: str = ""

    @field_validator("authority", mode="before")
    @classmethod
    def _named(cls, told: object) -> object:
        return Authority[told] if isinstance(told, str) and told in Authority.__members__ else told

    def holds(self, value: Decimal) -> bool:
        """Whether a figure reaches what is wanted."""
        return {"equals": value == self.value, "at_least": value >= self.value, "at_most": value <= self.value}[self.wanted]


class GateResult(Noun):
    """One gate and the figure that was held against it."""

    gate: Gate
    measured: Measured
    state: GateState
    why: str = ""


def load_gates(path: Path | None = None, registry: Registry = METRICS) -> tuple[Gate, ...]:
    """The gates of a file (golden/gates/p0.yaml). Raises MalformedFile with the line, UnknownName for a metric that is none."""
    figures.register()
    path = path or shipped("golden") / "gates" / "p0.yaml"
    node, data = parsed(path)
    items = data.get("gates") if isinstance(data, dict) else None
    if not isinstance(items, list) or not items:
        raise MalformedFile("gates: no list of gates", where=path.name, remedy="Write `gates:` and a list.")
    found = []
    for at, item in enumerate(items):
        try:
            gate = Gate.model_validate(item)
        except ValidationError as bad:
            place, told = first_error(bad)
            where = f"{path.name}, line {line_of(node, ('gates', at, *place))}"
            remedy = f"The keys of a gate are {', '.join(Gate.model_fields)}."
            raise MalformedFile(f"{'.'.join(map(str, place)) or 'the gate'}: {told}", where=where, remedy=remedy) from bad
        registry.get(gate.metric)
        found.append(gate)
    return tuple(found)


def judge(gate: Gate, scores: Iterable[Score], registry: Registry = METRICS) -> GateResult:
    """A gate held against the scores of a run."""
    figure = measure(registry.get(gate.metric), scores, at_least=gate.authority)
    if figure.value is None:
        why = f"no score of {gate.authority.name} or more" if figure.missing else "nothing was measured"
        return GateResult(gate=gate, measured=figure, state=GateState.MISSING, why=why)
    if not gate.holds(figure.value):
        return GateResult(gate=gate, measured=figure, state=GateState.FAILED, why=f"wanted {SIGNS[gate.wanted]} {gate.value}")
    if figure.missing:
        return GateResult(gate=gate, measured=figure, state=GateState.MISSING, why=f"{figure.missing} scores are missing")
    if figure.of < gate.of:
        return GateResult(gate=gate, measured=figure, state=GateState.MISSING, why=f"measured over {figure.of}, {gate.of} are needed")
    return GateResult(gate=gate, measured=figure, state=GateState.PASSED)


def judged(gates: Sequence[Gate], scores: Sequence[Score], suites: Iterable[str], registry: Registry = METRICS) -> tuple[GateResult, ...]:
    """Every gate whose suites were run."""
    ran = set(suites)
    by_name: dict[str, list[Score]] = {}
    for score in scores:
        by_name.setdefault(score.metric, []).append(score)
    return tuple(judge(gate, by_name.get(gate.metric, ()), registry) for gate in gates if set(gate.needs) <= ran)
