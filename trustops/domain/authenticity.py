"""Who really did it: origins, modes and their derivation (evaluation.md, "Authenticity"). A mode is derived, never typed in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trustops.domain.record import ModelCall, SkillInvocation


class Origin(StrEnum):
    """What served a model call: a constant of the provider, or the marker a fake server sends."""

    LIVE = "LIVE"
    SCRIPTED = "SCRIPTED"
    RECORDED = "RECORDED"


def declared_by(client: object) -> Origin:
    """The origin that what serves calls declares for itself; one that declares nothing, or nothing known, is not live."""
    declared = getattr(client, "origin", Origin.SCRIPTED)
    return declared if isinstance(declared, Origin) else Origin.SCRIPTED


class SourceMode(StrEnum):
    """Where a snapshot comes from: a constant of its collector."""

    LIVE = "LIVE"
    RECORDED = "RECORDED"
    MOCK = "MOCK"


class ExecutionMode(StrEnum):
    TEST = "TEST"
    LIVE_AI = "LIVE_AI"


class EntryPoint(StrEnum):
    """How a run was started. Only a product entry point at the present instant can be live."""

    PRODUCT = "PRODUCT"
    EVALUATION = "EVALUATION"


SEATS = ("commander", "policy", "control", "answer", "reviewer")
AGENT_RUNTIME = "AGENTTEAMS"


def execution_mode(origins: Iterable[Origin], *, entry: EntryPoint, as_of_given: bool) -> ExecutionMode:
    """LIVE_AI only where calls exist, all were served live, and the run came through the product at the present instant."""
    served = list(origins)
    live = bool(served) and all(origin is Origin.LIVE for origin in served)
    return ExecutionMode.LIVE_AI if live and entry is EntryPoint.PRODUCT and not as_of_given else ExecutionMode.TEST


def real_model(origins: Iterable[Origin]) -> bool:
    """True where at least one call was made and every one was served by a live provider, whatever the mode."""
    served = list(origins)
    return bool(served) and all(origin is Origin.LIVE for origin in served)


GIVE_AN_ID = frozenset({"anthropic", "openai"})
"""Providers, by the names their clients give, that name every request they serve. Of others no id is asked."""


@dataclass(frozen=True, slots=True)
class Authenticity:
    """What the record of one attempt proves (evaluation.md, "Authenticity of a formal run"). Times in milliseconds.

    `missing` are the proofs that a formal run must hold and this one does not; `not_live` is why it is no LIVE_AI run. Both are sentences.
    """

    mode: ExecutionMode
    seats: int
    ids: int
    request_ids: int
    tokens_in: int
    tokens_out: int
    latency_ms: int
    trace: str
    missing: tuple[str, ...]
    not_live: tuple[str, ...]

    @property
    def authentic(self) -> bool:
        """A LIVE_AI run with every proof. Nothing else may be called so."""
        return self.mode is ExecutionMode.LIVE_AI and not self.missing


def authenticity(
    calls: Sequence[ModelCall], skills: Sequence[SkillInvocation], tasks: Iterable[str], *, entry: EntryPoint, as_of_given: bool
) -> Authenticity:
    """The proof of one attempt, from what is on record of it. `tasks` are the ids of its agent tasks."""
    origins = [call.origin for call in calls]
    return Authenticity(
        mode=execution_mode(origins, entry=entry, as_of_given=as_of_given),
        seats=len({call.seat for call in calls} & set(SEATS)),
        ids=len({call.id for call in calls}),
        request_ids=len({call.request_id for call in calls} - {""}),
        tokens_in=sum(call.tokens_in for call in calls),
        tokens_out=sum(call.tokens_out for call in calls),
        latency_ms=sum(call.latency_ms for call in calls),
        trace=calls[0].trace_id if calls else "",
        missing=(*_seats_missing(calls), *_calls_missing(calls), *_ties_missing(calls, skills, frozenset(tasks))),
        not_live=tuple(_not_live(origins, entry, as_of_given)),
    )


def _not_live(origins: Sequence[Origin], entry: EntryPoint, as_of_given: bool) -> Iterator[str]:
    """Every reason by itself; execution_mode() decides, and a test holds the two together."""
    if not origins:
        yield "no call was made"
    for origin in sorted(set(origins) - {Origin.LIVE}):
        yield f"{origins.count(origin)} of {len(origins)} calls are {origin.value}"
    if entry is not EntryPoint.PRODUCT:
        yield "it was started by an evaluation"
    if as_of_given:
        yield "it judges at a given instant"


def _seats_missing(calls: Sequence[ModelCall]) -> Iterator[str]:
    made = Counter(call.seat for call in calls)
    for seat in SEATS:
        if made[seat] != 1:
            yield f"the {seat} seat has {made[seat] or 'no'} call{'s' if made[seat] > 1 else ''} of its own"
    for seat in sorted(set(made) - set(SEATS)):
        yield f"a call is of no seat ({seat})"
    ids = len({call.id for call in calls})
    if ids != len(calls):
        yield f"{len(calls)} calls have {ids} different ids"


def _calls_missing(calls: Sequence[ModelCall]) -> Iterator[str]:
    for call in calls:
        lacking = {
            "a usable reply": call.outcome == "ok",
            "tokens": call.tokens_in > 0 and call.tokens_out > 0,
            "a latency": call.latency_ms > 0,
            "a model": bool(call.provider and call.model),
            f"a request id of {call.provider}": bool(call.request_id) or call.provider not in GIVE_AN_ID,
        }
        told = [what for what, there in lacking.items() if not there]
        if told:
            yield f"the call of the {call.seat} seat has no record of {', '.join(told)}"
    named = [call.request_id for call in calls if call.request_id]
    if len(set(named)) != len(named):
        yield "two calls have one request id"


def _ties_missing(calls: Sequence[ModelCall], skills: Sequence[SkillInvocation], tasks: frozenset[str]) -> Iterator[str]:
    """What ties tasks, calls and skill invocations together: one trace, and no call or invocation of a task that is not there."""
    made: list[ModelCall | SkillInvocation] = [*calls, *skills]
    traces = {one.trace_id for one in made}
    if calls and (len(traces) != 1 or "" in traces):
        yield "its calls and skills do not share one trace"
    if not skills:
        yield "no skill invocation is on record"
    if loose := sorted({one.seat for one in made if one.task not in tasks}):
        yield f"what the {', '.join(loose)} seat did belongs to no agent task on record"
