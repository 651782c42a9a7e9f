"""Harm: an answer that nobody approved, or that is no longer true, is remembered as a promise; an old one is never looked at again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.conftest import AT, House
from trustops.domain.errors import NotAllowed, Refused, UnknownName
from trustops.operations.approving import approve
from trustops.operations.exporting import export
from trustops.operations.library import add, conflicts, entries, expire, expired

Counted = Callable[[], dict[str, int]]
DAY = date(2027, 5, 31)


@pytest.fixture
def sent(house: House, tmp_path: Path) -> House:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    export(house.with_office(as_of=AT).office, house.review, tmp_path / "out", to="First, Ltd")
    return house


def only_export(house: House) -> str:
    (record,) = house.office.ledger.exports(house.review.id)
    return record.id


def answered(house: House, *rows: str) -> None:
    (house.folder / "answers").mkdir(exist_ok=True)
    head = "Question,Answer,Answered on,Customer,Owner,Review by"
    (house.folder / "answers" / "2026.csv").write_text("\n".join((head, *rows)) + "\n", encoding="utf-8")


def test_what_left_enters_when_a_person_adds_it_with_owner_date_and_source(sent: House) -> None:
    assert entries(sent.office) == ()
    made = add(sent.office, only_export(sent), by="Bo", owner="Dee", review_by=DAY)
    (entry,) = entries(sent.office)
    assert made.answers == ("K-2",)
    assert (entry.question, entry.owner, entry.review_by) == ("Are audit logs kept for at least one year?", "Dee", DAY)
    assert (entry.customer, entry.source) == ("First, Ltd", sent.review.id)
    assert entry.answer == sent.office.ledger.answers(sent.review.id, "K-2")[0].text
    assert sent.office.ledger.audit()[-1].kind == "library_added"
    assert sent.office.ledger.verify_chain().ok


def test_the_same_export_enters_once(sent: House, books: Counted) -> None:
    add(sent.office, only_export(sent), by="Bo", owner="Dee", review_by=DAY)
    before = books()
    with pytest.raises(Refused, match="already"):
        add(sent.office, only_export(sent), by="Bo", owner="Dee", review_by=DAY)
    assert books() == before
    assert len(entries(sent.office)) == 1


def test_what_was_not_exported_or_no_longer_holds_or_comes_from_a_viewer_does_not_enter(sent: House, books: Counted) -> None:
    before = books()
    with pytest.raises(UnknownName):
        add(sent.office, "X-000000000000", by="Bo", owner="Dee", review_by=DAY)
    with pytest.raises(NotAllowed):
        add(sent.office, only_export(sent), by="Cy", owner="Dee", review_by=DAY)
    (sent.folder / "evidence" / "logging.md").write_text("# Logging Standard\n\nAudit logs are kept for 30 days.\n", encoding="utf-8")
    from trustops.operations.indexing import index_evidence

    index_evidence(sent.office)
    before = books()
    with pytest.raises(Refused, match="none of its answers holds"):
        add(sent.office, only_export(sent), by="Bo", owner="Dee", review_by=DAY)
    assert books() == before
    assert not list(sent.folder.glob("answers/*.csv"))


def test_expired_answers_are_listed_and_withdrawn_by_a_person_only(house: House, books: Counted) -> None:
    answered(
        house, "Are logs kept?,Yes.,2026-01-01,A,Dee,2026-06-01", "Are doors locked?,Yes.,2026-01-01,A,Dee,2027-06-01", "Other?,No.,,A,,"
    )
    today = AT.date()
    assert [a.question for a in expired(house.office, today)] == ["Are logs kept?"]
    before = books()
    with pytest.raises(NotAllowed):
        expire(house.office, today, by="Cy")
    assert books() == before
    assert len(expire(house.office, today, by="Bo")) == 1
    assert expired(house.office, today) == ()
    assert [a.withdrawn for a in entries(house.office)] == [True, False, False]


def test_contradictions_and_duplicates_are_found_and_withdrawn_ones_are_not(house: House) -> None:
    answered(
        house,
        "How long are audit logs kept?,Audit logs are kept for 400 days.,2026-01-01,A,,",
        "Log keeping?,Audit logs are kept for 30 days.,2026-02-01,B,,",
        "Do you offer escrow?,Yes.,2026-01-01,A,,",
        "Do you offer escrow?,No.,2026-02-01,B,,",
        "Is the office locked?,The office is locked at night.,2026-01-01,A,,",
        "Is the office locked?,The office is locked at night.,2026-02-01,B,,",
    )
    found = conflicts(house.office)
    assert sorted(pair.kind for pair in found) == ["CONTRADICTION", "CONTRADICTION", "DUPLICATE"]
    from trustops.operations.library import withdraw

    for pair in found:
        withdraw(house.office, pair.left.id, by="Bo", reason="old")
    assert conflicts(house.office) == ()


def test_a_file_without_owner_and_date_keeps_the_digest_it_had(house: House) -> None:
    """Else every approval that cites an earlier answer would lapse with an update of the program."""
    answered(house, "Are logs kept?,Yes.,2026-01-01,A,,")
    (entry,) = entries(house.office)
    assert entry.sha256 == "2c75e6bb7b9d56e169e8831eb5edbba6d211f181456c7a428013045620ab7ca6"
