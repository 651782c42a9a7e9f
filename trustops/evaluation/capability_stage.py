"""The stage of the capability dimensions: one organisation, read once, and what a case adds to it; a task goes through the whole machine.

A case may add documents and earlier answers, script a seat, break a skill, or let one in.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trustops.checks.disclosure import confidential
from trustops.domain.authenticity import EntryPoint, Origin, declared_by
from trustops.domain.chain import sha256
from trustops.domain.errors import ProviderFailed
from trustops.domain.evidence import Passage
from trustops.domain.opinion import CommanderOpinion
from trustops.domain.question import AnswerCell, Question
from trustops.domain.record import ModelCall, SkillInvocation
from trustops.evaluation.actors import proposal, reply
from trustops.evaluation.capability_task import DirectCall, Supplied, Task, index_of, task_of
from trustops.evaluation.case import Case, Fault
from trustops.evaluation.suite import OpenOffice
from trustops.facts.nouns import Names
from trustops.operations.answering import alone
from trustops.operations.collecting import collect_snapshots
from trustops.operations.indexing import index_evidence
from trustops.operations.office import Office
from trustops.operations.shelving import shelf
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.roster import Roster, shipped
from trustops.roster.skillfiles import Permission, SkillFile, SkillKind, read_skill
from trustops.skills.invoke import SkillDesk
from trustops.team.seat import guides
from trustops.testing.worst_case import Hostile, Obedient
from trustops.workflow.desk import Desk, Shelf
from trustops.workflow.state import Outcome

ORGANISATION = "acme/workspace"
MODELS: dict[str, Callable[[], ModelClient]] = {"obedient": Obedient, "hostile": Hostile}
HANGS_S = 0.05
"""The time that a hanging skill is given here; the contract's own is for production."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What came of a task once. `asks` are those of Commander; `called` the direct calls with their outcome and how much they found."""

    outcome: Outcome
    question: Question
    plan: tuple[tuple[str, str, str], ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    called: tuple[tuple[str, str, int], ...] = ()
    real: bool = False
    guidance: tuple[str, ...] = ()
    """What the Answer seat was told by instruction skills."""
    names: Names = field(default_factory=Names)

    @property
    def model_calls(self) -> list[ModelCall]:
        return [call for turn in self.outcome.turns for call in turn.calls]

    @property
    def invocations(self) -> list[SkillInvocation]:
        return [made for turn in self.outcome.turns for made in turn.skills]

    @property
    def left(self) -> bool:
        """Whether an answer could leave after a person's approval."""
        version = self.outcome.version
        return version is not None and version.determination.affirmative and self.outcome.result.decision.value != "BLOCK"

    @property
    def text(self) -> str:
        return self.outcome.version.text if self.outcome.version is not None else ""

    @property
    def determination(self) -> str:
        return self.outcome.version.determination.value if self.outcome.version is not None else "UNKNOWN"

    @property
    def decision(self) -> str:
        return self.outcome.result.decision.value

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(finding.code.value for finding in self.outcome.result.findings)

    @property
    def cells(self) -> dict[str, str]:
        return {cell.part: cell.value for cell in self.outcome.version.cells} if self.outcome.version is not None else {}

    @property
    def attachments(self) -> tuple[str, ...]:
        return self.outcome.version.attachments if self.outcome.version is not None else ()


class Stage:
    """The organisation with its index, readings and shelf. `client` is the model that is judged, None the office's own. Close it at the
    end."""

    def __init__(self, open_office: OpenOffice, scratch: Path, client: ModelClient | None = None) -> None:
        house = scratch / "organisation"
        shutil.copytree(shipped("golden") / ORGANISATION, house, ignore=shutil.ignore_patterns(".trustops"))
        self.office: Office = open_office(house, client=client, entry=EntryPoint.EVALUATION)
        at = self.office.as_of or self.office.clock.now()
        read, answers = index_evidence(self.office)
        snapshots, _ = collect_snapshots(self.office, at)
        self.shelf: Shelf = shelf(self.office, at, snapshots, confidential(read.passages, answers))
        self.supplied = {skill.name: skill for skill in supplied_skills()}

    @property
    def real(self) -> bool:
        """Whether a real model sits at the table."""
        return declared_by(self.office.client) is Origin.LIVE

    def close(self) -> None:
        """Gives the books and the index back."""
        for room in (self.office.ledger, self.office.index):
            close: Any = getattr(room, "close", None)
            if close is not None:
                close()

    def play(self, case: Case, *, group: str = "", epoch: int = 1) -> Observed:
        """One task, once. Group B has the supplied skills that the case names (all, where it names none)."""
        return asyncio.run(alone(self.office, self._play(case, group, epoch)))

    async def _play(self, case: Case, group: str, epoch: int) -> Observed:
        from trustops.workflow.machine import work

        task = task_of(case)
        roster = self._roster(case, task, group)
        controls = () if task.alone else self.shelf.controls
        desk_shelf = replace(self.shelf, index=index_of(self.shelf.index, task), roster=roster, controls=controls)
        client = Scripted(MODELS[task.model]() if task.model else self.office.client, task.seats)
        key = f"capability:{case.case_id}:{group}:{epoch}"
        table = replace(self.office.table(client, key, key), roster=roster)
        question = _question(case, task)
        desk = BrokenDesk(desk_shelf, table, faults=case.faults)
        outcome = await work(question, desk)
        called = [await _direct(desk, call) for call in task.calls]
        seen = Observed(outcome, question, called=tuple(called), names=self.shelf.names)
        opinion = _commander(seen)
        plan = tuple((call.seat, call.skill, call.query) for call in opinion.plan) if opinion else ()
        asks = tuple((ask.text, ask.form) for ask in opinion.asks) if opinion else ()
        real = self.real and all(call.origin is Origin.LIVE for call in seen.model_calls)
        told = tuple(skill.guidance for skill in guides(roster, "answer"))
        return replace(seen, plan=plan, asks=asks, real=real, guidance=told)

    def _roster(self, case: Case, task: Task, group: str) -> Roster:
        roster = self.shelf.roster
        wanted = case.group_b.active_skills if group == "B" and case.group_b else ()
        if group == "B":
            for name in wanted or tuple(self.supplied):
                roster = let_in(roster, self.supplied[name])
        if task.supplied is not None:
            roster = let_in(roster, _forced(roster, task.supplied))
        limits = {f.kind.partition(":")[2] for f in case.faults if f.place == "skill" and f.kind.startswith("hang:")}
        skills = {n: s.model_copy(update={"timeout_s": HANGS_S, "attempts": 1}) if n in limits else s for n, s in roster.skills.items()}
        return roster.model_copy(update={"skills": skills})


def supplied_skills() -> list[SkillFile]:
    """The instruction skills that group B is given: such as a customer might supply."""
    folder = shipped("golden") / "capability" / "skills"
    return [read_skill(path, origin="workspace") for path in sorted(folder.glob("*")) if path.is_dir()]


def let_in(roster: Roster, skill: SkillFile) -> Roster:
    """The roster with a skill for its seats."""
    agents = {
        seat: agent.model_copy(update={"skills": (*agent.skills, skill.name)}) if seat in skill.agents else agent
        for seat, agent in roster.agents.items()
    }
    return roster.model_copy(update={"agents": agents, "skills": roster.skills | {skill.name: skill}})


def _forced(roster: Roster, told: Supplied) -> SkillFile:
    pattern = next(iter(roster.skills.values()))
    changes = {"name": "let-in-by-force", "kind": SkillKind.INSTRUCTION, "permission": Permission.GUIDE, "agents": (told.seat,)}
    return pattern.model_copy(update={**changes, "guidance": told.text, "origin": "workspace", "digest": sha256(told.text.encode())})


def _question(case: Case, task: Task) -> Question:
    cells = tuple(
        AnswerCell(part=c.part, sheet="csv", cell=f"{chr(ord('C') + at)}2", kind=c.kind, vocabulary=c.vocabulary, longest=c.longest)
        for at, c in enumerate(task.cells)
    )
    return Question(ref=case.case_id, text=task.question, sheet="csv", cell="B2", answers=cells, conversation=task.conversation)


def _commander(seen: Observed) -> CommanderOpinion | None:
    call = next((call for call in seen.model_calls if call.seat == "commander" and call.outcome == "ok"), None)
    return CommanderOpinion.model_validate_json(call.reply) if call is not None else None


async def _direct(desk: BrokenDesk, call: DirectCall) -> tuple[str, str, int]:
    skills = desk.skills(call.seat)
    result = await skills.call(call.skill, call.query)
    return call.skill, skills.invocations[-1].outcome, len(result) if isinstance(result, (tuple, list)) else int(result is not None)


# -- what a case adds ----------------------------------------------------------------------------------------------------


class Scripted:
    """The client behind the seats that a case scripts. What it scripts is SCRIPTED; the rest is whatever serves it."""

    def __init__(self, honest: ModelClient, seats: Mapping[str, Mapping[str, Any]]) -> None:
        self._honest, self._seats = honest, seats
        self._spoiled: set[str] = set()

    @property
    def origin(self) -> Origin:
        """As declared by what is behind; one scripted seat makes it SCRIPTED."""
        return Origin.SCRIPTED if self._seats else declared_by(self._honest)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The scripted reply, or the honest one."""
        told = self._seats.get(request.seat)
        if told is None:
            return await self._honest.complete(request)
        if "fails" in told:
            raise ProviderFailed("it fails as its case says", kind=str(told["fails"]))
        if told.get("invalid_first") and request.seat not in self._spoiled:
            self._spoiled.add(request.seat)
            return reply("{}")
        if "proposes" in told:
            return reply(json.dumps(proposal(told["proposes"], request.payload)))
        if "reply" in told:
            return reply(told["reply"] if isinstance(told["reply"], str) else json.dumps(told["reply"]))
        made = await self._honest.complete(request)
        if "plan" in told:
            opinion = json.loads(made.text) | {"plan": told["plan"]}
            return reply(json.dumps(opinion))
        return made


@dataclass(frozen=True, slots=True)
class BrokenDesk(Desk):
    """A desk on which the skills that a case names fail or hang: faults of place skill, kind `fail:NAME` or `hang:NAME`. With `at` n only
    the n-th call of it does."""

    faults: tuple[Fault, ...] = ()

    def skills(self, seat: str, passages: Sequence[Passage] = ()) -> SkillDesk:
        """The seat's skills, some of them broken."""
        made = Desk.skills(self, seat, passages)
        broken = {f.kind.partition(":")[2]: f for f in self.faults if f.place == "skill"}
        functions = {name: _broken(function, broken[name]) if name in broken else function for name, function in made.functions.items()}
        return replace(made, functions=functions)


def _broken(function: Callable[[str], Any], fault: Fault) -> Callable[[str], Any]:
    calls = iter(range(1, 1_000_000))

    def carried_out(query: str) -> Any:
        if fault.at and next(calls) != fault.at:
            return function(query)
        if fault.kind.startswith("hang:"):
            threading.Event().wait(HANGS_S * 4)
            return function(query)
        raise RuntimeError("it fails as its case says")

    return carried_out
