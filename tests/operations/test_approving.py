"""Harm: something leaves that nobody approved, or that is not what was approved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import House, snapshot
from trustops.domain.approval import ApprovalStatus
from trustops.domain.errors import Locked, NotAllowed, NothingCleared, Refused, StaleVersion, UnknownName
from trustops.operations.approving import approve, approve_green, reject
from trustops.operations.books import open_books
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.operations.office import Rules
from trustops.operations.standing import standing

Count = Callable[[], dict[str, int]]


def status(house: House, ref: str) -> str:
    return standing(house.office, open_books(house.office, house.review), ref).status.value


def approval(house: House, ref: str) -> ApprovalStatus:
    return standing(house.office, open_books(house.office, house.review), ref).approval


def test_a_blocked_answer_cannot_be_approved(house: House, books: Count) -> None:
    before = books()
    with pytest.raises(Locked, match="MISSING_EVIDENCE"):
        approve(house.office, house.review, "K-4", 1, by="Ana")
    assert books() == before


def test_a_version_that_was_not_named_is_not_approved(house: House, books: Count) -> None:
    before = books()
    for version in (None, 2, 0):
        with pytest.raises(StaleVersion):
            approve(house.office, house.review, "K-1", version, by="Ana")
    assert books() == before


@pytest.mark.parametrize("person", ["Bo", "Cy", "Nobody", ""])
def test_who_may_not_approve_does_not(house: House, books: Count, person: str) -> None:
    before = books()
    with pytest.raises(NotAllowed):
        approve(house.office, house.review, "K-1", 1, by=person)
    assert books() == before


def test_an_unknown_question_is_not_approved(house: House, books: Count) -> None:
    before = books()
    with pytest.raises(UnknownName):
        approve(house.office, house.review, "K-99", 1, by="Ana")
    assert books() == before


def test_nothing_leaves_before_an_approval(house: House, books: Count, tmp_path: Path) -> None:
    before = books()
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")
    assert books() == before
    assert not (tmp_path / "out").exists()


def test_an_approved_answer_leaves_and_only_it(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    made = export(house.office, house.review, tmp_path / "out", to="Customer")
    assert made.exported == ("K-2",)
    assert {ref for ref, _ in made.withheld} == {"K-1", "K-3", "K-4"}
    lines = made.file.read_text(encoding="utf-8").splitlines()
    assert "400 days" in lines[2]
    assert [line for at, line in enumerate(lines) if at != 2] == [
        line for at, line in enumerate((house.folder / "questionnaire.csv").read_text(encoding="utf-8").splitlines()) if at != 2
    ]
    assert status(house, "K-2") == "EXPORTED"


def test_the_same_export_again_is_the_same_and_recorded_once(house: House, books: Count, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    first = export(house.office, house.review, tmp_path / "out", to="Customer")
    before, content = books(), first.file.read_bytes()
    again = export(house.office, house.review, tmp_path / "out", to="Customer")
    assert (again.file, again.file.read_bytes()) == (first.file, content)
    assert books() == before


def test_an_edit_makes_the_approval_stale(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    edited = asyncio.run(edit_answer(house.office, house.review, "K-2", by="Bo", text="Yes. Audit logs are kept for 400 days."))
    assert edited.version == 2
    assert approval(house, "K-2") is ApprovalStatus.INVALIDATED
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")


def test_an_edit_cannot_promise_more_than_its_evidence(house: House) -> None:
    edited = asyncio.run(edit_answer(house.office, house.review, "K-2", by="Bo", text="Yes. Audit logs are kept for 900 days."))
    assert {f.code.value for f in edited.findings if f.blocks} >= {"OVERCOMMITMENT"}
    with pytest.raises(Locked):
        approve(house.office, house.review, "K-2", 2, by="Ana")


def test_nobody_approves_the_own_edit_of_a_high_risk_answer(house: House, books: Count) -> None:
    text = "Yes. The data of one customer is separated from that of another customer by row-level security."
    asyncio.run(edit_answer(house.office, house.review, "K-3", by="Ana", text=text))
    before = books()
    with pytest.raises(NotAllowed, match="own edit"):
        approve(house.office, house.review, "K-3", 2, by="Ana")
    assert books() == before
    assert approve(house.office, house.review, "K-3", 2, by="Dee").by == "Dee"


def test_who_writes_the_approved_words_again_awaits_a_second_person(house: House) -> None:
    """The digest covers no author, so that the earlier approval fits the new version; its giver wrote it, and it shows as not approved."""
    text = "Yes. The data of one customer is separated from that of another customer by row-level security."
    asyncio.run(edit_answer(house.office, house.review, "K-3", by="Ana", text=text))
    approve(house.office, house.review, "K-3", 2, by="Dee")
    assert status(house, "K-3") == "APPROVED"
    again = asyncio.run(edit_answer(house.office, house.review, "K-3", by="Dee", text=text))
    assert (again.version, again.author) == (3, "Dee")
    found = standing(house.office, open_books(house.office, house.review), "K-3")
    assert (found.status.value, found.approval) == ("AWAITING_APPROVAL", ApprovalStatus.PENDING)
    assert (found.gate.state, "SECOND_PERSON_NEEDED" in found.gate.reasons) == ("BLOCKED", True)
    approve(house.office, house.review, "K-3", 3, by="Ana")
    assert status(house, "K-3") == "APPROVED"


def test_a_setting_may_want_a_second_person_for_all(house: House) -> None:
    asyncio.run(edit_answer(house.office, house.review, "K-2", by="Ana", text="Yes. Audit logs are kept for 400 days."))
    strict = house.with_office(rules=Rules(second_person_for_all=True))
    with pytest.raises(NotAllowed):
        approve(strict.office, house.review, "K-2", 2, by="Ana")


def test_a_setting_may_want_authenticated_people(house: House, books: Count) -> None:
    strict = house.with_office(rules=Rules(authenticated_only=True))
    before = books()
    with pytest.raises(NotAllowed, match="authenticated"):
        approve(strict.office, house.review, "K-2", 1, by="Ana")
    assert books() == before


def test_a_changed_reading_makes_an_approved_answer_stale(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-1", 1, by="Ana")
    snapshot(house.folder, 310, 311, "2026-11-30T11:00:00Z")
    house.run("K-4")
    assert status(house, "K-1") == "STALE"
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")


def test_a_reading_with_other_values_is_not_the_one_that_was_approved(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-1", 1, by="Ana")
    snapshot(house.folder, 312, 312, "2026-11-30T11:00:00Z")
    house.run("K-4")
    seen = standing(house.office, open_books(house.office, house.review), "K-1")
    assert "READING_CHANGED" in seen.gate.reasons
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")


def test_changed_evidence_makes_an_approved_answer_stale(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    (house.folder / "evidence" / "logging.md").write_text("# Logging Standard\n\nAudit logs are kept for 30 days.\n", encoding="utf-8")
    house.run("K-4")
    assert "PASSAGE_CHANGED" in standing(house.office, open_books(house.office, house.review), "K-2").gate.reasons
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")


def test_other_rules_need_another_approval(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    newer = house.with_office(gate_version="another-gate")
    with pytest.raises(NothingCleared):
        export(newer.office, house.review, tmp_path / "out", to="Customer")


def test_a_rejection_needs_a_reason_and_blocks(house: House, books: Count, tmp_path: Path) -> None:
    before = books()
    with pytest.raises(Refused):
        reject(house.office, house.review, "K-2", by="Ana", reason="  ")
    assert books() == before
    reject(house.office, house.review, "K-2", by="Ana", reason="Say where the logs are kept.")
    assert (approval(house, "K-2"), status(house, "K-2")) == (ApprovalStatus.REJECTED, "BLOCKED")
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")


def test_bulk_approval_takes_no_answer_that_a_person_must_decide(house: House) -> None:
    assert approve_green(house.office, house.review, by="Ana") == ()
    assert all(approval(house, ref) is not ApprovalStatus.APPROVED for ref in ("K-1", "K-2", "K-3", "K-4"))


def test_an_equal_outcome_makes_no_new_version_and_keeps_the_approval(house: House) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    house.run("K-2")
    assert [v.version for v in house.office.ledger.answers(house.review.id, "K-2")] == [1]
    assert approval(house, "K-2") is ApprovalStatus.APPROVED


def test_a_decision_that_is_repeated_is_recorded_once(house: House, books: Count) -> None:
    first = approve(house.office, house.review, "K-2", 1, by="Ana")
    before = books()
    assert approve(house.office, house.review, "K-2", 1, by="Ana") == first
    assert books() == before
    assert approve(house.office, house.review, "K-2", 1, by="Dee").by == "Dee"  # another person's decision is another one
    rejected = reject(house.office, house.review, "K-2", by="Ana", reason="Say it in full.")
    assert reject(house.office, house.review, "K-2", by="Ana", reason="Say it in full.") == rejected
    assert approve(house.office, house.review, "K-2", 1, by="Ana") != first  # after a rejection it is a new decision
    assert books()["approvals"] == before["approvals"] + 3
