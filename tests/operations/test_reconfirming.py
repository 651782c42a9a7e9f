"""Harm: an approval given on Friday's facts lets an answer leave on Monday's; or a harmless change makes everybody approve again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import AT, House, snapshot
from trustops.domain.errors import NothingCleared, Refused, StaleVersion
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve, covered, reject
from trustops.operations.books import open_books
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.operations.reconfirming import reconfirm
from trustops.operations.resuming import events_of
from trustops.operations.standing import standing

Count = Callable[[], dict[str, int]]
LATER = "2026-11-30T11:00:00Z"
THIRTY = "# Retention Policy\n\nAudit logs are kept for 30 days.\n"


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at


def write(house: House, name: str, text: str, kind: str = "policy") -> None:
    """Another document of the organisation, in the register."""
    (house.folder / "evidence" / name).write_text(text, encoding="utf-8")
    entry = f"\n- {{path: evidence/{name}, kind: {kind}, effective: 2026-01-01, expires: 2027-01-01, classification: shareable}}"
    register = house.folder / "evidence.yaml"
    register.write_text(register.read_text(encoding="utf-8") + entry, encoding="utf-8")


def contradict(house: House) -> None:
    write(house, "retention.md", THIRTY)


def edit_evidence(house: House) -> None:
    (house.folder / "evidence" / "logging.md").write_text("# Logging Standard\n\nAudit logs are kept for 30 days.\n", encoding="utf-8")


def remove_evidence(house: House) -> None:
    (house.folder / "evidence" / "logging.md").write_text("# Logging Standard\n\nSee the wiki.\n", encoding="utf-8")


def expire(house: House) -> None:
    register = house.folder / "evidence.yaml"
    text = register.read_text(encoding="utf-8").replace(
        "evidence/logging.md, kind: standard, effective: 2026-01-01, expires: 2027-01-01",
        "evidence/logging.md, kind: standard, effective: 2025-01-01, expires: 2026-11-01",
    )
    register.write_text(text, encoding="utf-8")


def unrelated(house: House) -> None:
    write(house, "visitors.md", "# Visitors\n\nVisitors wear a badge in the Lisbon office.\n")


def move(house: House) -> None:
    (house.folder / "evidence" / "logging.md").rename(house.folder / "evidence" / "audit-logging.md")
    register = house.folder / "evidence.yaml"
    register.write_text(register.read_text(encoding="utf-8").replace("evidence/logging.md", "evidence/audit-logging.md"), encoding="utf-8")


def read_again(house: House) -> None:
    snapshot(house.folder, 311, 311, LATER)


def drift(house: House) -> None:
    snapshot(house.folder, 310, 311, LATER)


def other_values(house: House) -> None:
    snapshot(house.folder, 312, 312, LATER)


def kinds(house: House, ref: str) -> list[str]:
    runs = house.office.ledger.runs(house.review.id)
    return [event.kind for run in runs for event in events_of(house.office, run) if event.question == ref]


def reasons(house: House, ref: str) -> tuple[str, ...]:
    return standing(house.office, open_books(house.office, house.review), ref).gate.reasons


@pytest.mark.parametrize(
    ("ref", "change", "named"),
    [
        ("K-2", contradict, "CONTRADICTION"),
        ("K-2", edit_evidence, "cited from evidence/logging.md"),
        ("K-2", remove_evidence, "cited from evidence/logging.md"),
        ("K-2", expire, "EXPIRED_EVIDENCE"),
        ("K-1", drift, "control disk-encryption was PASS"),
        ("K-1", other_values, "control disk-encryption was PASS"),
    ],
)
def test_facts_that_changed_on_the_disk_since_the_approval_let_nothing_leave(
    house: House, tmp_path: Path, ref: str, change: Callable[[House], None], named: str
) -> None:
    approve(house.office, house.review, ref, 1, by="Ana")
    change(house)
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")
    assert not (tmp_path / "out").exists()
    assert house.office.ledger.exports(house.review.id) == ()
    assert standing(house.office, open_books(house.office, house.review), ref).status.value == "STALE"
    lapsed = [c for c in house.office.ledger.confirmations(house.review.id) if not c.stands]
    assert [c.question for c in lapsed] == [ref]
    assert named in " ".join(lapsed[0].differences)
    assert kinds(house, ref).count("approval_lapsed") == 1


@pytest.mark.parametrize(("ref", "change"), [("K-2", unrelated), ("K-2", move), ("K-1", read_again), ("K-1", unrelated)])
def test_a_change_that_changes_nothing_for_the_answer_leaves_its_approval(
    house: House, tmp_path: Path, ref: str, change: Callable[[House], None]
) -> None:
    approve(house.office, house.review, ref, 1, by="Ana")
    change(house)
    made = export(house.office, house.review, tmp_path / "out", to="Customer")
    assert made.exported == (ref,)
    assert [(c.question, c.stands) for c in house.office.ledger.confirmations(house.review.id)] == [(ref, True)]
    reconfirm(house.office, house.review)
    assert kinds(house, ref).count("approval_reconfirmed") == 1


def test_without_a_change_nothing_is_repeated_and_nothing_written(house: House, books: Count) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    before = books()
    reconfirm(house.office, house.review)
    assert books() == before


def test_what_was_checked_on_other_facts_is_not_approved_and_the_difference_is_named(house: House, books: Count) -> None:
    snapshot(house.folder, 310, 311, LATER)
    contradict(house)
    house.run("K-4")
    before = books()
    with pytest.raises(StaleVersion, match=r"disk-encryption was PASS \(encrypted 311, managed 311\), and is DRIFT \(encrypted 310"):
        approve(house.office, house.review, "K-1", 1, by="Ana")
    with pytest.raises(StaleVersion, match="CONTRADICTION"):
        approve(house.office, house.review, "K-2", 1, by="Ana")
    assert books() == before


def test_the_refusal_of_an_older_version_names_what_became_of_it(house: House, books: Count) -> None:
    asyncio.run(edit_answer(house.office, house.review, "K-2", by="Bo", text="Yes. Audit logs are kept for at least 400 days."))
    before = books()
    with pytest.raises(StaleVersion, match=r"version 1 is not the current one, that is 2 .*at least 400 days"):
        approve(house.office, house.review, "K-2", 1, by="Ana")
    with pytest.raises(StaleVersion, match="digest 0000"):
        approve(house.office, house.review, "K-2", 2, by="Ana", digest="0000")
    assert books() == before


def test_an_approval_says_what_it_covers(house: House) -> None:
    given = approve(house.office, house.review, "K-1", 1, by="Ana")
    told = " ".join(covered(house.office, house.review, given))
    assert "YES" in told
    assert "disk-encryption PASS (encrypted 311, managed 311)" in told
    assert "OFFLINE_DRAFT" in told


def test_the_same_approval_again_is_recorded_once(house: House, books: Count) -> None:
    first = approve(house.office, house.review, "K-2", 1, by="Ana")
    before = books()
    assert approve(house.office, house.review, "K-2", 1, by="Ana") == first
    assert books() == before
    assert approve(house.office, house.review, "K-2", 1, by="Dee").by == "Dee"


def test_an_approval_that_is_over_lets_nothing_leave_until_it_is_given_again(house: House, tmp_path: Path) -> None:
    clock = Clock(datetime.now(UTC))
    house = house.with_office(clock=clock)
    given = approve(house.office, house.review, "K-2", 1, by="Ana")
    assert given.expires_at == clock.at + timedelta(days=90)
    clock.at += timedelta(days=90)
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "out", to="Customer")
    assert "APPROVAL_EXPIRED" in reasons(house, "K-2")
    approve(house.office, house.review, "K-2", 1, by="Ana")
    assert export(house.office, house.review, tmp_path / "out", to="Customer").exported == ("K-2",)


def test_a_live_answer_whose_document_ran_out_since_does_not_leave(house: House, tmp_path: Path) -> None:
    clock = Clock(AT)
    house = house.with_office(clock=clock)
    prepared = prepare(house.office, house.review, only=["K-2"], watch=lambda kind, question, data: None)
    asyncio.run(run_review(house.office, prepared, lambda kind, question, data: None))
    version = house.office.ledger.latest_records(house.review.id)["K-2"].version
    approve(house.office, house.review, "K-2", version, by="Ana")
    assert export(house.office, house.review, tmp_path / "first", to="Customer").exported == ("K-2",)
    clock.at = datetime(2027, 1, 2, tzinfo=UTC)
    with pytest.raises(NothingCleared):
        export(house.office, house.review, tmp_path / "second", to="Another")
    assert "NOT_RECONFIRMED" in reasons(house, "K-2")


def test_a_clock_that_went_back_decides_nothing(house: House, books: Count, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    house = house.with_office(clock=Clock(datetime.now(UTC) - timedelta(days=1)))
    before = books()
    for refused in (
        lambda: approve(house.office, house.review, "K-1", 1, by="Ana"),
        lambda: reject(house.office, house.review, "K-1", by="Ana", reason="No."),
        lambda: export(house.office, house.review, tmp_path / "out", to="Customer"),
        lambda: asyncio.run(edit_answer(house.office, house.review, "K-2", by="Bo", text="Yes. Audit logs are kept for 400 days.")),
    ):
        with pytest.raises(Refused, match="this machine's clock shows"):
            refused()
    assert books() == before
    assert not (tmp_path / "out").exists()
