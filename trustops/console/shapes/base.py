"""What every shape is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """Closed: what nobody knows is refused rather than ignored, and nothing goes out that is not told."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ProblemDetails(Shape):
    """RFC 9457: what is wrong, where, and what to do."""

    type: str
    title: str
    status: int
    detail: str
    where: str
    remedy: str
