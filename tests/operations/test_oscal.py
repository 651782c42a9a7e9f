"""Harm: a governance tool refuses the projection, reads out of it what must not be told, or sees an answer that did not leave."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from tests.conftest import House
from trustops.operations.approving import approve
from trustops.operations.exporting import export

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from trestle.oscal.assessment_results import Model


def exported(house: House, out: Path) -> tuple[bytes, dict[str, Any]]:
    """The document of an export of two answers."""
    for ref in ("K-1", "K-2"):
        approve(house.office, house.review, ref, 1, by="Ana")
    data = export(house.office, house.review, out, to="Customer", by="Bo").assessment_results.read_bytes()
    return data, json.loads(data)["assessment-results"]["results"][0]


def test_a_public_reader_of_oscal_takes_it(house: House, tmp_path: Path) -> None:
    data, _ = exported(house, tmp_path / "out")
    read = Model.model_validate_json(data).assessment_results
    assert [finding.target.status.state.value for finding in read.results[0].findings] == ["satisfied", "satisfied"]


def test_it_names_what_left_and_nothing_else(house: House, tmp_path: Path) -> None:
    data, result = exported(house, tmp_path / "out")
    assert [finding["title"] for finding in result["findings"]] == ["Question K-1: YES", "Question K-2: YES"]
    assert b"K-4" not in data
    methods = {entry["uuid"]: entry["methods"] for entry in result["observations"]}
    related = [[methods[seen["observation-uuid"]] for seen in f["related-observations"]] for f in result["findings"]]
    assert ["TEST"] in related[0]
    assert related[1] == [["EXAMINE"]]


def test_the_same_export_gives_the_same_document(house: House, tmp_path: Path) -> None:
    first, _ = exported(house, tmp_path / "out")
    assert exported(house, tmp_path / "again")[0] == first
