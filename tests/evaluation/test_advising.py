"""Harm: advice of a model is kept, decides, or is passed off as what somebody measured."""

from __future__ import annotations

from collections.abc import Callable

from tests.conftest import House
from tests.evaluation.test_judging import Says
from trustops.evaluation.advising import advise, shown
from trustops.evaluation.judging import ADVISORY, Judged, Unjudged

ASKED = "Are audit logs kept for at least one year?"


def test_each_advisory_judge_says_its_word_and_nothing_is_kept(house: House, books: Callable[[], dict[str, int]]) -> None:
    answer = house.office.ledger.latest_answers(house.review.id)["K-2"]
    before, client = books(), Says({"verdict": "PASS", "score": 5, "reason": "it stands there"})
    told = advise(house.office, client, ASKED, answer, ())
    assert [name for name, _, _ in told] == list(ADVISORY)
    assert all(isinstance(said, Judged) and held.advisory for _, said, held in told)
    assert books() == before
    assert "400 days" in client.asked[0].user
    assert shown(ASKED, answer)["quotes"] == ["Audit logs are kept for 400 days."]


def test_a_judge_that_fails_is_missing_and_the_others_are_asked_all_the_same(house: House) -> None:
    answer = house.office.ledger.latest_answers(house.review.id)["K-2"]
    told = advise(house.office, Says("no json"), ASKED, answer, ())
    assert len(told) == len(ADVISORY)
    assert all(isinstance(said, Unjudged) and held.why for _, said, held in told)
