"""The one way to call a skill: permission, allowed agent, input and output, timeout, retry, idempotency and trace (evaluation.md, "Skill
contract")."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from trustops.domain.record import SkillInvocation
from trustops.roster import Roster
from trustops.roster.skillfiles import SkillFile, SkillKind
from trustops.skills.program import carry_out

Function = Callable[[str], Any]
_validators: dict[int, tuple[dict[str, Any], Any]] = {}
"""By the identity of their schema, which is kept beside it: making one costs more than using it a hundred times."""
MOST = 256


@dataclass(slots=True)
class SkillDesk:
    """The skills of one seat on one question. Equal calls of an idempotent skill are made once; every call leaves an invocation.

    `functions` are the product's own, bound to this organisation; programs of the workspace need none. `task` and `trace` tie an invocation
    to its AgentTask and to the run's trace.
    """

    roster: Roster
    seat: str
    task: str
    trace: str
    functions: Mapping[str, Function]
    invocations: list[SkillInvocation] = field(default_factory=list)
    _done: dict[tuple[str, str], Any] = field(default_factory=dict)

    async def call(self, name: str, query: str) -> Any | None:
        """The skill's result, or None where it failed or may not be called; the invocation's outcome says which."""
        key = (name, query)
        if key in self._done:
            return self._done[key]
        started = time.perf_counter()
        skill = self.roster.skills.get(name)
        outcome, result = await self._guarded(skill, query)
        self._record(name, skill, outcome, started)
        if outcome == "ok" and skill is not None and skill.idempotent:
            self._done[key] = result
        return result

    async def _guarded(self, skill: SkillFile | None, query: str) -> tuple[str, Any | None]:
        function = self._function(skill)
        if skill is None or function is None:
            return "unknown_skill", None
        if not self._permitted(skill):
            return "not_permitted", None
        if problem(skill.input_schema, {"query": query}):
            return "invalid_input", None
        outcome = "failed"
        for _ in range(skill.attempts if skill.idempotent else 1):
            outcome, result = await self._once(skill, function, query)
            if outcome == "ok":
                return outcome, result
        return outcome, None

    def _function(self, skill: SkillFile | None) -> Function | None:
        if skill is None:
            return None
        if skill.kind is SkillKind.PROGRAM:
            return partial(_program, skill)
        return self.functions.get(skill.name)

    def _permitted(self, skill: SkillFile) -> bool:
        """By the skill's contract, by the agent's file, and by what the seat may touch. Programs touch nothing."""
        agent = self.roster.agents[self.seat]
        admitted = self.seat in skill.agents and skill.name in agent.skills
        return admitted and (skill.kind is SkillKind.PROGRAM or skill.permission in agent.permissions)

    async def _once(self, skill: SkillFile, function: Function, query: str) -> tuple[str, Any | None]:
        try:
            async with asyncio.timeout(skill.timeout_s):
                result = await asyncio.to_thread(function, query)
        except TimeoutError:
            return "timeout", None
        except Exception as failure:  # noqa: BLE001 - a skill is foreign code; whatever it raises is an outcome
            return f"failed: {type(failure).__name__}", None
        return ("invalid_output", None) if problem(skill.output_schema, shown(result)) else ("ok", result)

    def _record(self, name: str, skill: SkillFile | None, outcome: str, started: float) -> None:
        self.invocations.append(
            SkillInvocation(
                id=f"{self.task}:skill:{len(self.invocations) + 1}",
                task=self.task,
                trace_id=self.trace,
                skill=name,
                version=skill.version if skill else "",
                seat=self.seat,
                outcome=outcome,
                latency_ms=int((time.perf_counter() - started) * 1000),
            )
        )


def _program(skill: SkillFile, query: str) -> Any:
    return carry_out(skill, {"query": query})


def shown(result: Any) -> Any:
    """A result as its output schema describes it: the product's own skills return exhibits or controls, which stand there by their id."""
    return {"exhibits": [each.id for each in result]} if isinstance(result, tuple) else result


def problem(schema: dict[str, Any], value: Any) -> str:
    """Why a value does not fit a schema, in words; empty where it does. A schema that is none fits nothing."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    kept = _validators.get(id(schema))
    if kept is None:
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as bad:
            return f"the schema is none ({bad.message})"
        if len(_validators) >= MOST:
            _validators.clear()
        kept = _validators[id(schema)] = (schema, Draft202012Validator(schema))
    fault = next(kept[1].iter_errors(value), None)
    return fault.message if fault is not None else ""
