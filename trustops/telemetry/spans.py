"""Spans of a run, made from what is on record: one tree a run, in the names of the OpenTelemetry conventions for generative AI.

    invoke_workflow questionnaire_review
      question N                                  a question's attempt; verdict and readings as gen_ai.evaluation.result events
        invoke_agent <Seat>
          execute_tool <skill>
          chat <model>                            CLIENT

Made afterwards and not while it happens, so nothing of a trace can change what is decided, and a resumed run has one trace. Ids derive from
the names of run, task and call: the same record gives the same spans. Seats begin and end by the run's events; a call ends with its seat
and took its latency; skills stand one after the other before it. No text of a question, document, prompt or reply is in a span.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from trustops.domain.chain import sha256
from trustops.domain.record import Event, ModelCall, SkillInvocation
from trustops.domain.span import Mark, Recorded, Span, Value

WORKFLOW = "questionnaire_review"
VERDICT = "gen_ai.evaluation.result"


@dataclass(slots=True)
class _Times:
    """When a seat of a question began and ended."""

    start: datetime | None = None
    end: datetime | None = None
    outcome: str = ""


@dataclass(slots=True)
class _Told:
    """What the events say of a question."""

    seats: dict[str, _Times] = field(default_factory=lambda: defaultdict(_Times))
    decided: Event | None = None


def trace_id(organisation: str, run: str) -> str:
    """The run's trace: another organisation's run of the same name has another one."""
    return sha256(f"trace {organisation} {run}".encode())[:32]


def span_id(trace: str, name: str) -> str:
    """The span of a task, call or skill invocation within its trace."""
    return sha256(f"{trace} {name}".encode())[:16]


def spans(recorded: Recorded, *, legacy: bool = False) -> tuple[Span, ...]:
    """The run's spans, parents before children. `legacy` adds the names that older viewers know (gen_ai.system)."""
    run, trace = recorded.run, trace_id(recorded.organisation, recorded.run.id)
    told = _told(recorded.events)
    end = recorded.events[-1].at if recorded.events else run.started_at
    root = span_id(trace, run.id)
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": WORKFLOW,
        "trustops.run": run.id,
        "trustops.review": run.review,
        "trustops.engine": run.engine,
        "trustops.questions": len(run.questions),
    }
    top = Span(trace, root, "", f"invoke_workflow {WORKFLOW}", "INTERNAL", run.started_at, end, attributes, run.state != "FAILED")
    below = [each for ref in run.questions if ref in told for each in _question(recorded, trace, root, ref, told[ref], legacy)]
    return (top, *below)


def _told(events: Iterable[Event]) -> dict[str, _Told]:
    told: dict[str, _Told] = defaultdict(_Told)
    for event in events:
        if event.kind == "decided":
            told[event.question].decided = event
        if event.kind not in ("seat_started", "seat_finished"):
            continue
        times = told[event.question].seats[str(event.data["seat"])]
        if event.kind == "seat_started":
            times.start = event.at
        else:
            times.end, times.outcome = event.at, str(event.data.get("outcome", ""))
    return told


def _question(recorded: Recorded, trace: str, root: str, ref: str, told: _Told, legacy: bool) -> Iterator[Span]:
    own = span_id(trace, f"{recorded.run.id}:{ref}")
    begun = [at for times in told.seats.values() if (at := times.start or times.end) is not None]
    ended = [at for times in told.seats.values() if (at := times.end or times.start) is not None]
    last = told.decided.at if told.decided else max(ended)
    marks = (_verdict(told.decided), *_measured(told.decided, recorded.readings.get(ref, ()))) if told.decided else ()
    first = min(begun, default=last)
    yield Span(
        trace, own, root, f"question {ref}", "INTERNAL", first, last, {"trustops.question": ref}, told.decided is not None, marks=marks
    )
    for seat, times in told.seats.items():
        yield from _seat(recorded, trace, own, ref, seat, times, legacy)


