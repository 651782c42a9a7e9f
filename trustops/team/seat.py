"""A seat: one guarded, structured model call. A failure is a value (`Unavailable`), never an exception that travels on.

The guard is a plain try and timeout here and not a feature of the graph library: see docs/decisions/0003.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from trustops.domain.authenticity import declared_by
from trustops.domain.errors import ProviderFailed
from trustops.domain.opinion import Unavailable
from trustops.domain.record import ModelCall
from trustops.ports import ModelClient, ModelReply, ModelRequest
from trustops.roster import HOUSE, UNTRUSTED, Roster, render
from trustops.roster.skillfiles import SkillFile, SkillKind

T = TypeVar("T", bound=BaseModel)
FENCE = re.compile(r"<<<DATA|DATA>>>")
REASONS = {
    "timeout": "timeout",
    "refusal": "refusal",
    "truncated": "truncated",
    "empty": "empty",
    "limit": "limit",
    "exception": "exception",
    "money": "money",
}
WORDS = {
    "truncated": "the reply was cut off; raise max_tokens of the profile, or choose a model that reads more",
    "refusal": "the model refused to answer",
    "empty": "the reply holds no text",
}
STOPS = {"truncated": "truncated", "refusal": "refusal"}


@dataclass(frozen=True, slots=True)
class Sitting(Generic[T]):
    """What one seat's turn gave: the opinion or why there is none, and the calls it cost (none, one; a repair is counted inside)."""

    opinion: T | Unavailable
    calls: tuple[ModelCall, ...]


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a seat may take: seconds for one attempt at its call, seconds for its whole turn (waiting in line and retries included; None
    is one attempt's), and tokens for its reply."""

    timeout_s: float = 60.0
    guard_s: float | None = None
    max_tokens: int = 4000


@dataclass(frozen=True, slots=True)
class Table:
    """What all seats share in one attempt at one question: the model, the prompts, and the names for tracing. `seats` are allowances of
    seats that do not have the common one."""

    client: ModelClient
    roster: Roster
    trace: str
    run_key: str
    common: Allowance = Allowance()
    seats: Mapping[str, Allowance] = field(default_factory=dict)

    def task(self, seat: str) -> str:
        return f"{self.run_key}:{seat}"

    def allowance(self, seat: str) -> Allowance:
        return self.seats.get(seat, self.common)


async def sit(
    table: Table, seat: str, shape: type[T], payload: dict[str, Any], *, shared: dict[str, Any] | None = None, **values: str
) -> Sitting[T]:
    """One seat's turn. The request's typed payload and its rendered messages hold the same content. `shared` is the part of the material
    that another seat of the question is shown as well."""
    request = compose(table, seat, shape, payload, shared=shared, **values)
    replies: list[ModelReply] = []
    lost = 0
    allowance = table.allowance(seat)
    guard_s = allowance.guard_s or allowance.timeout_s
    try:
        async with asyncio.timeout(guard_s):
            opinion: T | Unavailable = await _converse(table.client, request, shape, replies)
    except TimeoutError:
        opinion = Unavailable(seat=seat, reason="timeout", detail=f"no reply within {guard_s:g} s")
    except ProviderFailed as failure:
        lost = failure.attempts
        opinion = Unavailable(seat=seat, reason=REASONS.get(failure.kind, "http"), detail=_told(failure))
    except Exception as failure:  # noqa: BLE001 - fail closed: whatever a provider raises is a failed seat, never a lost question
        opinion = Unavailable(seat=seat, reason="exception", detail=f"{type(failure).__name__}: {failure}"[:300])
    return Sitting(opinion, (_call(table, seat, request, replies, opinion, lost),))


def compose(
    table: Table, seat: str, shape: type[BaseModel], payload: dict[str, Any], *, shared: dict[str, Any] | None = None, **values: str
) -> ModelRequest:
    """The request of a seat: what the house tells every seat, then the shared material, the seat's task, and its own material.

    What seats have in common stands first, so that a provider that keeps beginnings reads it once.
    """
    prompts = table.roster.prompts
    prompt = prompts[table.roster.agents[seat].prompt]
    beginning = material(shared) + "\n\n" if shared else ""
    told = {"material": material(payload), "guidance": guidance(table.roster, seat), **values}
    task = render(prompt.text, told, where=f"prompts/{prompt.name}.md")
    return ModelRequest(
        seat=seat,
        prompt=table.roster.label(prompt),
        system=render(prompts[HOUSE].text, {"untrusted": prompts[UNTRUSTED].text}, where=f"prompts/{HOUSE}.md"),
        user=beginning + task,
        shared=len(beginning),
        shape_name=shape.__name__,
        shape=_schema(shape),
        payload={**(shared or {}), **payload},
        max_tokens=table.allowance(seat).max_tokens,
        timeout_s=table.allowance(seat).timeout_s,
    )


def guides(roster: Roster, seat: str) -> list[SkillFile]:
    """The instruction skills that the house admitted for a seat."""
    return [
        skill
        for name in roster.agents[seat].skills
        if (skill := roster.skills.get(name)) is not None and skill.kind is SkillKind.INSTRUCTION
    ]


def guidance(roster: Roster, seat: str) -> str:
    """What the house tells a seat beside its task. It may narrow what is said; what counts as support it cannot change."""
    parts = [f"## {skill.name}\n{skill.guidance}" for skill in guides(roster, seat)]
    return "\n\n".join(["# Guidance of this house", *parts]) if parts else ""


@cache
def _schema(shape: type[BaseModel]) -> dict[str, Any]:
    """Made once: pydantic takes longer for it than a seat's code for all the rest. Nobody writes into it."""
    return shape.model_json_schema()


def material(payload: dict[str, Any]) -> str:
    """The payload as fenced blocks. A fence inside the material is broken up, so that no document can close its own block."""
    blocks = []
    for name, value in payload.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        safe = FENCE.sub(lambda found: found.group()[:3] + " " + found.group()[3:], text)
        blocks.append(f"<<<DATA {name}\n{safe}\nDATA>>>")
    return "\n\n".join(blocks)


async def _converse(client: ModelClient, request: ModelRequest, shape: type[T], replies: list[ModelReply]) -> T | Unavailable:
    """One call, and one repair where the structure is invalid; a refusal or a cut reply is not repaired."""
    problem = ""
    for attempt in range(2):
        asked = request if attempt == 0 else _repair(request, replies[-1].text, problem)
        reply = await client.complete(asked)
        replies.append(reply)
        if reply.stop_reason in STOPS:
            return _unusable(request, STOPS[reply.stop_reason], reply)
        if not reply.text.strip():
            return _unusable(request, "empty", reply)
        try:
            return shape.model_validate_json(reply.text)
        except ValidationError as bad:
            problem = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in bad.errors()[:5])
    return _unusable(request, "invalid", replies[-1], problem)


