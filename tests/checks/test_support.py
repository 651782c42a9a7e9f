"""Harm: an answer says what its sentences do not, or what another paper denies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.checks.bench import NAMES, TODAY, asks, codes, hearing, passage, prior, said, statements
from trustops.checks.support import best_support, coverage_findings, proof_findings, would_prove
from trustops.domain.answer import Determination
from trustops.facts.testimony import Statement

YES, NO, PARTIAL, NOT_APPLICABLE, UNKNOWN = Determination
QUESTION = "Are gallery alarms tested every week?"
TESTED = "Gallery alarms are tested every week."


def judged(question: str, determination: Determination, answer: str, cited: Sequence[Statement], *others: Statement) -> list[str]:
    (ask,) = asks(question)
    return codes(proof_findings(ask, determination, cited, [*cited, *others], said(answer) if answer else [], NAMES))


PROOFS = [
    pytest.param(QUESTION, YES, "Gallery alarms are tested every week.", TESTED, [], id="a plain proof"),
    pytest.param(QUESTION, YES, "They are tested.", "Gallery alarms should be tested every week.", ["MISSING_EVIDENCE"], id="advice"),
    pytest.param(
        QUESTION, YES, "They are tested.", "Gallery alarms will be tested every week from 2033.", ["MISSING_EVIDENCE"], id="a plan"
    ),
    pytest.param(
        QUESTION, YES, "They are tested.", "Gallery alarms are tested every month.", ["CONTRADICTION", "MISSING_EVIDENCE"], id="less often"
    ),
    pytest.param(QUESTION, YES, "They are tested.", "Gallery alarms are not tested every week.", ["CONTRADICTION"], id="a denial"),
    pytest.param(
        QUESTION, YES, "They are tested.", "Castor Haulage tests its gallery alarms every week.", ["MISSING_EVIDENCE"], id="a subcontractor"
    ),
    pytest.param(
        QUESTION,
        YES,
        "They are tested.",
        "Lanternhall Nordic tests its gallery alarms every week.",
        ["MISSING_EVIDENCE"],
        id="a sister company",
    ),
    pytest.param(QUESTION, YES, "They are tested.", "Visitors hang their coats in the hall.", ["MISSING_EVIDENCE"], id="another topic"),
    pytest.param(QUESTION, NO, "They are not.", "Gallery alarms are not tested every week.", [], id="an honest no"),
    pytest.param(QUESTION, NO, "They are not.", TESTED, ["CONTRADICTION"], id="a no against the paper"),
    pytest.param(QUESTION, NO, "They are not.", "Visitors hang their coats in the hall.", ["MISSING_EVIDENCE"], id="a no without proof"),
    pytest.param(
        "Are drones of the museum registered?",
        NOT_APPLICABLE,
        "We use none.",
        "The museum does not use drones.",
        [],
        id="the subject does not exist",
    ),
    pytest.param(
        "Are drones of the museum registered?",
        NOT_APPLICABLE,
        "We use none.",
        "Drones of the museum are not registered.",
        ["MISSING_EVIDENCE"],
        id="not registered is not not applicable",
    ),
    pytest.param(QUESTION, UNKNOWN, "", TESTED, ["MISSING_EVIDENCE"], id="an unknown says which ask is open"),
]


@pytest.mark.parametrize(("question", "determination", "answer", "cited", "expected"), PROOFS)
def test_a_determination_is_proved_by_a_cited_sentence_or_blocks(
    question: str, determination: Determination, answer: str, cited: str, expected: list[str]
) -> None:
    found = judged(question, determination, answer, statements(question, cited))
    assert (found == []) if not expected else bool(found) and set(found) <= set(expected)


def test_an_uncited_sentence_of_the_dossier_that_says_otherwise_blocks() -> None:
    cited, other = statements(QUESTION, TESTED, "Gallery alarms are never tested.")
    assert judged(QUESTION, YES, TESTED, [cited], other) == ["CONTRADICTION"]


def test_what_is_not_cited_proves_nothing() -> None:
    cited, other = statements(QUESTION, "Gallery alarms ring a bell in the lodge.", TESTED)
    assert judged(QUESTION, YES, TESTED, [cited], other) == ["MISSING_EVIDENCE"]


def test_an_expired_paper_neither_proves_nor_opposes() -> None:
    old = hearing(QUESTION, passage(TESTED, expires=TODAY.replace(year=2030))).statements
    denial = hearing(QUESTION, passage("Gallery alarms are never tested.", expires=TODAY.replace(year=2030))).statements
    fresh = statements(QUESTION, TESTED)
    assert judged(QUESTION, YES, TESTED, old) == ["MISSING_EVIDENCE"]
    assert judged(QUESTION, YES, TESTED, fresh, *denial) == []


def test_an_earlier_answer_that_was_withdrawn_opposes_nothing() -> None:
    paper = passage(TESTED)
    for withdrawn, expected in ((False, ["CONTRADICTION"]), (True, [])):
        told = hearing(QUESTION, paper, prior(QUESTION, "No, gallery alarms are never tested.", withdrawn=withdrawn)).statements
        cited = [s for s in told if s.kind == "passage"]
        assert judged(QUESTION, YES, TESTED, cited, *[s for s in told if s.kind == "prior"]) == expected


PARTIALS = [
    pytest.param(
        ("Gallery alarms are tested every week.", "Gallery alarms are not tested in winter."), True, id="one proves and one limits"
    ),
    pytest.param(("Gallery alarms are tested every week.",), False, id="nothing limits"),
    pytest.param(("Gallery alarms are not tested in winter.",), False, id="nothing proves"),
    pytest.param(("38 of 40 gallery alarms are tested every week.",), True, id="a ratio between nothing and all proves and limits"),
]


@pytest.mark.parametrize(("cited", "proved"), PARTIALS)
def test_a_partial_needs_one_sentence_that_proves_and_one_that_limits(cited: tuple[str, ...], proved: bool) -> None:
    answer = "Gallery alarms are tested every week, but not in winter; 38 of 40 are."
    found = judged(QUESTION, PARTIAL, answer, statements(QUESTION, *cited))
    assert found == ([] if proved else ["MISSING_EVIDENCE"])


def test_the_limit_of_a_partial_must_be_told_in_the_answer() -> None:
    cited = statements(QUESTION, "Gallery alarms are tested every week.", "Cellar sirens are not tested in winter.")
    assert judged(QUESTION, PARTIAL, "Gallery alarms are tested every week.", cited) == ["MISSING_EVIDENCE"]


COVERAGE = [
    pytest.param("Gallery alarms are tested every week.", TESTED, True, id="word for word"),
    pytest.param("Alarms in the gallery get tested weekly.", TESTED, True, id="in other order"),
    pytest.param("Sprinklers, cameras and turnstiles are inspected by engineers.", TESTED, False, id="other things"),
    pytest.param("Gallery alarms connect to police stations over redundant radio links.", TESTED, False, id="an invented rest"),
]


@pytest.mark.parametrize(("text", "cited", "covered"), COVERAGE)
def test_a_claim_that_its_sentences_do_not_say_blocks(text: str, cited: str, covered: bool) -> None:
    (claim,) = said(text)
    held = statements(QUESTION, cited)
    assert best_support(claim, held)[1] is covered
    assert codes(coverage_findings([(claim, False)], held)) == ([] if covered else ["MISSING_EVIDENCE"])
    assert coverage_findings([(claim, True)], held) == ()  # it has no citation at all: that is another finding


def test_three_sentences_are_not_pooled_for_one_claim() -> None:
    (claim,) = said("Turnstiles, cameras, sprinklers, lifts, boilers and skylights have engineers.")
    held = statements(QUESTION, "Turnstiles and cameras hum.", "Sprinklers and lifts hum.", "Boilers and skylights hum.")
    support, covered = best_support(claim, held)
    assert (len(support), covered) == (2, False)


def test_a_word_of_a_neighbouring_sentence_does_not_support() -> None:
    (claim,) = said("Sprinklers are serviced by certified engineers.")
    whole = hearing(QUESTION, passage("Gallery alarms ring. Sprinklers are serviced by certified engineers.")).statements
    assert best_support(claim, whole[:1])[1] is False
    assert best_support(claim, whole[1:])[1] is True


def test_an_ineligible_sentence_is_blamed_only_where_nothing_eligible_settles_the_ask() -> None:
    old = hearing(QUESTION, passage(TESTED, expires=TODAY.replace(year=2030))).statements
    assert would_prove(asks(QUESTION), old, NAMES) == old
    assert would_prove(asks(QUESTION), [*old, *statements(QUESTION, TESTED)], NAMES) == ()


def test_an_open_question_is_not_proved_by_a_paper_that_does_not_speak_of_it() -> None:
    question = "How are gallery alarms tested?"
    assert judged(question, YES, TESTED, statements(question, "Coats are hung in the hall.")) == ["MISSING_EVIDENCE"]
    assert judged(question, YES, TESTED, statements(question, "Gallery alarms are tested with a smoke pen.")) == []
