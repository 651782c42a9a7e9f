"""Scores and who says so: deterministic assertion > golden truth > human sample > a model as judge.

Source: evaluation.md, "Precedence of verdicts". A score that could not be had is missing: it is counted, and it is never a pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from enum import IntEnum
from typing import Literal

from trustops.domain.base import Noun


class Authority(IntEnum):
    """Who says so; the higher one decides."""

    LLM_JUDGE = 1
    HUMAN_SAMPLE = 2
    GOLDEN_TRUTH = 3
    DETERMINISTIC = 4


class Score(Noun):
    """What one case says about one metric: so much of so many. `amount` counts hits, or is the value; None is a score that is missing.

    `group` and `epoch` tell the sides and repetitions of one case apart, `at` the place on a curve (4k, step 3).
    """

    metric: str
    case_id: str
    amount: Decimal | None
    of: int = 1
    authority: Authority
    group: Literal["", "A", "B"] = ""
    epoch: int = 1
    at: str = ""
    why: str = ""


def settled(scores: Iterable[Score]) -> tuple[Score, ...]:
    """Of several scores of one thing those of the highest authority; a missing one gives way to whatever is there."""
    best: dict[tuple[str, ...], list[Score]] = {}
    for score in scores:
        key = (score.metric, score.case_id, score.group, str(score.epoch), score.at)
        held = best.setdefault(key, [])
        if not held or _rank(score) > _rank(held[0]):
            best[key] = [score]
        elif _rank(score) == _rank(held[0]):
            held.append(score)
    return tuple(score for held in best.values() for score in held)


def _rank(score: Score) -> tuple[bool, int]:
    return score.amount is not None, score.authority