def _unusable(request: ModelRequest, reason: Any, reply: ModelReply, problem: str = "") -> Unavailable:
    """A reply that says nothing usable, with who gave it."""
    served = f"{reply.provider} {reply.model}".strip()
    who = f"profile {reply.profile} ({served})" if reply.profile else served
    told = f"{who}: {problem or WORDS[reason]}" if who else problem or WORDS[reason]
    return Unavailable(seat=request.seat, reason=reason, detail=told[:300])


def _repair(request: ModelRequest, said: str, problem: str) -> ModelRequest:
    before = material({"previous_reply": said[:4000]})
    told = f"\n\nYour previous reply did not fit the shape ({problem}). It was:\n{before}\nReturn the JSON again."
    return request.model_copy(update={"user": request.user + told})


def _call(table: Table, seat: str, request: ModelRequest, replies: list[ModelReply], opinion: BaseModel, lost: int) -> ModelCall:
    last = replies[-1] if replies else None
    return ModelCall(
        id=f"{table.task(seat)}:call",
        task=table.task(seat),
        trace_id=table.trace,
        seat=seat,
        origin=last.origin if last else declared_by(table.client),
        provider=last.provider if last else "",
        model=last.model if last else "",
        profile=last.profile if last else "",
        prompt=request.prompt,
        skills=tuple(skill.label for skill in guides(table.roster, seat)),
        request_sha256=request.digest,
        request_id=last.request_id if last else "",
        tokens_in=sum(reply.tokens_in for reply in replies),
        tokens_out=sum(reply.tokens_out for reply in replies),
        tokens_cached=sum(reply.tokens_cached for reply in replies),
        latency_ms=sum(reply.latency_ms for reply in replies),
        attempts=sum(reply.attempts for reply in replies) + lost or 1,
        repairs=max(0, len(replies) - 1),
        cost_usd=_cost(replies),
        stop_reason=last.stop_reason if last else "",
        outcome=f"unavailable: {opinion.reason}" if isinstance(opinion, Unavailable) else "ok",
        detail=opinion.detail if isinstance(opinion, Unavailable) else "",
        reply=last.text if last else "",
    )


def _told(failure: ProviderFailed) -> str:
    """What failed, where, and what to do: it becomes the finding's sentence."""
    parts = (f"{failure.where}: {failure.message}" if failure.where else failure.message, failure.remedy)
    return ". ".join(part for part in parts if part)[:300]


def _cost(replies: Sequence[ModelReply]) -> str | None:
    """Dollars for all replies of the call; not known where one has no price."""
    costs = [reply.cost_usd for reply in replies]
    return None if not costs or None in costs else str(sum(Decimal(cost) for cost in costs if cost is not None))
