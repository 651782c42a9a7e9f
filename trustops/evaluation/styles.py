"""The stage of a comparison: two copies of a workspace that differ by the augmentation alone, and all scenarios played on both."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trustops.checks.disclosure import confidential
from trustops.domain.authenticity import EntryPoint, Origin
from trustops.domain.chain import sha256
from trustops.domain.comparison import Comparison
from trustops.domain.errors import Refused
from trustops.evaluation.comparing import (
    LIBRARY,
    Compared,
    Conversation,
    Half,
    Judges,
    Way,
    compare,
    concluded,
    converse,
    half,
    held_out,
)
from trustops.evaluation.judging import Calibration, Judge, Judged, Unjudged, ask, not_its_own_judge, worth
from trustops.evaluation.scenarios import Person, Scenario
from trustops.evaluation.simulated import Customer, RubricJudge, Said, ScriptedCustomer, ScriptedJudge, shown
from trustops.evaluation.suite import OpenOffice
from trustops.operations.answering import alone
from trustops.operations.collecting import collect_snapshots
from trustops.operations.indexing import index_evidence
from trustops.operations.office import Office
from trustops.operations.playbooks import Proposal
from trustops.operations.shelving import shelf
from trustops.ports import ModelClient
from trustops.roster import Roster
from trustops.roster.skillfiles import SkillKind
from trustops.workflow.state import Outcome

HOUSE_STYLE = "house-style"
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be compared. `playbook` is compared on top of everything else; without one the whole house style is what is added.
    `customer` and `judge` are None for the scripted ones."""

    workspace: Path
    scenarios: tuple[tuple[Person, Scenario], ...]
    open_office: OpenOffice
    playbook: Proposal | None = None
    customer: Customer | None = None
    judge: RubricJudge | None = None
    baseline: bool = True
    augmented: bool = True
    calibrations: tuple[Calibration, ...] = ()

    @property
    def name(self) -> str:
        return self.playbook.skill.name if self.playbook else HOUSE_STYLE


@dataclass(frozen=True, slots=True)
class Result:
    """What a comparison found. `comparison` is None where one side alone was played."""

    records: tuple[Compared, ...]
    similar: Half
    different: Half
    origin: Origin
    judge: str
    why_advisory: str
    comparison: Comparison | None


