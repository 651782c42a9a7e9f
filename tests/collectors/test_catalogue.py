"""A control that is read wrongly is a control that passes wrongly, so the catalogue is read to the letter."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from trustops.collectors import load_controls
from trustops.domain.control import Expectation, Measure, Risk
from trustops.domain.errors import MalformedFile

DEMO = Path(__file__).parents[1] / "data" / "evidence" / "controls"
GOOD = """
- id: mfa
  title: MFA
  topics: [mfa, 2fa]
  measure: {ratio: [enrolled, eligible]}
  expect: {equals: 1}
  max_age: 24h
  risk: high
  source: {collector: file, path: snapshots/mfa.json}
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "controls.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_demo_catalogue_is_exact() -> None:
    controls = {control.id: control for control in load_controls(DEMO / "controls.yaml")}
    assert len(controls) == 15
    assert controls["mfa-enrolment"].measure == Measure(ratio=("enrolled", "eligible"))
    assert controls["mfa-enrolment"].expect.equals == 1
    assert controls["mfa-enrolment"].max_age == timedelta(hours=24)
    assert controls["mfa-enrolment"].risk is Risk.HIGH
    assert controls["restore-test"].expect == Expectation(equals=True)
    assert controls["tls-minimum"].expect.at_least == "1.2"
    assert controls["security-training"].expect.at_least == "0.95"


@pytest.mark.parametrize(
    ("old", "new", "where", "says"),
    [
        ("  title: MFA", "  titel: MFA", "titel", "title"),
        ("expect: {equals: 1}", "expect: {at_least: 0.95}", "expect.at_least", "float"),
        ("expect: {equals: 1}", "expect: {}", "expect", "exactly one"),
        ("expect: {equals: 1}", "expect: {equals: 1, at_most: 2}", "expect", "exactly one"),
        ("expect: {equals: 1}", "expect: {equal: 1}", "expect.equal", "at_least"),
        ("expect: {equals: 1}", "expect: {equals: 017}", "expect.equals", "017"),
        ("expect: {equals: 1}", "expect: {equals: null}", "expect.equals", "expected"),
        ("expect: {equals: 1}", "expect: {one_of: []}", "expect.one_of", "list"),
        ("measure: {ratio: [enrolled, eligible]}", "measure: {}", "measure", "exactly one"),
        ("measure: {ratio: [enrolled, eligible]}", "measure: {value: a, flag: b}", "measure", "exactly one"),
        ("measure: {ratio: [enrolled, eligible]}", "measure: {ratio: [enrolled]}", "measure.ratio", "two"),
        ("  max_age: 24h\n", "", "", "max_age"),
        ("max_age: 24h", "max_age: 24 hours", "max_age", "duration"),
        ("max_age: 24h", "max_age: 0h", "max_age", "duration"),
        ("risk: high", "risk: critical", "risk", "critical"),
        ("collector: file", "collector: ftp", "source", "ftp"),
        ("topics: [mfa, 2fa]", "topics: mfa", "topics", "list"),
        ("topics: [mfa, 2fa]", "topics: []", "topics", "list"),
        ("  risk: high", "  risk: high\n  risk: low", "risk", "twice"),
    ],
)
def test_a_slip_is_an_error_that_names_its_place(tmp_path: Path, old: str, new: str, where: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(MalformedFile) as refused:
        load_controls(written(tmp_path, GOOD.replace(old, new)))
    assert refused.value.where.startswith("controls.yaml, control mfa")
    assert where in refused.value.where
    assert says in f"{refused.value.message} {refused.value.remedy}"


@pytest.mark.parametrize("text", ["id: mfa", "- mfa", "- title: MFA", GOOD + GOOD, "- id: ../x", "- id: [a]", "{", "- *a"])
def test_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(MalformedFile) as refused:
        load_controls(written(tmp_path, text))
    assert refused.value.where.startswith("controls.yaml")


def test_no_catalogue_means_no_controls(tmp_path: Path) -> None:
    assert load_controls(tmp_path / "controls.yaml") == ()
    assert load_controls(written(tmp_path, "# none yet\n")) == ()


def test_days_are_durations_too(tmp_path: Path) -> None:
    assert load_controls(written(tmp_path, GOOD.replace("24h", "7d")))[0].max_age == timedelta(days=7)
