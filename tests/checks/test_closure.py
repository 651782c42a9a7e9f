"""Harm: an answer promises a figure, a date, a name or an "all" that no single cited sentence holds (invariant 5)."""

from __future__ import annotations

import pytest

from tests.checks.bench import NAMES, TODAY, asks, codes, hearing, passage, said, statements
from trustops.checks.closure import closure_findings
from trustops.domain.answer import Determination

YES, NO = Determination.YES, Determination.NO


def open_facts(question: str, answer: str, *cited: str, determination: Determination = YES) -> list[str]:
    """What stays open, as the findings name it."""
    found = closure_findings(said(answer) if answer else [], determination, asks(question), statements(question, *cited), NAMES, TODAY)
    assert set(codes(found)) <= {"OVERCOMMITMENT"}
    assert all(f.blocks for f in found)
    return [f.summary.split("'")[1].lower() for f in found]


TAPES = "Are guard patrol recordings kept for at least 30 days?"
KEPT = "Guard patrol recordings are kept for 45 days."
MORE = [
    pytest.param(TAPES, "Guard patrol recordings are kept for 60 days.", KEPT, id="a longer period than written"),
    pytest.param(TAPES, "Guard patrol recordings are kept for 45 months.", KEPT, id="another unit"),
    pytest.param(TAPES, "All guard patrol recordings are always kept for 45 days.", KEPT, id="an all and an always that nobody wrote"),
    pytest.param(TAPES, "Guard patrol recordings are kept for 45 days under ISO 27001.", KEPT, id="a standard that nobody named"),
    pytest.param(TAPES, "Guard patrol recordings are kept for 45 days in Norway.", KEPT, id="a country that nobody named"),
    pytest.param(
        "Is the ticket shop reached over TLS 1.3?",
        "The ticket shop is reached over TLS 1.3.",
        "The ticket shop is reached over TLS 1.2 or higher.",
        id="1.3 read out of 1.2 or higher",
    ),
    pytest.param(
        "Are lost badges blocked?",
        "Lost badges are blocked within 2 hours.",
        "Lost badges are blocked within 4 hours.",
        id="a shorter deadline than written",
    ),
    pytest.param(
        "Was the vault inspected?",
        "The vault was inspected on 3 March 2031.",
        "The vault was inspected on 3 March 2030.",
        id="another year",
    ),
    pytest.param(
        "Are guards vetted?", "100% of guards are vetted.", "Guards are vetted before their first shift.", id="a hundred per cent"
    ),
    pytest.param("Do guards sign in?", "Guards never enter alone.", "Guards sign in at the desk before they enter.", id="a never"),
]


@pytest.mark.parametrize(("question", "answer", "cited"), MORE)
def test_more_than_the_cited_sentence_says_blocks(question: str, answer: str, cited: str) -> None:
    assert open_facts(question, answer, cited)


COVERED = [
    pytest.param(TAPES, "Guard patrol recordings are kept for 45 days.", KEPT, id="word for word"),
    pytest.param(TAPES, "Guard patrol recordings are kept for at least 30 days.", KEPT, id="45 days are at least 30"),
    pytest.param(
        "Are lost badges blocked?",
        "Lost badges are blocked within at most 6 hours.",
        "Lost badges are blocked within 4 hours.",
        id="within 4 is at most 6",
    ),
    pytest.param(
        "Is the ticket shop reached over TLS 1.2 or higher?",
        "The ticket shop is reached over TLS 1.2 or higher.",
        "The ticket shop is reached over TLS 1.3.",
        id="1.3 is 1.2 or higher",
    ),
    pytest.param("Are guards vetted?", "Guards are vetted.", "All guards are vetted before their first shift.", id="less than all"),
]


@pytest.mark.parametrize(("question", "answer", "cited"), COVERED)
def test_what_one_cited_sentence_implies_is_covered(question: str, answer: str, cited: str) -> None:
    assert open_facts(question, answer, cited) == []


def test_facts_are_never_pooled_across_sentences() -> None:
    pooled = open_facts(
        "Are night guards and lifts checked?",
        "Night guards are checked every 6 months by two inspectors with ISO 9001.",
        "Night guards are checked by two inspectors.",
        "Lift motors are serviced every 6 months under ISO 9001.",
    )
    assert pooled


def test_a_sentence_that_denies_a_thing_does_not_back_its_promise() -> None:
    assert open_facts(
        "Do lockers support MFA for visitors?", "Visitors open their lockers with MFA.", "Visitor lockers do not support MFA for visitors."
    )


def test_a_bare_yes_takes_over_the_facts_of_the_question() -> None:
    assert open_facts("Is the ticket shop reached over TLS 1.3 by all visitors?", "", "The ticket shop is reached over TLS 1.2.")
    assert open_facts(TAPES, "", "Guard patrol recordings are kept for 20 days.")
    assert open_facts(TAPES, "", KEPT) == []


def test_a_no_may_deny_the_figure_of_the_question_without_a_source_for_it() -> None:
    answer = "Guard patrol recordings are not kept for at least 30 days."
    assert open_facts(TAPES, answer, "Guard patrol recordings are overwritten nightly.", determination=NO) == []


def test_a_no_needs_a_source_for_the_figures_that_it_brings_itself() -> None:
    answer = "Guard patrol recordings are kept for 7 days."
    assert open_facts(TAPES, answer, "Guard patrol recordings are overwritten nightly.", determination=NO)


def test_an_expired_sentence_backs_nothing() -> None:
    old = hearing(TAPES, passage(KEPT, expires=TODAY.replace(year=2030))).statements
    assert closure_findings(said("Guard patrol recordings are kept for 45 days."), YES, asks(TAPES), old, NAMES, TODAY)


WINDOW = "Was the vault inspected within the last 12 months?"


@pytest.mark.parametrize(
    ("day", "inside"),
    [("15 June 2030", True), ("14 June 2030", False), ("15 June 2031", True), ("16 June 2031", False), ("2 May 2019", False)],
    ids=["the first day", "a day too early", "today", "tomorrow", "long ago"],
)
def test_a_window_is_tested_by_subtracting_the_cited_date(day: str, inside: bool) -> None:
    found = open_facts(WINDOW, "", f"The vault was inspected on {day}.")
    assert (found == []) is inside


def test_each_open_fact_is_named_once() -> None:
    answer = said("Recordings are kept for 60 days.", "Guard recordings are kept for 60 days.")
    found = closure_findings(answer, YES, asks("Are recordings kept?"), statements(TAPES, KEPT), NAMES, TODAY)
    assert len(found) == 1
