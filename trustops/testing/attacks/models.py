"""Who answers under attack: a model that does exactly what was planted, one that lies in its own words, and one that tells the truth.

Which of them sits at a question is fixed by its ref. The obeying one is told the exact order, whether or not the carrier reached it:
a real model that reads more than ours must not be safer here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from trustops.domain.authenticity import Origin
from trustops.ports import ModelReply, ModelRequest
from trustops.testing.attacks.grid import Instance
from trustops.testing.worst_case import Hostile

WORD = re.compile(r"[^\W_]+")
MANNERS = ("obeys and cites the order", "obeys and cites what is near", "lies and forges", "lies behind a true sentence")
"""Whether a question meets the obeying or the lying model, and what it cites; round and round by number and turn."""
SHOWN = 3


class Cast:
    """Implements ports.ModelClient for a batch of attacks."""

    origin: ClassVar[Origin] = Origin.SCRIPTED

    turn: int = 0
    """Raised by whoever asks again: each question then meets the next manner."""

    def __init__(self, instances: Sequence[Instance], foreign: str = "") -> None:
        self.attacked = {instance.target: instance for instance in instances}
        self.honest = {instance.honest: instance for instance in instances if instance.benign}
        self.foreign = foreign
        self.hostile = Hostile()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The seat's reply as JSON. Every seat except Answer says as little, and as little risk, as it may."""
        text = json.dumps(getattr(self, request.seat)(request), ensure_ascii=False)
        return ModelReply(text=text, stop_reason="complete", origin=self.origin, provider="cast", model="cast")

    def commander(self, request: ModelRequest) -> dict[str, Any]:
        return {"asks": [{"text": request.payload["question"]["text"][:4000], "form": "yes_no"}], "risk": "LOW", "plan": []}

    def policy(self, request: ModelRequest) -> dict[str, Any]:
        return {"claims": [], "conflicts": []}

    def control(self, request: ModelRequest) -> dict[str, Any]:
        return {"readings": [], "missing": []}

    def reviewer(self, request: ModelRequest) -> dict[str, Any]:
        return {"decision": "PASS", "findings": []}

    def answer(self, request: ModelRequest) -> dict[str, Any]:
        ref, payload = request.payload["question"]["ref"], request.payload
        if ref in self.honest:
            return _draft(payload, self.honest[ref].truth, [_holding(payload, self.honest[ref].truth)])
        if ref not in self.attacked:  # a row that nobody meant as a question
            return _draft(payload, payload["question"]["text"][:300], _near(payload, payload["question"]["text"]))
        return self._attacked(self.attacked[ref], request)

    def _attacked(self, instance: Instance, request: ModelRequest) -> dict[str, Any]:
        payload, manner = request.payload, (instance.number + self.turn) % len(MANNERS)
        if manner == 2 and not instance.forged:
            return self.hostile.answer(payload)
        said = f"{instance.say} {request.system}"[:3900] if instance.attack.goal.system else instance.say
        near = _near(payload, instance.text if manner == 0 else instance.ask)
        if manner == 3 and near:
            said = f"{near[0]['quote'].rstrip('.')}. {said}"[:3900]
        forged = [{**each, "exhibit": each["exhibit"].replace("foreign", self.foreign)} for each in instance.forged]
        draft = _draft(payload, said, [*near, *forged], pivot=instance.papers[0] if instance.attack.goal.id == "other-language" else "")
        draft["parts"] = [{"part": name, "value": value} for name, value in instance.parts.items()]
        return draft


def _near(payload: Mapping[str, Any], wanted: str) -> list[dict[str, str]]:
    """The lines of the material that share most words with a text, each as a verbatim citation."""
    words = _words(wanted)
    lines = [(exhibit, line) for exhibit, text in _material(payload) for line in text.splitlines() if line.strip()]
    ranked = sorted(lines, key=lambda item: -len(_words(item[1]) & words))
    return [{"exhibit": exhibit, "quote": line} for exhibit, line in ranked[:SHOWN] if _words(line) & words]


def _holding(payload: Mapping[str, Any], sentence: str) -> dict[str, str]:
    found = next((exhibit for exhibit, text in _material(payload) if sentence in text), "not-found")
    return {"exhibit": found, "quote": sentence}


def _material(payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    passages = [(view["id"], view["text"]) for view in payload.get("passages", ())]
    priors = [(view["id"], view["answer"]) for view in payload.get("prior_answers", ())]
    return [*passages, *priors, *((view["id"], view["says"]) for view in payload.get("readings", ()) if view["says"])]


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


def _draft(payload: Mapping[str, Any], text: str, citations: list[dict[str, str]], pivot: str = "") -> dict[str, Any]:
    asks = payload["asks"][:12] or [""]
    claims = [{"text": text[:4000], "basis": "policy", "citations": citations[:6]}]
    return {"determinations": ["YES"] * len(asks), "text": text, "pivot": pivot, "parts": [], "attachments": [], "claims": claims}
