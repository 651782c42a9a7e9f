"""The eight nodes. Five ask a seat, three are code. A node never raises: what fails becomes Unavailable and decide blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import JsonValue

from trustops.domain.control import Risk, highest
from trustops.domain.opinion import CommanderOpinion, Unavailable
from trustops.domain.record import AgentTask, SkillInvocation
from trustops.domain.risk_review import RiskReviewResult, conclude
from trustops.facts.asked import asks_of
from trustops.facts.queries import rule_queries, spoken_of
from trustops.facts.risk import declared_risk
from trustops.team.answer import draft, find_figures
from trustops.team.commander import command
from trustops.team.control import read_controls
from trustops.team.policy import read_policies, search, searches_of, worked
from trustops.team.reviewer import review as ask_reviewer
from trustops.team.reviewer import reviewer_findings
from trustops.team.seat import Sitting
from trustops.workflow import casework
from trustops.workflow.desk import Desk
from trustops.workflow.state import (
    Case,
    Commanded,
    ControlRead,
    Drafted,
    Outcome,
    PolicyRead,
    Reviewed,
    State,
    Turn,
    Verified,
)


async def commander(state: State, runtime: Runtime[Desk]) -> State:
    """Asks Commander."""
    desk = runtime.context
    desk.watch("seat_started", state["question"].ref, {"seat": "commander"})
    sitting = await command(desk.table, state["question"])
    return {"commanded": Commanded(sitting.opinion, _turn(desk, state, "commander", sitting))}


async def policy(state: State, runtime: Runtime[Desk]) -> State:
    """Searches and asks Policy; a failed search of the rules fails the seat."""
    desk, question, plan = runtime.context, state["question"], state["commanded"].opinion
    if isinstance(plan, Unavailable):
        return {"policy": PolicyRead(_no_input("policy"), None, _skipped(desk, state, "policy"))}
    desk.watch("seat_started", question.ref, {"seat": "policy"})
    skills = desk.skills("policy")
    asks = asks_of(question.text, desk.shelf.names)
    queries = (*rule_queries(question.text, asks, desk.shelf.names), *spoken_of(question))
    found = await search(skills, queries, searches_of(plan))
    if found.failed:
        lost = Unavailable(seat="policy", reason="exception", detail=f"a search failed: {found.failed[0]}")
        return {"policy": PolicyRead(lost, None, _turn(desk, state, "policy", Sitting(lost, ()), skills.invocations))}
    sitting = await read_policies(desk.table, question, [ask.text for ask in asks], found)
    return {"policy": PolicyRead(sitting.opinion, found, _turn(desk, state, "policy", sitting, skills.invocations))}


async def control(state: State, runtime: Runtime[Desk]) -> State:
    """Matches and reads controls and asks Control."""
    desk, question, plan = runtime.context, state["question"], state["commanded"].opinion
    if isinstance(plan, Unavailable):
        return {"control": ControlRead(_no_input("control"), (), _skipped(desk, state, "control"))}
    desk.watch("seat_started", question.ref, {"seat": "control"})
    skills = desk.skills("control")
    asks = asks_of(question.text, desk.shelf.names)
    matched = [await skills.call("list-controls", text[:2000]) for text in (question.text, *spoken_of(question))]
    by_rule = list({control.id: control for found in matched for control in found or ()}.values())
    if None in matched:
        lost = Unavailable(seat="control", reason="exception", detail="the controls could not be matched")
        return {"control": ControlRead(lost, (), _turn(desk, state, "control", Sitting(lost, ()), skills.invocations))}
    planned = [((call.skill, call.query), await skills.call(call.skill, call.query)) for call in plan.plan if call.seat == "control"]
    offered = {c.id: c for c in [*by_rule, *(c for _, found in planned if isinstance(found, tuple) for c in found)]}
    readings = [desk.reading(c) for c in offered.values()]
    sitting = await read_controls(desk.table, question, [ask.text for ask in asks], readings, worked(planned))
    named = set() if isinstance(sitting.opinion, Unavailable) else {r.control for r in sitting.opinion.readings}
    ruled = {c.id for c in by_rule}
    mapped = tuple(desk.reading(c) for c in desk.shelf.controls if c.id in ruled | named)
    return {"control": ControlRead(sitting.opinion, mapped, _turn(desk, state, "control", sitting, skills.invocations))}


async def compare(state: State, runtime: Runtime[Desk]) -> State:
    """Seals the dossier (code)."""
    read, readings = state["policy"], state["control"]
    if read.found is None or isinstance(read.opinion, Unavailable) or isinstance(readings.opinion, Unavailable):
        return {"case": _no_input("compare")}
    plan = state["commanded"].opinion
    raised = plan.risk if isinstance(plan, CommanderOpinion) else Risk.HIGH
    case = casework.compare(runtime.context.shelf, state["question"], read.found, read.opinion, readings.mapped, raised)
    for finding in case.findings:
        runtime.context.watch("finding", state["question"].ref, {"code": finding.code.value, "summary": finding.summary})
    return {"case": case}


async def answer(state: State, runtime: Runtime[Desk]) -> State:
    """Asks Answer, where there is a case."""
    desk, case = runtime.context, state["case"]
    policies, controls = state["policy"].opinion, state["control"].opinion
    if not isinstance(case, Case) or isinstance(policies, Unavailable) or isinstance(controls, Unavailable):
        return {"drafted": Drafted(_no_input("answer"), _skipped(desk, state, "answer"))}
    desk.watch("seat_started", state["question"].ref, {"seat": "answer"})
    skills = desk.skills("answer", case.dossier.passages)
    figures = await find_figures(skills, case.dossier)
    sitting = await draft(desk.table, case.dossier, policies, controls, case.findings, desk.shelf.style, desk.shelf.at, figures)
    return {"drafted": Drafted(sitting.opinion, _turn(desk, state, "answer", sitting, skills.invocations))}


async def verify(state: State, runtime: Runtime[Desk]) -> State:
    """Checks the draft (code)."""
    case, drafted = state["case"], state["drafted"]
    if not isinstance(case, Case) or isinstance(drafted.opinion, Unavailable):
        return {"verified": _no_input("verify")}
    offline = any(call.provider == "extractive" for call in drafted.turn.calls)
    verified = casework.verify(runtime.context.shelf, case, drafted.opinion, author="agents", offline=offline)
    for finding in verified.findings[len(case.findings) :]:
        runtime.context.watch("finding", state["question"].ref, {"code": finding.code.value, "summary": finding.summary})
    return {"verified": verified}


async def review(state: State, runtime: Runtime[Desk]) -> State:
    """Asks the Reviewer, even where rules already block."""
    desk, case, verified = runtime.context, state["case"], state["verified"]
    if not isinstance(case, Case) or not isinstance(verified, Verified):
        return {"reviewed": Reviewed(_no_input("reviewer"), _skipped(desk, state, "reviewer"))}
    desk.watch("seat_started", state["question"].ref, {"seat": "reviewer"})
    sitting = await ask_reviewer(desk.table, case.dossier, verified.version, verified.findings)
    return {"reviewed": Reviewed(sitting.opinion, _turn(desk, state, "reviewer", sitting))}


async def decide(state: State, runtime: Runtime[Desk]) -> State:
    """Concludes (code): anything missing is BLOCK."""
    case, verified, reviewed = state["case"], state["verified"], state["reviewed"].opinion
    seats = [state["commanded"].opinion, state["policy"].opinion, state["control"].opinion, state["drafted"].opinion]
    known = verified.findings if isinstance(verified, Verified) else case.findings if isinstance(case, Case) else ()
    seen = () if isinstance(reviewed, Unavailable) else reviewer_findings(reviewed)
    version = verified.version if isinstance(verified, Verified) else None
    risk = case.risk if isinstance(case, Case) else highest(declared_risk(state["question"].text), Risk.MEDIUM)
    result = conclude((*known, *seen), seats=seats, reviewer=reviewed, risk=risk, determination=version.determination if version else None)
    outcome = Outcome(
        result=result,
        risk=risk,
        case=case if isinstance(case, Case) else None,
        version=version.model_copy(update={"findings": result.findings}) if version else None,
        turns=_turns(state),
    )
    runtime.context.watch("decided", state["question"].ref, _summary(result))
    return {"outcome": outcome}


def _turns(state: State) -> tuple[Turn, ...]:
    return (state["commanded"].turn, state["policy"].turn, state["control"].turn, state["drafted"].turn, state["reviewed"].turn)


def _summary(result: RiskReviewResult) -> dict[str, JsonValue]:
    return {"decision": result.decision.value, "source": result.source.value, "codes": [f.code.value for f in result.findings]}


def _no_input(seat: str) -> Unavailable:
    """A seat whose input is missing spends no call."""
    return Unavailable(seat=seat, reason="input_unavailable", detail="an earlier seat gave nothing to work on")


def _skipped(desk: Desk, state: State, seat: str) -> Turn:
    desk.watch("seat_finished", state["question"].ref, {"seat": seat, "outcome": "input_unavailable"})
    return Turn(AgentTask(id=desk.table.task(seat), seat=seat, outcome="unavailable: input_unavailable"))


def _turn(desk: Desk, state: State, seat: str, sitting: Sitting[Any], skills: Sequence[SkillInvocation] = ()) -> Turn:
    outcome = f"unavailable: {sitting.opinion.reason}" if isinstance(sitting.opinion, Unavailable) else "ok"
    desk.watch("seat_finished", state["question"].ref, {"seat": seat, "outcome": outcome})
    return Turn(AgentTask(id=desk.table.task(seat), seat=seat, outcome=outcome), sitting.calls, tuple(skills))
