"""Harm: what holds for one group is told as if it held for all, because the little word "only" stands behind."""

from __future__ import annotations

import pytest

from tests.checks.bench import NAMES, asks, hearing, passage
from trustops.facts.verdict import stance


def reads(question: str, text: str) -> str:
    (ask,) = asks(question)
    return stance(hearing(question, passage(text)).statements[0], ask, NAMES).reads


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Are tachographs fitted to lorries?", "Tachographs are fitted on lorries of the night shift only."),
        ("Are drivers tested before they start?", "Tests are completed for senior drivers only before they start; drivers are tested."),
        ("Is the freight weighed?", "The freight is weighed on a calibrated scale, but only in the Oslo depot."),
        ("Is the freight weighed?", "The freight is weighed, though only on Fridays."),
    ],
)
def test_a_limiter_behind_its_group_makes_it_a_part(question: str, text: str) -> None:
    assert reads(question, text) == "SHORT"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Are tachographs fitted to lorries of the night shift?", "Tachographs are fitted to lorries of the night shift only."),
        ("Is freight released on approval?", "Freight is released on written approval only."),
        ("Is freight moved as the customer instructs?", "Freight is moved as the customer instructs, on written instructions only."),
        ("Is the freight weighed in the Oslo depot?", "The freight is weighed, but only in the Oslo depot."),
    ],
)
def test_what_the_question_names_itself_and_a_condition_are_no_part(question: str, text: str) -> None:
    assert reads(question, text) == "PROVES"
