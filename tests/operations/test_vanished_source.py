"""Harm: a control's source is taken away, and its last reading goes on vouching for answers; or one slow source holds up all the others."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import AT, House, snapshot
from trustops.domain.control import Control, Snapshot
from trustops.domain.errors import NothingCleared, Unavailable
from trustops.operations.approving import approve
from trustops.operations.collecting import AT_ONCE, collect_snapshots, unread
from trustops.operations.exporting import export
from trustops.operations.recalling import recalls


def vanish(house: House) -> None:
    """The job that dropped the reading is switched off, and its file is gone."""
    files = list((house.folder / "snapshots").iterdir())
    assert files
    for file in files:
        file.unlink()


def test_an_approved_answer_does_not_leave_on_the_last_reading_of_a_source_that_is_gone(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-1", 1, by="Ana")
    vanish(house)
    with pytest.raises(NothingCleared):
        export(house.with_office(as_of=AT).office, house.review, tmp_path / "out", to="Customer")
    assert not (tmp_path / "out").exists()
    assert house.office.ledger.exports(house.review.id) == ()
    lapsed = [c for c in house.office.ledger.confirmations(house.review.id) if not c.stands]
    assert "CONTROL_UNAVAILABLE" in " ".join(lapsed[0].differences)


def test_a_source_that_comes_back_with_the_same_reading_gives_the_approval_back(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-1", 1, by="Ana")
    kept = {file: file.read_bytes() for file in (house.folder / "snapshots").iterdir()}
    vanish(house)
    with pytest.raises(NothingCleared):
        export(house.with_office(as_of=AT).office, house.review, tmp_path / "out", to="Customer")
    for file, data in kept.items():
        file.write_bytes(data)
    assert export(house.with_office(as_of=AT).office, house.review, tmp_path / "out", to="Customer").exported == ("K-1",)


def test_a_recheck_without_the_source_blocks_and_says_so(house: House) -> None:
    vanish(house)
    house.run("K-1")
    record = house.office.ledger.latest_records(house.review.id)["K-1"]
    assert record.result.decision.value == "BLOCK"
    assert "CONTROL_UNAVAILABLE" in {finding.code.value for finding in record.result.findings}


def test_an_answer_that_left_is_not_confirmed_once_its_source_is_gone(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-1", 1, by="Ana")
    export(house.with_office(as_of=AT).office, house.review, tmp_path / "out", to="Customer")
    vanish(house)
    snapshots, notices = collect_snapshots(house.office, AT)
    (found,) = recalls(house.office, unread(house.office, snapshots))
    assert (found.question, found.state) == ("K-1", "NOT_CONFIRMED")
    assert any("no reading" in notice.lower() for notice in notices)


class Crowd:
    """Sources that answer only when enough of them are asked at once; it counts how many ever were."""

    def __init__(self, together: int) -> None:
        self.gate, self.lock, self.now, self.most = threading.Barrier(together, timeout=60), threading.Lock(), 0, 0

    def collect(self, control: Control, *, version: int, at: datetime) -> Snapshot | None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.gate.wait()
        with self.lock:
            self.now -= 1
        raise Unavailable("It does not answer.", where=control.id, remedy="Wait.")


def test_sources_are_asked_at_once_by_no_more_than_the_bound_and_told_in_the_order_of_the_catalogue(house: House) -> None:
    """The barrier opens for as many as may be asked at once: one after another, none would ever answer."""
    first = house.office.controls[0]
    crowd = Crowd(AT_ONCE)
    many = tuple(first.model_copy(update={"id": f"control-{n}"}) for n in range(AT_ONCE * 3))
    office = replace(house.office, controls=many, collector=crowd)
    before = office.ledger.latest_snapshots()
    snapshots, notices = collect_snapshots(office, AT)
    assert (snapshots, crowd.most) == ({}, AT_ONCE)
    assert [notice.split(":")[0] for notice in notices] == [control.id for control in many]
    assert office.ledger.latest_snapshots() == before


def test_one_source_that_fails_leaves_the_others_their_readings(house: House) -> None:
    snapshot(house.folder, 311, 311, (AT - timedelta(minutes=5)).isoformat())
    good = house.office.controls[0]
    lost = good.model_copy(update={"id": "lost", "source": good.source.model_copy(update={"path": "snapshots/none.json"})})  # type: ignore[union-attr]
    snapshots, notices = collect_snapshots(replace(house.office, controls=(lost, good)), AT)
    assert list(snapshots) == [good.id]
    assert len(notices) == 1
