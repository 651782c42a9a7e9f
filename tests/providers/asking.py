"""Requests as a seat makes them, for tests of one call."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from trustops.domain.opinion import AnswerDraft, CommanderOpinion, ControlOpinion, PolicyOpinion, ReviewerOpinion
from trustops.ports import ModelRequest

SHAPES: dict[str, type[BaseModel]] = {
    "commander": CommanderOpinion,
    "policy": PolicyOpinion,
    "control": ControlOpinion,
    "answer": AnswerDraft,
    "reviewer": ReviewerOpinion,
}
NAMES = {"commander": "the Commander", "policy": "Policy", "control": "Control", "answer": "Answer", "reviewer": "the Reviewer"}


def request(seat: str = "commander", **changes: Any) -> ModelRequest:
    shape = SHAPES[seat]
    made = ModelRequest(
        seat=seat,
        prompt=f"{seat}@1:0123456789ab",
        system=f"You are {NAMES[seat]} at a table of five.",
        user="Is customer data encrypted at rest?",
        shape_name=shape.__name__,
        shape=shape.model_json_schema(),
        payload={},
        timeout_s=2.0,
    )
    return made.model_copy(update=changes)
