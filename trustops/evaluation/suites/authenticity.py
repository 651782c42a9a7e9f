"""The authenticity suite: a mode is derived, never typed in; what is scripted, recorded or evaluated is never LIVE_AI."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from trustops.domain.authenticity import SEATS, EntryPoint, Origin, authenticity, execution_mode
from trustops.domain.record import ModelCall, SkillInvocation
from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.cases import build_workspace, load_case
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, close, step
from trustops.evaluation.wire import over_wire
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.reporting import report
from trustops.ports import ModelReply, ModelRequest
from trustops.roster import shipped


def authenticity_cases() -> tuple[Case, ...]:
    """golden/authenticity: the table of modes, the proofs, and two runs."""
    return load_cases(shipped("golden") / "authenticity")


def play_authenticity(case: Case, bench: Bench) -> Outcome:
    """By what the case gives: a row of origins, calls with something missing, or a run over the wire."""
    if "origins" in case.input:
        return _mode(case)
    if "spoil" in case.input:
        return _proof(case)
    return _run(case, bench)


def _score(metric: str, case: Case, amount: int, of: int = 1) -> Score:
    return Score(metric=metric, case_id=case.case_id, amount=Decimal(amount), of=of, authority=Authority.DETERMINISTIC)


def _mode(case: Case) -> Outcome:
    origins = [Origin(name) for name in case.input["origins"]]
    mode = execution_mode(origins, entry=EntryPoint(case.input["entry"]), as_of_given=case.input["as_of_given"]).value
    scores = () if case.expect["mode"] == "LIVE_AI" else (_score("replay_shown_as_live", case, int(mode == "LIVE_AI")),)
    return Outcome((step("mode", case.expect["mode"], mode),), scores)


def _calls() -> list[ModelCall]:
    """Five calls as a formal run makes them."""
    return [
        ModelCall(
            id=f"call-{seat}",
            task=f"task-{seat}",
            trace_id="trace",
            seat=seat,
            origin=Origin.LIVE,
            provider="anthropic",
            model="model",
            prompt=f"{seat}@1",
            request_sha256="0" * 64,
            request_id=f"req-{seat}",
            tokens_in=10,
            tokens_out=5,
            latency_ms=20,
            outcome="ok",
        )
        for seat in SEATS
    ]


def _proof(case: Case) -> Outcome:
    """Calls of which one thing is spoiled: without it, the run is not authentic."""
    calls, spoil = _calls(), case.input["spoil"]
    if spoil.get("drop"):
        calls = [call for call in calls if call.seat != spoil["drop"]]
    else:
        calls = [call.model_copy(update=_changes(spoil)) if call.seat == spoil.get("seat") else call for call in calls]
    trace = case.input.get("skill_trace", "trace")
    skills = [
        SkillInvocation(id="s", task="task-policy", trace_id=trace, skill="search-evidence", version="1", seat="policy", outcome="ok")
    ]
    told = authenticity(calls, skills, [f"task-{seat}" for seat in SEATS], entry=EntryPoint.PRODUCT, as_of_given=False)
    return Outcome((step("authentic", case.expect["authentic"], told.authentic),))


def _changes(spoil: Mapping[str, Any]) -> dict[str, Any]:
    changed = dict(spoil["change"]) if spoil else {}
    return changed | ({"origin": Origin(changed["origin"])} if "origin" in changed else {})


class Boasting:
    """A scripted client that calls itself live. What the wire says of the reply outranks it."""

    origin = Origin.LIVE

    def __init__(self, behind: Any) -> None:
        self.behind = behind

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of the client behind."""
        reply: ModelReply = await self.behind.complete(request)
        return reply

    async def close(self) -> None:
        """Closes the connections of the client behind."""
        await self.behind.close()


class Honest:
    """The office's own client, as an actor of the fake server."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Its reply."""
        reply: ModelReply = await self.client.complete(request)
        return reply

    def fault_for(self, request: ModelRequest) -> str | None:
        """No fault."""


def _run(case: Case, bench: Bench) -> Outcome:
    """Q-005 through a real SDK and the wire by the product's own entry: five calls of five seats, one trace, and no LIVE_AI."""
    golden = load_case("Q-005")
    house = bench.folder(case.case_id)
    file = build_workspace(golden, house)
    office = bench.open_office(house, entry=EntryPoint(case.input["entry"]))
    try:
        with over_wire(Honest(office.client), bench.connect) as client:
            office = replace(office, client=Boasting(client))
            review = take_in(office, file)
            prepared = prepare(office, review, as_of=golden.as_of if case.input["as_of_given"] else None, watch=lambda *_: None)
            asyncio.run(alone(office, run_review(office, prepared, lambda *_: None)))
            told = report(office, review)
    finally:
        close(office)
    entry = told["questions"][0]
    calls, skills = entry["model_calls"], entry["skill_invocations"]
    tasks = {task["id"] for task in entry["agent_tasks"]}
    traces = {made["trace_id"] for made in (*calls, *skills)}
    tied = sum(skill["task"] in tasks and skill["task"] in {c["task"] for c in calls} and len(traces) == 1 for skill in skills)
    steps = (
        step("mode", "TEST", told["execution_mode"]),
        step("origins", "SCRIPTED", "/".join(sorted({call["origin"] for call in calls}))),
        step("seats", ", ".join(SEATS), ", ".join(sorted({call["seat"] for call in calls}, key=SEATS.index))),
        step("different ids of calls", len(SEATS), len({call["id"] for call in calls})),
        step("skill invocations tied to task, call and trace", len(skills), tied),
        step("authentic", False, entry["authenticity"]["authentic"]),
    )
    live = int(told["execution_mode"] == "LIVE_AI" or any(call["origin"] == "LIVE" for call in calls))
    scores = [_score("replay_shown_as_live", case, live)]
    if skills:
        scores.append(_score("skill_trace_complete", case, tied, len(skills)))
    return Outcome(steps, tuple(scores), str(entry["authenticity"]["trace"]))


SUITE = Suite("authenticity", "what may be called live, and what never", authenticity_cases, play_authenticity)
