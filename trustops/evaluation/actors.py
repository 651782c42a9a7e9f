"""Scripted seats for evaluation: a drill's dishonest or failing seat, and a seat that gives a truth file's model answer.

Every other seat stays the honest one behind it. All of them are SCRIPTED, so no such run is ever live.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from trustops.domain.authenticity import Origin
from trustops.evaluation.truth import Drill, TruthQuestion
from trustops.ports import ModelClient, ModelReply, ModelRequest

FURTHER = 4
"""Sentences of the dossier that a model answer may cite beyond truth's quotes."""


def reply(text: str) -> ModelReply:
    """A scripted reply."""
    return ModelReply(text=text, stop_reason="complete", origin=Origin.SCRIPTED, provider="scripted", model="scripted")


class DrillClient:
    """The honest client with one seat (and, where the drill says so, the reviewer) replaced."""

    origin: ClassVar[Origin] = Origin.SCRIPTED

    def __init__(self, honest: ModelClient, drill: Drill, ref: str) -> None:
        self.honest, self.drill, self.ref = honest, drill, ref

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.payload["question"]["ref"] != self.ref:
            return await self.honest.complete(request)
        if request.seat == self.drill.seat and self.drill.proposes is not None:
            return reply(json.dumps(proposal(self.drill.proposes, request.payload)))
        if request.seat == self.drill.seat and self.drill.reply is not None:
            return reply(self.drill.reply)
        reviewer = (self.drill.proposes or {}).get("reviewer")
        if request.seat == "reviewer" and reviewer is not None:
            return reply(json.dumps({"decision": reviewer["decision"], "findings": reviewer["findings"]}))
        return await self.honest.complete(request)

    def fault_for(self, request: ModelRequest) -> str | None:
        """The drill's fault for its own seat and question; a literal reply or a proposal is none."""
        mine = request.seat == self.drill.seat and request.payload["question"]["ref"] == self.ref
        return self.drill.fault if mine and self.drill.proposes is None and self.drill.reply is None else None


def proposal(proposes: Mapping[str, Any], payload: Mapping[str, Any]) -> dict[str, Any]:
    """A drill's proposal as an answer draft. Citations by file and quote are resolved in the payload, ids are taken as they are."""
    citations = [_citation(c, payload) for c in proposes.get("citations", ())]
    determinations = [proposes["determination"]] * max(1, len(payload["asks"]))
    parts = [
        {"part": cell["part"], "value": str(proposes[name])} for name in ("choice",) if name in proposes for cell in _cells(payload, name)
    ]
    groups = [citations[at : at + 6] for at in range(0, len(citations), 6)] or [[]]
    claims = [{"text": proposes["text"], "basis": "policy", "citations": group} for group in groups]
    return {"determinations": determinations, "text": proposes["text"], "pivot": "", "parts": parts, "attachments": [], "claims": claims}


