"""Harm: an old answer is taken over because it was good once, without anybody seeing what changed; or it passes by the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.conftest import House
from trustops.domain.answer import Determination
from trustops.domain.errors import UnknownName
from trustops.operations.approving import approve, reject
from trustops.operations.calibrating import calibrate
from trustops.operations.editing import edit_answer
from trustops.operations.reusing import Proposal, proposals

Counted = Callable[[], dict[str, int]]
ASKED = "Are audit logs kept for at least one year?"


def remembered(house: House, *rows: tuple[str, str]) -> None:
    """Earlier answers, and a new attempt whose dossier holds them."""
    (house.folder / "answers").mkdir(exist_ok=True)
    lines = [f'"{question}","{answer}",2026-01-0{at},Customer {at},Dee,2027-06-01' for at, (question, answer) in enumerate(rows, 1)]
    head = "Question,Answer,Answered on,Customer,Owner,Review by"
    (house.folder / "answers" / "2026.csv").write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    house.run("K-2")


def propose(house: House) -> tuple[Proposal, ...]:
    return proposals(house.office, house.review, "K-2")


def test_an_answer_that_a_document_says_today_is_proposed_with_that_document(house: House) -> None:
    remembered(house, (ASKED, "Yes. Audit logs are kept for 400 days."))
    (one,) = propose(house)
    assert (one.same, one.determination, one.blocked_by) == (True, Determination.YES, ())
    assert [(line.state, line.file) for line in one.lines] == [("SAID", "evidence/logging.md")]


def test_an_answer_that_promised_more_is_shown_beside_what_is_so_today_and_would_be_blocked(house: House) -> None:
    remembered(house, (ASKED, "Yes. Audit logs are kept for 900 days."))
    (one,) = propose(house)
    assert [(line.text, line.today) for line in one.lines] == [("Audit logs are kept for 900 days.", "Audit logs are kept for 400 days.")]
    assert any(finding.startswith("OVERCOMMITMENT") and "900 days" in finding for finding in one.blocked_by)


def test_a_similar_question_counts_and_another_topic_does_not(house: House) -> None:
    remembered(
        house,
        ("Are audit logs kept for two years?", "No. Audit logs are kept for 400 days."),
        ("Is the visitor log of the audit office on paper?", "Yes."),
    )
    assert [(one.prior.customer, one.same, one.determination) for one in propose(house)] == [("Customer 1", False, Determination.NO)]


def test_looking_at_proposals_writes_nothing(house: House, books: Counted) -> None:
    remembered(house, (ASKED, "Yes. Audit logs are kept for 400 days."))
    before = books()
    assert propose(house)
    assert books() == before


def test_a_withdrawn_answer_is_not_proposed(house: House) -> None:
    from trustops.operations.library import withdraw

    remembered(house, (ASKED, "Yes. Audit logs are kept for 400 days."))
    (one,) = propose(house)
    withdraw(house.office, one.prior.id, by="Bo", reason="The store is moved.")
    assert propose(house) == ()


def test_what_is_taken_goes_through_the_rules_and_needs_an_approval_like_any_edit(house: House) -> None:
    remembered(house, (ASKED, "Yes. Audit logs are kept for 900 days, encrypted with AES-256."))
    (one,) = propose(house)
    kept = asyncio.run(
        edit_answer(house.office, house.review, "K-2", by="Bo", text=one.prior.answer, determination=one.determination, cite=one.cite)
    )
    assert "OVERCOMMITMENT" in {finding.code.value for finding in kept.findings if finding.blocks}
    assert house.office.ledger.latest_records(house.review.id)["K-2"].result.decision.value == "BLOCK"
    assert "K-2" not in house.office.ledger.latest_approvals(house.review.id)


def test_a_question_that_was_never_decided_has_no_proposals(house: House) -> None:
    with pytest.raises(UnknownName):
        proposals(house.office, house.review, "K-99")


EDITS = [
    pytest.param("Yes. Audit logs are kept for 400 days.", "Yes. We keep audit logs for 400 days.", "REWORDED", id="other words"),
    pytest.param(
        "Yes. Audit logs are kept for 400 days.", "Yes. Audit logs are kept for 300 days.", "CHANGED_MEANING", id="another figure"
    ),
    pytest.param("Yes. Audit logs are kept for 400 days.", "Audit logs are not kept for 400 days.", "CHANGED_MEANING", id="a denial"),
    pytest.param(
        "Yes. Audit logs are kept for 400 days.", "Yes. All audit logs are kept for 400 days.", "CHANGED_MEANING", id="more of them"
    ),
]


@pytest.mark.parametrize(("first", "second", "expected"), EDITS)
def test_an_edit_is_graded_by_facts_and_denials(house: House, first: str, second: str, expected: str) -> None:
    from trustops.operations.calibrating import grade

    made = [
        asyncio.run(edit_answer(house.office, house.review, "K-2", by="Bo", text=text, determination=Determination.YES))
        for text in (first, second)
    ]
    assert grade(made[0], made[1], house.office.names) == expected
    assert grade(made[0], made[0], house.office.names) == "UNCHANGED"


def test_what_people_made_of_the_seats_answers_is_counted_per_seat_and_per_source(house: House) -> None:
    assert calibrate(house.office).graded == (), "nobody has looked yet"
    approve(house.office, house.review, "K-1", 1, by="Ana")
    reject(house.office, house.review, "K-3", by="Ana", reason="not how we say it")
    asyncio.run(
        edit_answer(house.office, house.review, "K-2", by="Bo", text="Yes. Audit logs are kept for 400 days, as the standard says.")
    )
    told = calibrate(house.office)
    assert {one.question: (one.grade, one.by) for one in told.graded} == {
        "K-1": ("UNCHANGED", "Ana"),
        "K-2": ("REWORDED", "Bo"),
        "K-3": ("REJECTED", "Ana"),
    }
    (counts,) = told.seats.values()
    assert dict(counts) == {"UNCHANGED": 1, "REWORDED": 1, "REJECTED": 1}
    assert told.sources["evidence/logging.md"] == {"REWORDED": 1}
    assert told.sources["evidence/tenancy.md"] == {"REJECTED": 1}
