"""Harm: agreement is reported that is not there."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from pydantic import ValidationError

from tests.storage.bench import rating
from trustops.domain.rating import Criterion, agreement, newest, units


def of(told: str, *ratings: object) -> object:
    return next(a for a in agreement(ratings) if a.criterion == told)  # type: ignore[arg-type]


def test_agreement_counts_pairs_of_raters_of_one_item() -> None:
    told = of(
        "clarity",
        rating("Ana", scores={"clarity": 4}),
        rating("Bo", scores={"clarity": 4}),
        rating("Cy", scores={"clarity": 5}),
        rating("Ana", question="L-2", scores={"clarity": 1}),
        rating("Bo", question="L-2", scores={"clarity": 5}),
        rating("Cy", question="L-3", scores={"clarity": 3}),
    )
    assert told.model_dump() == {  # type: ignore[attr-defined]
        "criterion": Criterion.CLARITY,
        "raters": 3,
        "items": 3,
        "ratings": 6,
        "total": 22,
        "pairs": 4,
        "same": 1,
        "near": 3,
    }


def test_who_rates_twice_is_one_rater_and_the_newest_counts() -> None:
    twice = [rating("Ana", scores={"clarity": 1}), rating("Bo", scores={"clarity": 5}), rating("Ana", scores={"clarity": 5})]
    assert [r.scores[Criterion.CLARITY] for r in newest(twice)] == [5, 5]
    told = of("clarity", *twice)
    assert (told.pairs, told.same) == (1, 1)  # type: ignore[attr-defined]


def test_a_criterion_that_nobody_rated_has_no_agreement_rather_than_a_perfect_one() -> None:
    told = of("actionability", rating("Ana"), rating("Bo"))
    assert (told.pairs, told.ratings) == (0, 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("scores", [{}, {"clarity": 0}, {"clarity": 6}, {"clarity": 2.5}, {"beauty": 3}, {"clarity": True}], ids=str)
def test_what_is_no_score_is_no_rating(scores: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        rating("Ana", scores=scores)


def test_agreement_is_what_counting_by_hand_gives() -> None:
    draw = random.Random(3)
    for _ in range(100):
        given = {(r, q): draw.randint(1, 5) for r in "ABCD" for q in ("L-1", "L-2", "L-3") if draw.random() < 0.7}
        ratings = [rating(r, question=q, scores={"clarity": score}) for (r, q), score in given.items()]
        pairs = [(a, b) for q in ("L-1", "L-2", "L-3") for a, b in combinations([s for (_, at), s in given.items() if at == q], 2)]
        told = of("clarity", *ratings)
        assert (told.pairs, told.same) == (len(pairs), sum(a == b for a, b in pairs))  # type: ignore[attr-defined]
        assert sorted(score for item in units(ratings, Criterion.CLARITY) for score in item) == sorted(given.values())
