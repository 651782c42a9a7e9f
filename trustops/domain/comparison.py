"""A comparison of two ways of answering, as it is kept: the figures of scoring.md, section 3, and whether the new way is worse."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from trustops.domain.authenticity import Origin
from trustops.domain.base import Noun


class Side(Noun):
    """How often the augmentation fired among scenarios where it should (or should not), and who did better where it fired."""

    scenarios: int = 0
    fired: int = 0
    augmented_wins: int = 0
    baseline_wins: int = 0
    missing: int = 0
    """Scenarios without a verdict: a judge or a side that failed. They are no ties."""


class Comparison(Noun):
    """Plain against augmented. `augmentation` names what was added, by digest where it is a playbook. `origin` is SCRIPTED unless the
    simulated customer and the judge were both served live. Means are over judged scenarios, None where there are none."""

    id: str
    at: datetime
    augmentation: str
    digest: str
    origin: Origin
    judge: str
    judge_calibrated: bool = False
    held_out: bool = True
    similar: Side = Side()
    different: Side = Side()
    quality_delta: Decimal | None = None
    accuracy_cost: Decimal | None = None
    """Mean accuracy of the plain side less that of the augmented one; above zero is a cost."""

    @property
    def worse(self) -> tuple[str, ...]:
        """Why the augmented way may not be taken for as good, in words; empty where it may."""
        sides = (self.similar, self.different)
        reasons = {
            "its user and judge were scripted, which proves nothing of a real one": self.origin is not Origin.LIVE,
            "its judge is not calibrated against people": not self.judge_calibrated,
            "a scenario was part of what it was learned from": not self.held_out,
            "nothing was judged": self.quality_delta is None or self.accuracy_cost is None,
            "scenarios have no verdict": any(side.missing for side in sides) or not sum(side.scenarios for side in sides),
            "the quality is lower": (self.quality_delta or 0) < 0,
            "it costs accuracy": (self.accuracy_cost or 0) > 0,
            "it loses more often than it wins": sum(s.baseline_wins for s in sides) > sum(s.augmented_wins for s in sides),
        }
        return tuple(why for why, so in reasons.items() if so)