def _cells(payload: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    return [cell for cell in payload["question"]["cells"] if cell["kind"] == kind]


def _citation(wanted: Mapping[str, str], payload: Mapping[str, Any]) -> dict[str, str]:
    if "passage" in wanted:
        return {"exhibit": wanted["passage"], "quote": wanted["quote"]}
    found = _exhibit(wanted["file"], wanted["quote"], payload)
    return {"exhibit": found[0] if found else f"missing:{wanted['file']}", "quote": found[1] if found else wanted["quote"]}


def _exhibit(file: str, quote: str, payload: Mapping[str, Any]) -> tuple[str, str] | None:
    """Id and verbatim stretch of a quote, white space apart; None where the payload does not hold it."""
    pattern = re.compile(r"\s+".join(re.escape(word) for word in quote.replace("`", "").split()))
    for view in payload.get("passages", ()):
        if view["file"] == file and (hit := pattern.search(view["text"].replace("`", ""))):
            plain = hit.group()
            return view["id"], plain if plain in view["text"] else _verbatim(view["text"], plain)
    for view in payload.get("prior_answers", ()):
        if view["file"] == file and (hit := pattern.search(view["answer"])):
            return view["id"], hit.group()
    return None


def _verbatim(text: str, plain: str) -> str:
    """The stretch of `text` that is `plain` up to backticks."""
    pattern = "`?".join(re.escape(character) for character in plain)
    hit = re.search(pattern, text)
    return hit.group() if hit else plain


class CaseClient:
    """The honest client with the seats that a golden case scripts: `proposes`, `fault` or a literal `reply`."""

    origin: ClassVar[Origin] = Origin.SCRIPTED

    def __init__(self, honest: ModelClient, seats: Mapping[str, Mapping[str, Any]]) -> None:
        self.honest, self.seats = honest, seats

    async def complete(self, request: ModelRequest) -> ModelReply:
        scripted = self.seats.get(request.seat)
        if scripted is None:
            return await self.honest.complete(request)
        if "proposes" in scripted:
            return reply(json.dumps(proposal(scripted["proposes"], request.payload)))
        return reply(json.dumps(scripted["reply"]))

    def fault_for(self, request: ModelRequest) -> str | None:
        """The fault that the case gives this seat."""
        scripted = self.seats.get(request.seat, {})
        return str(scripted["fault"]) if "fault" in scripted else None


class ModelAnswers:
    """An Answer seat that gives the truth file's model answers: truth's quotes and up to four further sentences of the dossier."""

    origin: ClassVar[Origin] = Origin.SCRIPTED

    def __init__(self, honest: ModelClient, questions: Iterable[TruthQuestion]) -> None:
        self.honest = honest
        self.truth = {question.ref: question for question in questions}

    async def complete(self, request: ModelRequest) -> ModelReply:
        question = self.truth.get(request.payload["question"]["ref"])
        if request.seat != "answer" or question is None:
            return await self.honest.complete(request)
        return reply(json.dumps(model_draft(question, request.payload)))


def model_draft(question: TruthQuestion, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The model answer as a draft; several asks get the truth's determination each."""
    expected = question.expected
    cited = [c for q in expected.evidence_any if (c := _exhibit(q.file, q.quote, payload))]
    further = _further(expected.model_answer, [quote for _, quote in cited], payload)
    readings = [(view["id"], view["says"]) for view in payload.get("readings", ()) if view["evaluation"] == "PASS"]
    citations = [{"exhibit": exhibit, "quote": quote} for exhibit, quote in [*cited, *further, *readings]]
    groups = [citations[at : at + 6] for at in range(0, len(citations), 6)] or [[]]
    claims = [{"text": expected.model_answer, "basis": "policy", "citations": group} for group in groups]
    parts = [{"part": name, "value": str(value)} for name, value in expected.values.items()]
    asks = max(1, len(payload["asks"]))
    verdicts = [expected.determination.value] * asks
    return {
        "determinations": verdicts,
        "text": expected.model_answer if expected.determination.affirmative else "",
        "pivot": "",
        "parts": parts,
        "attachments": list(expected.attachments),
        "claims": claims,
    }


def _further(answer: str, cited: list[str], payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Up to four sentences that hold most words of the answer which the quotes leave open. Plain words, no reading of meaning."""
    missing = _words(answer) - _words(" ".join(cited))
    pool = [
        (view["id"], line) for view in payload.get("passages", ()) if view["classification"] == "shareable" for line in _lines(view["text"])
    ]
    chosen: list[tuple[str, str]] = []
    while missing and len(chosen) < FURTHER:
        best = max(pool, key=lambda item: len(_words(item[1]) & missing), default=None)
        if best is None or not _words(best[1]) & missing:
            break
        chosen.append(best)
        missing -= _words(best[1])
    return chosen


def _lines(text: str) -> list[str]:
    return [piece.strip() for line in text.split("\n") for piece in re.split(r"(?<=[.!?])\s+", line) if piece.strip()]


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9][a-z0-9-]+", text.lower()) if len(word) > 3 or any(c.isdigit() for c in word)}
