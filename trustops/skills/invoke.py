"""The one way to call a skill: permission, allowed agent, timeout, retry, idempotency and trace (evaluation.md, "Skill contract")."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from trustops.domain.record import SkillInvocation
from trustops.roster import Roster, SkillFile

LONGEST_QUERY = 2000
"""Characters, as in every skill's input schema."""


@dataclass(slots=True)
class SkillDesk:
    """The skills of one seat on one question. Equal calls are made once; every call leaves an invocation.

    `task` and `trace` tie an invocation to its AgentTask and to the run's trace.
    """

    roster: Roster
    seat: str
    task: str
    trace: str
    functions: dict[str, Callable[[str], Any]]
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
        if skill is None or skill.name not in self.functions:
            return "unknown_skill", None
        if self.seat not in skill.agents or skill.name not in self.roster.agents[self.seat].skills:
            return "not_permitted", None
        if not 0 < len(query) <= LONGEST_QUERY:
            return "invalid_input", None
        outcome = "failed"
        for _ in range(1 + (skill.retries if skill.idempotent else 0)):
            outcome, result = await self._once(skill, query)
            if outcome == "ok":
                return outcome, result
        return outcome, None

    async def _once(self, skill: SkillFile, query: str) -> tuple[str, Any | None]:
        try:
            async with asyncio.timeout(skill.timeout_s):
                return "ok", await asyncio.to_thread(self.functions[skill.name], query)
        except TimeoutError:
            return "timeout", None
        except Exception as failure:  # noqa: BLE001 - a skill is foreign code; whatever it raises is an outcome
            return f"failed: {type(failure).__name__}", None

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