class ModelJudge:
    """The rubric's judge as a model."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.failed: list[str] = []

    async def judge(self, person: Person, so_far: Sequence[Said]) -> Judged | None:
        """One opinion; a run that failed is None, and its reason is kept."""
        found = await ask(self._judge, shown(person, so_far))
        if isinstance(found, Unjudged):
            self.failed.append(found.why)
            return None
        return found


def run(plan: Plan, *, at: datetime, progress: Progress = lambda text: None, others: Iterable[ModelClient] = ()) -> Result:
    """All scenarios on both sides. Raises Refused where the judge is the model that wrote the answers. `others` are closed at the end."""
    with _ways(plan) as (baseline, augmented):
        return asyncio.run(_run(plan, baseline, augmented, at, progress, tuple(others)))


async def _run(plan: Plan, baseline: Way, augmented: Way, at: datetime, progress: Progress, others: tuple[ModelClient, ...]) -> Result:
    customer: Customer = plan.customer or ScriptedCustomer()
    judges = Judges(plan.judge or ScriptedJudge())
    records: list[Compared] = []

    async def work() -> None:
        for number, (person, scenario) in enumerate(plan.scenarios, start=1):
            before = await converse(baseline, customer, person, scenario) if plan.baseline else None
            after = await converse(augmented, customer, person, scenario) if plan.augmented else None
            expected = scenario
            if plan.playbook is not None and before is not None and after is not None:
                after, expected = _made_a_difference(before, after, plan.name), _for(scenario, plan.name)
            records.append(await compare(person, expected, before, after, judges))
            wrote = frozenset[tuple[str, str]]().union(*(side.generators for side in (before, after) if side is not None))
            for grader in judges.graders if judges.origin is Origin.LIVE else ():
                not_its_own_judge(grader, wrote)
            progress(f"[{number}/{len(plan.scenarios)}] {scenario.scenario_id}")

    try:
        await alone(baseline.office, work())
    finally:
        for client in (augmented.office.client, *others):
            close = getattr(client, "close", None)
            if close is not None:
                await close()
    return _result(plan, records, customer, judges, at)


def _result(plan: Plan, records: Sequence[Compared], customer: Customer, judges: Judges, at: datetime) -> Result:
    """LIVE only where customer, judge and nobody else served it."""
    live = plan.customer is not None and plan.judge is not None and customer.origin is judges.origin is Origin.LIVE
    origin = Origin.LIVE if live else Origin.SCRIPTED
    named = "; ".join(f"{g.prompt} by {g.provider} {g.model}" for g in judges.graders) or "nobody judged"
    why = "it is scripted" if not live else next((w.why for g in judges.graders if (w := worth(g, plan.calibrations)).advisory), "")
    apart = held_out((scenario for _, scenario in plan.scenarios), plan.playbook.asked if plan.playbook else ())
    mark = plan.playbook.skill.digest if plan.playbook else sha256(plan.name.encode())
    made = (
        concluded(records, at=at, name=plan.name, mark=mark, origin=origin, judge=named, calibrated=live and not why, held_out=apart)
        if plan.baseline and plan.augmented
        else None
    )
    return Result(tuple(records), half(records, "similar"), half(records, "different"), origin, named, why, made)


def _made_a_difference(before: Conversation, after: Conversation, name: str) -> Conversation:
    """A playbook is told to the seat every time; it fired where the customer heard something else."""
    turns = [
        replace(turn, fired=(name,) if at >= len(before.turns) or before.turns[at].told != turn.told else ())
        for at, turn in enumerate(after.turns)
    ]
    return replace(after, turns=tuple(turns))


def _for(scenario: Scenario, name: str) -> Scenario:
    return scenario.model_copy(update={"expected_swarm_agent": name if scenario.should_trigger_swarm else None})


# -- the two sides -------------------------------------------------------------------------------------------------------


@contextmanager
def _ways(plan: Plan) -> Iterator[tuple[Way, Way]]:
    with TemporaryDirectory() as scratch:
        opened: list[Office] = []
        try:
            for side in ("baseline", "augmented"):
                house = Path(scratch) / side
                shutil.copytree(plan.workspace, house, ignore=shutil.ignore_patterns(".trustops"))
                if side == "baseline" and plan.playbook is None:
                    _plain(house)
                opened.append(plan.open_office(house, entry=EntryPoint.EVALUATION))
            baseline, augmented = opened
            if plan.playbook is None:
                baseline = replace(baseline, roster=_without_manners(baseline.roster))
            else:
                augmented = replace(augmented, roster=_with(augmented.roster, plan.playbook))
            yield _way("baseline", baseline), _way("augmented", augmented)
        finally:
            for office in opened:
                for room in (office.ledger, office.index):
                    close: Any = getattr(room, "close", None)
                    if close is not None:
                        close()


def _plain(house: Path) -> None:
    """Without the answer library and the house style."""
    shutil.rmtree(house / "answers", ignore_errors=True)
    (house / "style.yaml").unlink(missing_ok=True)


def _without_manners(roster: Roster) -> Roster:
    """Without the instruction skills that the house let in; programs stay, for they are not a manner of answering."""
    manners = {s.name for s in roster.skills.values() if s.origin == "workspace" and s.kind is SkillKind.INSTRUCTION}
    agents = {
        seat: agent.model_copy(update={"skills": tuple(name for name in agent.skills if name not in manners)})
        for seat, agent in roster.agents.items()
    }
    return roster.model_copy(update={"agents": agents, "skills": {n: s for n, s in roster.skills.items() if n not in manners}})


def _with(roster: Roster, playbook: Proposal) -> Roster:
    """With a playbook that nobody has let in yet, in this copy alone."""
    skill, answer = playbook.skill, roster.agents["answer"]
    if skill.name in answer.skills:
        raise Refused("it is an active skill already", where=f"skills/{skill.name}", remedy="Compare the house style without --playbook.")
    told = answer.model_copy(update={"skills": (*answer.skills, skill.name)})
    return roster.model_copy(update={"agents": roster.agents | {"answer": told}, "skills": roster.skills | {skill.name: skill}})


def _way(name: str, office: Office) -> Way:
    at = office.as_of or office.clock.now()
    read, answers = index_evidence(office)
    snapshots, _ = collect_snapshots(office, at)
    desk = shelf(office, at, snapshots, confidential(read.passages, answers))
    return Way(name, office, desk, library_fired)


def library_fired(outcome: Outcome) -> tuple[str, ...]:
    """The answer library had a part where the dossier holds a living earlier answer that shares two content words, and half of the ask's,
    with something that was asked."""
    if outcome.case is None:
        return ()
    from trustops.facts.nouns import Names
    from trustops.facts.words import words

    for answer in outcome.case.dossier.prior_answers:
        told = words(f"{answer.question} {answer.answer}", Names())
        for one in outcome.case.asks:
            shared = len(told & one.words)
            if not answer.withdrawn and shared >= min(2, len(one.words)) and one.words and 2 * shared >= len(one.words):
                return (LIBRARY,)
    return ()
