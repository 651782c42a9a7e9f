"""Comparing two ways of answering: plain against what is added to it. Both are driven by the same simulated customer from the same opening
message, and a judge who sees neither name nor count says which served better (scoring.md, section 3).

What may be added: the house style (answer library, style.yaml, playbooks), or one playbook on top of it. The sides differ by that alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from trustops.domain.answer import AnswerVersion
from trustops.domain.authenticity import Origin
from trustops.domain.base import Noun
from trustops.domain.chain import digest, sha256
from trustops.domain.comparison import Comparison
from trustops.domain.comparison import Side as SideCount
from trustops.domain.question import AnswerCell, Exchange, PartKind, Question
from trustops.evaluation.judging import Grader, Judged, RubricOpinion, graded
from trustops.evaluation.scenarios import Person, Scenario
from trustops.evaluation.simulated import UNANSWERED, Customer, RubricJudge, Said
from trustops.operations.office import Office
from trustops.scoring.rubric import (
    MOST_JUDGED,
    Verdict,
    Winner,
    burden_winner,
    jaccard,
    majority,
    quality_delta,
    turn_efficiency,
    turn_reduction_pct,
)
from trustops.workflow.desk import Desk, Shelf
from trustops.workflow.state import Outcome

LIBRARY = "answer-library"
SAME = Fraction(1, 2)
"""The share of words from which on one name is taken for another."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of answering: an office with what its questions share, and what of the augmentation had a part in an outcome."""

    name: str
    office: Office
    shelf: Shelf
    fired: Callable[[Outcome], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One side of a scenario. `failed` says why it has no end; then it is missing, and no defeat. `generators` are (provider, model) of
    every call behind it."""

    turns: tuple[Said, ...] = ()
    reached: bool = False
    failed: str = ""
    generators: frozenset[tuple[str, str]] = frozenset()

    @property
    def fired(self) -> tuple[str, ...]:
        """Names of what fired in any turn."""
        return tuple(dict.fromkeys(name for turn in self.turns for name in turn.fired))


class Compared(Noun):
    """One scenario's record. What one side lacks is None: nothing is compared with a side that did not run, or failed."""

    scenario_id: str
    user: str
    category: str
    baseline_turns: int | None = None
    augmented_turns: int | None = None
    baseline_goal_reached: bool | None = None
    augmented_goal_reached: bool | None = None
    should_trigger_swarm: bool
    triggered: bool | None = None
    trigger_correct: bool | None = None
    fired: tuple[str, ...] = ()
    turn_reduction_pct: Decimal | None = None
    burden_winner: Winner | None = None
    quality_winner: Winner | None = None
    quality_delta: Decimal | None = None
    accuracy_delta: Decimal | None = None
    personalization: tuple[Decimal, Decimal] | None = None
    """Before and after."""
    judge_runs: int = 0
    votes: tuple[Winner | None, ...] = ()
    """None is a judge's run that failed."""
    missing: str = ""


@dataclass(slots=True)
class Judges:
    """Who judges, and everybody who did."""

    rubric: RubricJudge
    runs: int = MOST_JUDGED
    seen: list[Judged] = field(default_factory=list)

    @property
    def origin(self) -> Origin:
        """LIVE only where every opinion was."""
        return Origin.LIVE if self.seen and {one.origin for one in self.seen} == {Origin.LIVE} else Origin.SCRIPTED

    @property
    def graders(self) -> tuple[Grader, ...]:
        return tuple(dict.fromkeys(one.grader for one in self.seen))


async def converse(way: Way, customer: Customer, person: Person, scenario: Scenario) -> Conversation:
    """The opening message and up to max_turns answers. A question goes through the whole machine; the customer hears what could leave."""
    turns: list[Said] = []
    generators: set[tuple[str, str]] = set()
    message = scenario.opening_message
    while True:
        said, outcome = await answered(way, scenario, message, turns)
        turns.append(said)
        generators |= {(call.provider, call.model) for turn in outcome.turns for call in turn.calls if call.provider}
        spoken = await customer.speak(person, scenario, turns)
        if spoken.reached or spoken.why or len(turns) >= scenario.max_turns:
            return Conversation(tuple(turns), spoken.reached, spoken.why, frozenset(generators))
        message = spoken.message


async def answered(way: Way, scenario: Scenario, message: str, before: Sequence[Said]) -> tuple[Said, Outcome]:
    """One turn, worked by the five seats and the rules. What is blocked is not told to anybody."""
    from trustops.workflow.machine import work

    told = tuple(Exchange(asked=turn.asked, answered=turn.told if turn.left else "") for turn in before)
    ref = f"{scenario.scenario_id}+{len(before)}"
    cell = AnswerCell(part="answer", sheet="csv", cell="C2", kind=PartKind.TEXT)
    question = Question(ref=ref, text=message, sheet="csv", cell="B2", answers=(cell,), conversation=told)
    key = f"compare:{way.name}:{ref}"
    outcome = await work(question, Desk(way.shelf, way.office.table(way.office.client, key, key)))
    version, decision = outcome.version, outcome.result.decision.value
    left = version is not None and version.determination.affirmative and decision != "BLOCK"
    text = version.text if version is not None and left else UNANSWERED
    quotes = _quotes(version) if version is not None and left else ()
    verdict = version.determination.value if version is not None else ""
    return Said(message, text, left, verdict, decision, quotes, tuple(way.fired(outcome))), outcome


def _quotes(version: AnswerVersion) -> tuple[str, ...]:
    return tuple(dict.fromkeys(citation.quote for claim in version.claims for citation in claim.citations))


async def judged(
    judges: Judges, person: Person, baseline: Conversation, augmented: Conversation
) -> tuple[Verdict, list[Winner | None], list[tuple[RubricOpinion, RubricOpinion, Fraction]]]:
    """Both sides judged, again while the difference is small and no two runs agree, at most three times. A side that a judge failed on is a
    missing run. Gives the verdict, the votes, and the opinions (baseline, augmented, delta) of the runs that succeeded."""
    efficiency = turn_efficiency(len(baseline.turns), len(augmented.turns)) if baseline.reached and augmented.reached else None
    even = None if efficiency is None else turn_efficiency(0, 0)
    votes: list[Winner | None] = []
    runs: list[tuple[RubricOpinion, RubricOpinion, Fraction]] = []
    while len(votes) < judges.runs:
        sides = [await judges.rubric.judge(person, side.turns) for side in (baseline, augmented)]
        judges.seen += [side for side in sides if side is not None]
        before, after = (side.opinion if side is not None else None for side in sides)
        if not isinstance(before, RubricOpinion) or not isinstance(after, RubricOpinion):
            votes.append(None)
            continue
        quality = quality_delta(graded(after, efficiency).scores.values(), graded(before, even).scores.values())
        votes.append(quality.winner)
        runs.append((before, after, quality.delta))
        if len(runs) == 1 and not quality.judge_again:
            return Verdict(quality.winner, 1, 1, True), votes, runs
        if majority(votes).settled:
            break
    return majority(votes), votes, runs


def triggered(expected: str | None, fired: Sequence[str], semantic: Callable[[str, Sequence[str]], bool | None] | None = None) -> bool:
    """Whether what should fire did: by its exact name, else by a judge of meanings where there is one, else by shared words. Without an
    expected name: whether anything fired."""
    if not expected:
        return bool(fired)
    if expected in fired:
        return True
    said = semantic(expected, fired) if semantic is not None and fired else None
    if said is not None:
        return said
    return any(jaccard(_words(expected), _words(name)) >= SAME for name in fired)


def _words(name: str) -> list[str]:
    return name.casefold().replace("-", " ").replace("_", " ").split()


async def compare(
    person: Person, scenario: Scenario, baseline: Conversation | None, augmented: Conversation | None, judges: Judges
) -> Compared:
    """The record of one scenario from its two sides, or from one of them alone."""
    told: dict[str, object] = {
        "scenario_id": scenario.scenario_id,
        "user": person.user_id,
        "category": scenario.category,
        "should_trigger_swarm": scenario.should_trigger_swarm,
    }
    for name, side in (("baseline", baseline), ("augmented", augmented)):
        if side is not None:
            told |= {f"{name}_turns": len(side.turns), f"{name}_goal_reached": side.reached}
    if augmented is not None:
        hit = triggered(scenario.expected_swarm_agent, augmented.fired)
        told |= {"fired": augmented.fired, "triggered": hit, "trigger_correct": hit == scenario.should_trigger_swarm}
    failed = "; ".join(
        f"{name}: {side.failed}" for name, side in (("baseline", baseline), ("augmented", augmented)) if side and side.failed
    )
    if failed or baseline is None or augmented is None:
        return Compared.model_validate(told | {"missing": failed})
    verdict, votes, runs = await judged(judges, person, baseline, augmented)
    told |= {
        "turn_reduction_pct": turn_reduction_pct(len(baseline.turns), len(augmented.turns)),
        "burden_winner": burden_winner(
            augmented_reached=augmented.reached,
            baseline_reached=baseline.reached,
            augmented_turns=len(augmented.turns),
            baseline_turns=len(baseline.turns),
        ),
        "quality_winner": verdict.winner if runs else None,
        "judge_runs": len(votes),
        "votes": tuple(votes),
        "missing": "" if runs else "no run of the judge succeeded",
    }
    return Compared.model_validate(told | _qualities(runs))


def _qualities(runs: Sequence[tuple[RubricOpinion, RubricOpinion, Fraction]]) -> dict[str, object]:
    """Means over the runs of the judge."""
    if not runs:
        return {}
    accuracy = [_less(after.scores.accuracy, before.scores.accuracy) for before, after, _ in runs]
    personal = [(before.scores.personalization, after.scores.personalization) for before, after, _ in runs]
    both = [(low, high) for low, high in personal if low is not None and high is not None]
    given = [value for value in accuracy if value is not None]
    return {
        "quality_delta": _decimal(sum((delta for *_, delta in runs), Fraction(0)) / len(runs)),
        "accuracy_delta": _decimal(Fraction(sum(given), len(given))) if given else None,
        "personalization": tuple(_decimal(Fraction(sum(pair[at] for pair in both), len(both))) for at in (0, 1)) if both else None,
    }


def _less(after: int | None, before: int | None) -> int | None:
    return None if after is None or before is None else after - before


def _decimal(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / value.denominator).quantize(Decimal("0.0001"))


class Half(Noun):
    """The figures of one category. Rates are (so many, of so many)."""

    scenarios: int
    missing: int
    trigger_rate: tuple[int, int]
    """How often something fired: the trigger rate of similar scenarios, the false-trigger rate of different ones."""
    trigger_correct: tuple[int, int]
    wins_where_fired: dict[str, int]
    burden: dict[str, int]
    personalization_before: Decimal | None
    personalization_after: Decimal | None
    quality_delta: Decimal | None
    accuracy_cost: Decimal | None


def half(records: Sequence[Compared], category: str) -> Half:
    """The figures of the similar or of the different scenarios, apart."""
    mine = [record for record in records if record.category == category]
    ran = [record for record in mine if record.triggered is not None]
    personal = [record.personalization for record in mine if record.personalization is not None]
    return Half(
        scenarios=len(mine),
        missing=sum(bool(record.missing) for record in mine),
        trigger_rate=(sum(bool(record.fired) for record in ran), len(ran)),
        trigger_correct=(sum(bool(record.trigger_correct) for record in ran), len(ran)),
        wins_where_fired=_counts(record.quality_winner for record in mine if record.fired),
        burden=_counts(record.burden_winner for record in mine),
        personalization_before=_mean([pair[0] for pair in personal]),
        personalization_after=_mean([pair[1] for pair in personal]),
        quality_delta=_mean([record.quality_delta for record in mine]),
        accuracy_cost=_negative(_mean([record.accuracy_delta for record in mine])),
    )


def _counts(winners: Iterable[Winner | None]) -> dict[str, int]:
    found: dict[str, int] = {}
    for winner in winners:
        if winner is not None:
            found[winner.value] = found.get(winner.value, 0) + 1
    return found


def _mean(values: Iterable[Decimal | None]) -> Decimal | None:
    given = [value for value in values if value is not None]
    return (sum(given, Decimal(0)) / len(given)).quantize(Decimal("0.0001")) if given else None


def _negative(value: Decimal | None) -> Decimal | None:
    return None if value is None else -value


def concluded(
    records: Sequence[Compared], *, at: datetime, name: str, mark: str, origin: Origin, judge: str, calibrated: bool, held_out: bool
) -> Comparison:
    """What goes on record of a comparison."""
    sides = {category: _count([record for record in records if record.category == category]) for category in ("similar", "different")}
    seal = digest({"at": at.isoformat(), "digest": mark, "records": [record.model_dump(mode="json") for record in records]})
    return Comparison(
        id=f"C-{seal[:12]}",
        at=at,
        augmentation=name,
        digest=mark,
        origin=origin,
        judge=judge,
        judge_calibrated=calibrated,
        held_out=held_out,
        similar=sides["similar"],
        different=sides["different"],
        quality_delta=_mean([record.quality_delta for record in records]),
        accuracy_cost=_negative(_mean([record.accuracy_delta for record in records])),
    )


def _count(records: Sequence[Compared]) -> SideCount:
    won = _counts(record.quality_winner for record in records)
    return SideCount(
        scenarios=len(records),
        fired=sum(bool(record.fired) for record in records),
        augmented_wins=won.get(Winner.AUGMENTED.value, 0),
        baseline_wins=won.get(Winner.BASELINE.value, 0),
        missing=sum(bool(record.missing) or record.quality_winner in (None, Winner.INCONCLUSIVE) for record in records),
    )


def held_out(scenarios: Iterable[Scenario], learned_from: Iterable[str]) -> bool:
    """Whether no scenario opens with a question that the augmentation was learned from (by the digest of its words)."""
    return not {sha256(scenario.opening_message.encode()) for scenario in scenarios} & set(learned_from)
