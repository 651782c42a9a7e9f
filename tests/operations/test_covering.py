"""Harm: a gap is not seen, or it is seen and nobody's."""

from __future__ import annotations

from tests.conftest import AT, House, snapshot
from trustops.operations.collecting import collect_snapshots
from trustops.operations.covering import Row, coverage, totals


def rows(house: House) -> dict[str, Row]:
    return {row.ref: row for row in coverage(house.office, house.review, AT)}


def test_each_question_has_its_evidence_control_and_reading(house: House) -> None:
    found = rows(house)
    assert [(ref, row.evidence, row.fresh) for ref, row in found.items()] == [
        ("K-1", "cited", True), ("K-2", "cited", False), ("K-3", "cited", False), ("K-4", "missing", False),
    ]  # fmt: skip
    assert found["K-1"].documents == ("evidence/endpoint.md",)
    assert [(c.id, c.evaluation, c.snapshot_version) for c in found["K-1"].controls] == [("disk-encryption", "PASS", 1)]
    assert found["K-2"].controls == ()


def test_high_risk_without_a_control_is_a_gap(house: House) -> None:
    gaps = rows(house)["K-3"].gaps
    assert [gap.code for gap in gaps] == ["NOT_MEASURED"]
    assert gaps[0].remedy


def test_stale_missing_and_drifted_readings_are_gaps_with_the_controls_owner(house: House) -> None:
    owned = tuple(control.model_copy(update={"owner": "Dee"}) for control in house.office.controls)
    house = house.with_office(controls=owned)
    snapshot(house.folder, 310, 311, "2026-11-30T11:00:00Z")
    collect_snapshots(house.office, AT)
    row = rows(house)["K-1"]
    assert [(gap.code, gap.owner) for gap in row.gaps] == [("CONTROL_DRIFT", "Dee")]
    assert row.fresh, "it is young enough to say that it drifted"
    later = coverage(house.office, house.review, AT.replace(year=2027))[0]
    assert [(gap.code, gap.owner) for gap in later.gaps] == [("STALE_CONTROL_SNAPSHOT", "Dee")]
    assert not later.fresh


def test_a_question_that_never_ran_says_so(house: House) -> None:
    from trustops.operations.intake import take_in

    path = house.folder / "other.csv"
    path.write_text("ID,Question,Answer\nN-1,Is disk encryption on?,\n", encoding="utf-8")
    review = take_in(house.office, path)
    (row,) = coverage(house.office, review, AT)
    assert (row.evidence, row.risk, [gap.code for gap in row.gaps]) == ("not_run", None, ["NOT_RUN"])
    assert [control.id for control in row.controls] == ["disk-encryption"]


def test_the_counts_are_those_of_the_rows(house: House) -> None:
    counted = totals(coverage(house.office, house.review, AT))
    assert (counted["questions"], counted["with_evidence"], counted["with_a_control"], counted["with_fresh_snapshots"]) == (4, 3, 1, 1)


def test_what_is_missing_is_of_the_owner_of_the_nearest_document(house: House) -> None:
    register = house.folder / "evidence.yaml"
    register.write_text(register.read_text().replace("classification: shareable}", "classification: shareable, owner: Dee}"))
    house.run()
    gaps = [gap for row in rows(house).values() for gap in row.gaps]
    assert {gap.code for gap in gaps} == {"NOT_MEASURED", "MISSING_EVIDENCE"}
    assert {gap.owner for gap in gaps} <= {"Dee", ""}
    assert [gap.owner for gap in rows(house)["K-3"].gaps] == ["Dee"]