def _verdict(decided: Event) -> Mark:
    codes = decided.data.get("codes", [])
    attributes: dict[str, Value] = {
        "gen_ai.evaluation.name": "trustops.decision",
        "gen_ai.evaluation.score.label": str(decided.data["decision"]),
        "trustops.source": str(decided.data.get("source", "")),
        "trustops.findings": tuple(str(code) for code in codes) if isinstance(codes, list) else (),
    }
    return Mark(VERDICT, decided.at, attributes)


def _measured(decided: Event, readings: Iterable[tuple[str, str]]) -> Iterator[Mark]:
    """What code made of each control's snapshot: PASS, DRIFT and the rest. The values stay in the ledger."""
    for control, evaluation in readings:
        attributes: dict[str, Value] = {
            "gen_ai.evaluation.name": "trustops.control",
            "gen_ai.evaluation.score.label": evaluation,
            "trustops.control": control,
        }
        yield Mark(VERDICT, decided.at, attributes)


def _seat(recorded: Recorded, trace: str, parent: str, ref: str, seat: str, times: _Times, legacy: bool) -> Iterator[Span]:
    calls = [call for call in recorded.calls.get(ref, ()) if call.seat == seat]
    skills = [skill for skill in recorded.skills.get(ref, ()) if skill.seat == seat]
    task = calls[0].task if calls else skills[0].task if skills else f"{recorded.run.id}:{ref}:{seat}"
    end = times.end or times.start or recorded.run.started_at
    start = times.start or end
    own, failed = span_id(trace, task), times.outcome.removeprefix("unavailable: ") if times.outcome != "ok" else ""
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": seat.title(),
        "trustops.task": task,
        **({"error.type": failed} if failed else {}),
    }
    yield Span(trace, own, parent, f"invoke_agent {seat.title()}", "INTERNAL", start, end, attributes, not failed, failed)
    at = start
    for skill in skills:
        yield _skill(trace, own, skill, at)
        at += timedelta(milliseconds=skill.latency_ms)
    yield from (_chat(trace, own, call, end, legacy) for call in calls)


def _skill(trace: str, parent: str, skill: SkillInvocation, at: datetime) -> Span:
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": skill.skill,
        "gen_ai.tool.call.id": skill.id,
        "trustops.skill.version": skill.version,
        **({} if skill.outcome == "ok" else {"error.type": skill.outcome}),
    }
    end, why = at + timedelta(milliseconds=skill.latency_ms), "" if skill.outcome == "ok" else skill.outcome
    return Span(trace, span_id(trace, skill.id), parent, f"execute_tool {skill.skill}", "INTERNAL", at, end, attributes, not why, why)


def _chat(trace: str, parent: str, call: ModelCall, end: datetime, legacy: bool) -> Span:
    failed = call.outcome.removeprefix("unavailable: ") if call.outcome != "ok" else ""
    usage = {"input_tokens": call.tokens_in, "output_tokens": call.tokens_out, "cache_read.input_tokens": call.tokens_cached}
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": call.provider,
        "gen_ai.request.model": call.model,
        "gen_ai.response.id": call.request_id,
        "gen_ai.response.finish_reasons": (call.stop_reason,) if call.stop_reason else (),
        **{f"gen_ai.usage.{name}": count for name, count in usage.items()},
        "trustops.call": call.id,
        "trustops.origin": call.origin.value,
        "trustops.prompt": call.prompt,
        "trustops.attempts": call.attempts,
        **({"trustops.cost_usd": call.cost_usd} if call.cost_usd else {}),
        **({"error.type": failed} if failed else {}),
        **({"gen_ai.system": call.provider} if legacy else {}),
    }
    start = end - timedelta(milliseconds=call.latency_ms)
    return Span(
        trace, span_id(trace, call.id), parent, f"chat {call.model or call.provider}", "CLIENT", start, end, attributes, not failed, failed
    )
