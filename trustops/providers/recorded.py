"""Replay: replies of an earlier run, found by seat and request. What was not recorded is a failure that says where it diverged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import ClassVar

from trustops.domain.authenticity import Origin
from trustops.domain.errors import ProviderFailed
from trustops.domain.record import ModelCall
from trustops.ports import ModelReply, ModelRequest

LOST = "unavailable: "
WITH_REPLY = frozenset({"", "empty", "invalid", "refusal", "truncated"})
"""Outcomes whose reply, or lack of text, is served again; the seat then concludes the same. All others ended without a reply."""


class RecordedClient:
    """Implements ports.ModelClient from recorded calls. RECORDED by constant: a replay is never live (invariant 9).

    A call whose request comes again is served in the order of the record, the last of them for ever. A call that failed fails again in
    the same way. A record keeps a seat's last reply only: where that was invalid it is served to the repair as well.
    """

    origin: ClassVar[Origin] = Origin.RECORDED

    def __init__(self, calls: Iterable[ModelCall]) -> None:
        self._calls: dict[tuple[str, str], list[ModelCall]] = defaultdict(list)
        self._prompts: dict[str, set[str]] = defaultdict(set)
        self._unrepaired: dict[tuple[str, str], ModelCall] = {}
        for call in calls:
            self._calls[call.seat, call.request_sha256].append(call)
            self._prompts[call.seat].add(call.prompt)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply; raises ProviderFailed as recorded, or kind="http" for a request that the record does not hold."""
        call = self._call(request)
        reason = call.outcome.removeprefix(LOST) if call.outcome.startswith(LOST) else ""
        if reason not in WITH_REPLY:
            raise ProviderFailed(call.detail, kind=reason, attempts=call.attempts)  # its words name the place already
        if reason == "invalid":
            self._unrepaired[request.seat, request.user] = call
        return ModelReply(
            text=call.reply,
            stop_reason=call.stop_reason or "complete",
            origin=self.origin,
            provider=call.provider,
            model=call.model,
            profile=call.profile,
            request_id=call.request_id,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            tokens_cached=call.tokens_cached,
            attempts=call.attempts,
            latency_ms=call.latency_ms,
            cost_usd=call.cost_usd,
        )

    def _call(self, request: ModelRequest) -> ModelCall:
        found = self._calls.get((request.seat, request.digest))
        if found:
            return found.pop(0) if len(found) > 1 else found[0]
        for (seat, user), call in self._unrepaired.items():
            if seat == request.seat and request.user.startswith(user):
                return call
        raise ProviderFailed(
            f"the recording has no reply to this request of the {request.seat} seat: it diverged here, {self._why(request)}",
            kind="http",
            where=f"request {request.digest[:12]}",
            remedy="Record the run again, or replay it with the prompts and evidence that it was recorded with.",
        )

    def _why(self, request: ModelRequest) -> str:
        prompts = self._prompts.get(request.seat, set())
        if not prompts:
            return "where no call of this seat was recorded"
        if request.prompt not in prompts:
            return f"recorded with prompt {', '.join(sorted(prompts))} and asked with {request.prompt}"
        return "with the recorded prompt and other material"
