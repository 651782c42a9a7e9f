"""Harm: a customer keeps an answer that is no longer true and nobody is told; or everybody is, about answers that still hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import AT, House, snapshot
from trustops.operations.approving import approve, reject
from trustops.operations.collecting import collect_snapshots
from trustops.operations.exporting import export
from trustops.operations.indexing import index_evidence
from trustops.operations.recalling import Recall, recalls, to_correct

Counted = Callable[[], dict[str, int]]


@pytest.fixture
def sent(house: House, tmp_path: Path) -> House:
    """K-1 rests on a reading, K-2 on a document; both left."""
    for ref in ("K-1", "K-2"):
        approve(house.office, house.review, ref, 1, by="Ana")
    export(house.with_office(as_of=AT).office, house.review, tmp_path / "out", to="First")
    return house


def look(house: House) -> dict[str, Recall]:
    """What a person is told after evidence and readings were read anew."""
    index_evidence(house.office)
    collect_snapshots(house.office, AT)
    return {one.question: one for one in recalls(house.office)}


def edit(house: House, name: str, old: str, new: str) -> None:
    path = house.folder / "evidence" / name
    assert old in path.read_text(encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_while_nothing_changes_nothing_is_recalled(sent: House) -> None:
    assert look(sent) == {}
    snapshot(sent.folder, 311, 311, "2026-11-30T11:00:00Z")
    assert look(sent) == {}, "the same reading again is no change"


def test_before_anything_left_nothing_is_recalled(house: House) -> None:
    edit(house, "logging.md", "400 days", "30 days")
    snapshot(house.folder, 300, 311)
    assert look(house) == {}


def test_a_drifted_reading_recalls_what_rests_on_it_with_both_readings(sent: House) -> None:
    snapshot(sent.folder, 300, 311, "2026-11-30T11:00:00Z")
    found = look(sent)
    assert set(found) == {"K-1"}
    one = found["K-1"]
    assert (one.state, one.version, one.remedy) == ("NOT_TRUE", 1, "trustops recheck K-1")
    assert [receipt.to for receipt in one.received_by] == ["First"]
    change = next(c for c in one.changes if c.what == "control disk-encryption")
    assert "encrypted 311" in change.before
    assert "encrypted 300" in change.after
    assert "DRIFT" in change.after


def test_a_changed_text_recalls_what_cites_it_with_both_texts(sent: House) -> None:
    edit(sent, "logging.md", "Audit logs are kept for 400 days.", "Alarms are never off. Audit logs are kept for 30 days.")
    found = look(sent)
    assert set(found) == {"K-2"}
    change = found["K-2"].changes[0]
    assert "400 days" in change.before
    assert "30 days" in change.after


def test_a_removed_document_recalls_what_cites_it(sent: House) -> None:
    (sent.folder / "evidence" / "logging.md").unlink()
    (sent.folder / "evidence.yaml").write_text(
        "\n".join(line for line in (sent.folder / "evidence.yaml").read_text().splitlines() if "logging" not in line)
    )
    change = look(sent)["K-2"].changes[0]
    assert change.after == ""


def test_an_edit_beside_the_cited_words_recalls_nothing(sent: House) -> None:
    """The approval lapses, for it covers the hash of the passage; what the customer has is still what the document says."""
    edit(sent, "logging.md", "400 days.", "400 days. The log store is in two regions.")
    assert look(sent) == {}


def test_new_evidence_against_an_answer_recalls_it_although_its_own_text_stands(sent: House) -> None:
    (sent.folder / "evidence" / "logs-2.md").write_text("# Log Keeping\n\nAudit logs are kept for 30 days.\n", encoding="utf-8")
    with (sent.folder / "evidence.yaml").open("a", encoding="utf-8") as register:
        register.write(
            "\n- {path: evidence/logs-2.md, kind: policy, effective: 2026-02-01, expires: 2027-01-01, classification: shareable}\n"
        )
    assert any("CONTRADICTION" in change.what for change in look(sent)["K-2"].changes)


def test_a_reading_that_is_too_old_is_not_confirmed_and_not_called_untrue(sent: House) -> None:
    snapshot(sent.folder, 311, 311, "2026-11-20T06:00:00Z")
    one = look(sent)["K-1"]
    assert (one.state, one.remedy) == ("NOT_CONFIRMED", "trustops controls collect")


def test_a_rejection_after_it_left_recalls_it(sent: House) -> None:
    reject(sent.office, sent.review, "K-2", by="Dee", reason="the store was moved")
    assert any("rejected by Dee" in change.what for change in look(sent)["K-2"].changes)


def test_everybody_who_has_it_is_named_and_a_customer_with_a_newer_one_is_not(sent: House, tmp_path: Path) -> None:
    export(sent.with_office(as_of=AT).office, sent.review, tmp_path / "out", to="Second")
    snapshot(sent.folder, 300, 311, "2026-11-30T11:00:00Z")
    assert [r.to for r in look(sent)["K-1"].received_by] == ["First", "Second"]
    snapshot(sent.folder, 311, 311, "2026-11-30T11:30:00Z")
    assert look(sent) == {}


def test_the_old_version_is_recalled_although_a_newer_one_holds(sent: House) -> None:
    """The new version is not what the customer has."""
    edit(sent, "logging.md", "400 days", "500 days")
    sent.run("K-2")
    answers = sent.office.ledger.answers(sent.review.id, "K-2")
    assert len(answers) == 2
    one = look(sent)["K-2"]
    assert one.version == 1
    approve(sent.office, sent.review, "K-2", 2, by="Ana")
    assert look(sent)["K-2"].remedy == f"Version 2 may leave: trustops export {sent.review.id}"


def test_looking_writes_nothing(sent: House, books: Counted) -> None:
    edit(sent, "logging.md", "400 days", "30 days")
    look(sent)
    before = books()
    assert recalls(sent.office)
    assert books() == before


def test_only_what_is_not_true_is_drafted_anew_and_once(sent: House) -> None:
    """What is merely not confirmed needs a reading; what a newer version corrects already needs an export."""
    assert to_correct(sent.office, ()) == ()
    snapshot(sent.folder, 311, 311, "2026-11-20T06:00:00Z")
    edit(sent, "logging.md", "400 days", "500 days")
    found = tuple(look(sent).values())
    assert {one.question: one.state for one in found} == {"K-1": "NOT_CONFIRMED", "K-2": "NOT_TRUE"}
    assert [(review.id, refs) for review, refs in to_correct(sent.office, found)] == [(sent.review.id, ("K-2",))]
    sent.run("K-2")
    approve(sent.office, sent.review, "K-2", 2, by="Ana")
    assert to_correct(sent.office, tuple(look(sent).values())) == ()
