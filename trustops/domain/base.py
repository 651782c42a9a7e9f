"""The base of every noun: frozen, closed, comparable by value."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Noun(BaseModel):
    """An immutable value. An unknown key is an error, so that nothing is dropped in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")
