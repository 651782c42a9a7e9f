"""What people think of the product's answers: ratings by criterion, and how far raters agree (evaluation.md, "Human evaluation")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Field

from trustops.domain.approval import Identity
from trustops.domain.base import Noun

LOWEST, HIGHEST = 1, 5
Score = Annotated[int, Field(strict=True, ge=LOWEST, le=HIGHEST)]


class Criterion(StrEnum):
    """What is rated, in the order of the form."""

    CLARITY = "clarity"
    EVIDENCE_TRACEABILITY = "evidence_traceability"
    ANSWER_ACCURACY = "answer_accuracy"
    RISK_EXPLANATION = "risk_explanation"
    ACTIONABILITY = "actionability"
    APPROVAL_CONFIDENCE = "approval_confidence"
    EXPORT_CONFIDENCE = "export_confidence"
    UI_READABILITY = "ui_readability"


class Rating(Noun):
    """One person's ratings of one question, or of the whole review where `question` is empty. Append-only: a rater's newest one counts.

    `way` is how it came: the form of the page or a table that the rater uploaded. A program has neither.
    """

    review: str
    question: str
    rater: str
    identity: Identity
    scores: dict[Criterion, Score] = Field(min_length=1)
    comment: str = ""
    way: Literal["page", "table"]
    at: datetime


class Agreement(Noun):
    """How far raters agree on one criterion: of all pairs of raters of one item, how many gave the same, and how many lie one apart at
    most. `raters` and `items` count those with at least one rating."""

    criterion: Criterion
    raters: int
    items: int
    ratings: int
    total: int
    """Sum of the scores: the mean is this over `ratings`."""
    pairs: int
    same: int
    near: int


def newest(ratings: Iterable[Rating]) -> tuple[Rating, ...]:
    """The newest rating of each rater and item, in the order in which they were first given."""
    held: dict[tuple[str, str], Rating] = {}
    for rating in ratings:
        held[rating.rater, rating.question] = rating
    return tuple(held.values())


def agreement(ratings: Iterable[Rating]) -> tuple[Agreement, ...]:
    """One line a criterion, over the newest ratings; a criterion that nobody rated has zeros."""
    counted = newest(ratings)
    return tuple(_agreement(criterion, counted) for criterion in Criterion)


def units(ratings: Iterable[Rating], criterion: Criterion) -> tuple[tuple[int, ...], ...]:
    """The scores of each item that was rated, for measures that are made elsewhere."""
    return tuple(tuple(scores.values()) for scores in _by_item(criterion, newest(ratings)).values())


def _by_item(criterion: Criterion, counted: Iterable[Rating]) -> Mapping[str, Mapping[str, int]]:
    items: dict[str, dict[str, int]] = defaultdict(dict)
    for rating in counted:
        if criterion in rating.scores:
            items[rating.question][rating.rater] = rating.scores[criterion]
    return items


def _agreement(criterion: Criterion, counted: Iterable[Rating]) -> Agreement:
    items = _by_item(criterion, counted)
    pairs = [pair for scores in items.values() for pair in combinations(scores.values(), 2)]
    given = [score for scores in items.values() for score in scores.values()]
    return Agreement(
        criterion=criterion,
        raters=len({rater for scores in items.values() for rater in scores}),
        items=len(items),
        ratings=len(given),
        total=sum(given),
        pairs=len(pairs),
        same=sum(a == b for a, b in pairs),
        near=sum(abs(a - b) <= 1 for a, b in pairs),
    )
